// SPDX-License-Identifier: BSD-3-Clause
#include "config/diff.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "config/diff_values.h"
#include "config/units.h"

namespace weir {
namespace {

constexpr const char* kRestart = "; restart weir for this";

// "3 added, 1 removed, 2 changed": lists with thousands of items are not printed.
template <typename T, typename KeyOf>
void compare_lists(const char* path, const std::vector<T>& before, const std::vector<T>& after,
                   KeyOf key_of, std::vector<Change>& out) {
    if (before == after) return;
    std::map<decltype(key_of(before[0])), const T*> old;
    for (const T& item : before) old.emplace(key_of(item), &item);
    std::size_t added = 0;
    std::size_t changed = 0;
    std::size_t kept = 0;
    for (const T& item : after) {
        const auto found = old.find(key_of(item));
        if (found == old.end()) {
            ++added;
        } else {
            ++kept;
            if (!(*found->second == item)) ++changed;
        }
    }
    const std::size_t removed = before.size() - kept;
    if (added + removed + changed == 0) return;  // only the order changed
    out.push_back({path, std::to_string(added) + " added, " + std::to_string(removed) +
                             " removed, " + std::to_string(changed) + " changed"});
}

std::size_t place_of(const std::vector<PortSettings>& ports, const std::string& name) {
    return static_cast<std::size_t>(
        std::find_if(ports.begin(), ports.end(),
                     [&](const PortSettings& port) { return port.name == name; }) -
        ports.begin());
}

// The same devices in the same order; names may differ.
bool same_devices(const std::vector<PortSettings>& a, const std::vector<PortSettings>& b) {
    return std::equal(
        a.begin(), a.end(), b.begin(), b.end(),
        [](const PortSettings& x, const PortSettings& y) { return x.device == y.device; });
}

// Says by name which ports came, went, moved or have another device.
void refuse_ports(const std::vector<PortSettings>& before, const std::vector<PortSettings>& after,
                  std::vector<Change>& refused) {
    for (std::size_t i = 0; i < after.size(); ++i) {
        const std::string path = "ports[" + std::to_string(i) + "]";
        const std::size_t old = place_of(before, after[i].name);
        if (old == before.size()) {
            refused.push_back({path, "port " + after[i].name + " is new" + kRestart});
        } else if (before[old].device != after[i].device) {
            compare(path + ".device", before[old].device, after[i].device, refused, kRestart);
        } else if (old != i) {
            refused.push_back({path, "port " + after[i].name + " moved from place " +
                                         std::to_string(old) + " of the list to " +
                                         std::to_string(i) + kRestart});
        }
    }
    for (const PortSettings& port : before) {
        if (place_of(after, port.name) != after.size()) continue;
        refused.push_back({"ports", "port " + port.name + " is gone" + kRestart});
    }
}

void compare_port(const std::string& path, const PortSettings& before, const PortSettings& after,
                  Difference& out) {
    compare(path + ".name", before.name, after.name, out.live);
    compare(path + ".speed", before.speed, after.speed, out.live);
    compare(path + ".worker", before.worker, after.worker, out.refused, kRestart);
    compare(path + ".frame_bytes_max", before.frame_bytes_max, after.frame_bytes_max, out.live);
    compare(path + ".mac", before.mac, after.mac, out.live);
    compare(path + ".vlan", before.vlan, after.vlan, out.live);
    compare(path + ".addresses", before.addresses, after.addresses, out.live);
    compare(path + ".trust", before.trust, after.trust, out.live);
    compare(path + ".default_priority", before.default_priority, after.default_priority, out.live);
    compare(path + ".enabled", before.enabled, after.enabled, out.live);
    compare(path + ".link", before.link, after.link, out.live);
    compare_lossless(path, before, after, out.live);
}

std::vector<const PathSettings*> all_paths(const Settings& settings) {
    std::vector<const PathSettings*> all;
    for (std::size_t i = 0; i < settings.path_count(); ++i) all.push_back(&settings.path(i));
    return all;
}

auto path_key(const PathSettings* path) {
    return std::tie(path->source, path->ingress, path->destination, path->source_port,
                    path->dest_qp);
}

// Rules may move from one file to the other.
void compare_paths(const Settings& before, const Settings& after, std::vector<Change>& out) {
    compare("paths_file", before.paths_file, after.paths_file, out);
    compare("plan", before.plan_in_use(), after.plan_in_use(), out);
    if (before.paths == after.paths && before.plan_file.paths == after.plan_file.paths) return;
    const auto less = [](const PathSettings* a, const PathSettings* b) {
        return path_key(a) < path_key(b);
    };
    std::vector<const PathSettings*> old = all_paths(before);
    std::sort(old.begin(), old.end(), less);
    std::size_t kept = 0;
    std::size_t changed = 0;
    for (std::size_t i = 0; i < after.path_count(); ++i) {
        const auto at = std::lower_bound(old.begin(), old.end(), &after.path(i), less);
        if (at == old.end() || less(&after.path(i), *at)) continue;
        ++kept;
        if ((*at)->via != after.path(i).via) ++changed;
    }
    const std::size_t added = after.path_count() - kept;
    const std::size_t removed = before.path_count() - kept;
    if (added + removed + changed == 0) return;
    out.push_back({"paths", std::to_string(added) + " added, " + std::to_string(removed) +
                                " removed, " + std::to_string(changed) + " changed"});
}

}  // namespace

Difference diff(const Settings& running, const Settings& wanted) {
    Difference out;
    std::vector<Change>& live = out.live;
    std::vector<Change>& refused = out.refused;
    compare("switch.name", running.switch_.name, wanted.switch_.name, refused, kRestart);
    compare("eal", running.eal, wanted.eal, refused, kRestart);
    compare("workers.cores", running.workers.cores, wanted.workers.cores, refused, kRestart);
    compare("frames", running.frames, wanted.frames, refused, kRestart);
    compare("events", running.events, wanted.events, refused, kRestart);
    compare("console", running.console, wanted.console, refused, kRestart);
    compare("frame_bytes_max", running.frame_bytes_max, wanted.frame_bytes_max, live);
    if (same_devices(running.ports, wanted.ports)) {
        for (std::size_t i = 0; i < wanted.ports.size(); ++i) {
            compare_port("ports[" + std::to_string(i) + "]", running.ports[i], wanted.ports[i],
                         out);
        }
    } else {
        refuse_ports(running.ports, wanted.ports, refused);
    }
    compare_lists(
        "routes", running.routes, wanted.routes,
        [](const RouteSettings& route) { return route.prefix; }, live);
    compare_lists(
        "neighbors", running.neighbors, wanted.neighbors,
        [](const NeighborSettings& n) {
            return std::pair{n.address, n.port};
        },
        live);
    compare_lists(
        "macs", running.macs, wanted.macs,
        [](const MacSettings& mac) {
            return std::pair{mac.mac, mac.vlan};
        },
        live);
    compare("hash.seed", running.hash.seed, wanted.hash.seed, live);
    compare("hash.dest_qp", running.hash.dest_qp, wanted.hash.dest_qp, live);
    compare("selector", running.selector, wanted.selector, live);
    compare("flowlet.gap", running.flowlet.gap, wanted.flowlet.gap, live);
    compare_paths(running, wanted, live);
    compare("maps.dscp_to_priority", running.maps.dscp_to_priority, wanted.maps.dscp_to_priority,
            live);
    compare("maps.pcp_to_priority", running.maps.pcp_to_priority, wanted.maps.pcp_to_priority,
            live);
    if (running.queues != wanted.queues) {
        live.push_back({"queues.limit", format_bytes(running.queues.limit) + " -> " +
                                            format_bytes(wanted.queues.limit)});
    }
    compare_lossless(running, wanted, live);
    compare("ageing", running.ageing, wanted.ageing, live);
    compare("neighbor_reachable", running.neighbor_reachable, wanted.neighbor_reachable, live);
    return out;
}

}  // namespace weir

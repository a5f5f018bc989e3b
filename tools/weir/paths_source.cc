// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/paths_source.h"

#include <algorithm>

namespace weir {
namespace {

// The ports by which what has this route may leave now.
PortSet usable_ports(const Condition& condition, const Tables& tables, std::uint32_t route) {
    PortSet usable = condition.ports_up() & condition.links_usable();
    for (PortId port = 0; port < tables.ports.size(); ++port) {
        if (!tables.ports[port].enabled) usable.remove(port);
    }
    const std::uint32_t group = tables.routes[route].group;
    return group == kNoDestinationGroup ? usable : usable - condition.lost.ports(group);
}

std::uint32_t route_to(const Tables& tables, const IpAddress& destination) {
    return destination.is_v4()
               ? tables.ipv4_routes.find(std::uint64_t{destination.v4_value()} << 32, 0)
               : tables.ipv6_routes.find(destination.high, destination.low);
}

PathView view_of(const Condition& condition, const Tables& tables, const PathRule& rule) {
    PathView view;
    view.rule = rule;
    const std::uint32_t route = route_to(tables, rule.destination);
    const PortSet usable = usable_ports(condition, tables, route);
    for (const NextHop& hop : tables.paths.path(rule)) {
        if (view.place == kNoPlace && usable.has(hop.port)) {
            view.place = static_cast<std::uint8_t>(view.ways.size());
        }
        view.ways.push_back({.port = hop.port,
                             .gateway = tables.gateways[hop.gateway].address,
                             .usable = usable.has(hop.port)});
    }
    const Route& members = tables.routes[route];
    const auto set = tables.next_hops.subspan(members.first, members.count);
    view.reachable = view.place != kNoPlace ||
                     std::any_of(set.begin(), set.end(),
                                 [&](const NextHop& hop) { return usable.has(hop.port); });
    return view;
}

}  // namespace

std::vector<PathTotals> read_path_totals(const Running& running, std::size_t switch_index) {
    const auto& rules = running.switches[switch_index].compiled->path_rules;
    const SwitchRecord& record = running.dataplane.switch_at(static_cast<unsigned>(switch_index));
    std::vector<PathTotals> totals(rules.size());
    for (std::size_t i = 0; i < rules.size(); ++i) totals[i].born = rules[i].born;
    for (const ShardRecord& shard : record.shards) {
        const auto counts = shard.shard->state().path_counts;
        for (std::size_t i = 0; i < std::min(rules.size(), counts.size()); ++i) {
            // Pairs with the release of who took the number over.
            if (counts[i].born.load(std::memory_order_acquire) != rules[i].born) continue;
            totals[i].frames += counts[i].frames.read();
            totals[i].bytes += counts[i].bytes.read();
        }
    }
    return totals;
}

void add_paths(const Running& running, std::size_t switch_index, Snapshot& snapshot) {
    const RunningSwitch& one = running.switches[switch_index];
    const Tables& tables = one.compiled->tables;
    const Condition& condition =
        running.dataplane.switch_at(static_cast<unsigned>(switch_index)).condition;
    const std::vector<PathTotals> totals = read_path_totals(running, switch_index);
    snapshot.plan = one.settings().plan_in_use();
    snapshot.selector = one.settings().selector;
    for (std::uint32_t i = 0; i < totals.size(); ++i) {
        if (tables.paths.rules[i].match == PathMatch::None) continue;
        PathView view = view_of(condition, tables, tables.paths.rules[i]);
        view.number = i;
        view.totals = totals[i];
        if (i < one.paths_cleared.size() && one.paths_cleared[i].born == totals[i].born) {
            view.totals.frames -= one.paths_cleared[i].frames;
            view.totals.bytes -= one.paths_cleared[i].bytes;
        }
        snapshot.paths.push_back(std::move(view));
    }
}

}  // namespace weir

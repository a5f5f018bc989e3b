// SPDX-License-Identifier: BSD-3-Clause
#include "config/describe.h"

#include <array>

#include "config/describe_lossless.h"
#include "config/units.h"
#include "config/value_text.h"

namespace weir {
namespace {

std::string plural(std::size_t count, const char* noun) {
    const std::string text = std::to_string(count) + " " + noun;
    return count == 1 ? text : text + (text.back() == 's' ? "es" : "s");
}

std::string workers(const Settings& settings) {
    const std::vector<unsigned>& cores = settings.workers.cores;
    if (cores.empty()) return "1 worker on the last core that is available";
    std::string out = plural(cores.size(), "worker") + " on core";
    for (const unsigned core : cores) out += " " + std::to_string(core);
    return out;
}

std::string forwarding(const PortSettings& port) {
    if (port.transparent()) return "bridged, every VLAN";
    std::string out;
    if (port.vlan) {
        out = "bridged, native VLAN " + std::to_string(port.vlan->native);
        for (const VlanId vlan : port.vlan->tagged) {
            out += (vlan == port.vlan->tagged.front() ? ", tagged " : " ") + std::to_string(vlan);
        }
        return out;
    }
    out = "routed";
    for (const IpPrefix& address : *port.addresses) out += " " + format(address);
    return port.addresses->empty() ? out + ", link-local only" : out;
}

std::string port_line(const PortSettings& port, const PortTable& table, std::size_t index) {
    std::string out = "  " + std::to_string(index) + " " + port.name + ": " + port.device;
    out += ", " + (port.speed ? format_rate(*port.speed) : "the device's speed");
    out += ", frames up to " + std::to_string(table.frame_bytes_max) + " B";
    out += ", worker " + std::to_string(table.shard);
    out += std::string(", trusts ") + (port.trust == Trust::Dscp ? "DSCP" : "PCP");
    if (!port.enabled) out += ", stopped";
    return out + "\n      " + forwarding(port) + "\n";
}

std::string names_of(const Settings& settings, const PortSet& ports) {
    std::string out;
    ports.for_each([&](PortId port) { out += " " + settings.ports[port].name; });
    return out.empty() ? " none" : out;
}

std::string vlan_lines(const Settings& settings, const Tables& tables) {
    std::string out;
    for (VlanId vlan = 1; vlan < kVlans - 1; ++vlan) {
        if (tables.vlan_index[vlan] == 0) continue;
        out += "  VLAN " + std::to_string(vlan) + ":" +
               names_of(settings, tables.vlans[tables.vlan_index[vlan]].members) + "\n";
    }
    if (!tables.vlans[0].members.empty()) {
        out += std::string(out.empty() ? "  every VLAN:" : "  every other VLAN:") +
               names_of(settings, tables.vlans[0].members) + "\n";
    }
    return out.empty() ? out : "VLANs\n" + out;
}

std::string route_lines(const Settings& settings, const CompiledTables& compiled) {
    std::size_t gateways = 0;
    for (const Gateway& gateway : compiled.gateways) gateways += gateway.port != kNoPort ? 1u : 0u;
    std::string out = plural(settings.routes.size(), "route") + " over " +
                      plural(gateways, "gateway") + ", " +
                      plural(compiled.addresses.size(), "own address");
    out += "; tries: IPv4 " + std::to_string(compiled.ipv4_routes.bytes()) + " B, IPv6 " +
           std::to_string(compiled.ipv6_routes.bytes()) + " B\n";
    out += plural(settings.neighbors.size(), "static neighbor") + ", " +
           plural(settings.macs.size(), "static MAC") + "\n";
    return out;
}

// "0-7: 0, 8-15: 1": runs of equal priorities.
template <std::size_t N>
std::string runs(const std::array<Priority, N>& map) {
    std::string out;
    for (std::size_t first = 0; first < N;) {
        std::size_t last = first;
        while (last + 1 < N && map[last + 1] == map[first]) ++last;
        out += (out.empty() ? "" : ", ") + std::to_string(first);
        if (last != first) out += "-" + std::to_string(last);
        out += ": " + std::to_string(map[first]);
        first = last + 1;
    }
    return out;
}

std::string path_lines(const Settings& settings, const Tables& tables) {
    std::string out;
    if (settings.selector != Selector::Hash) out = "selector: " + show(settings.selector) + "\n";
    if (tables.tracks_flows && tables.flowlet_gap != FlowletSettings{}.gap) {
        out += "flowlet: gap " + show(tables.flowlet_gap) + "\n";
    }
    if (tables.paths.empty()) return out;
    const std::size_t ingress = tables.paths.count[static_cast<unsigned>(PathMatch::Ingress)];
    const std::size_t bytes = tables.paths.buckets.size_bytes() + tables.paths.rules.size_bytes() +
                              tables.paths.hops.size_bytes();
    return out + "paths: " + plural(settings.path_count() - ingress, "flow rule") + ", " +
           plural(ingress, "ingress rule") + ", table " + std::to_string(bytes) + " B; " +
           show(settings.plan_in_use()) + "\n";
}

}  // namespace

std::string describe(const Settings& settings, const CompiledTables& compiled) {
    const Tables& tables = compiled.tables;
    std::string out = "switch " + settings.switch_.name + ": " +
                      plural(settings.ports.size(), "port") + ", " + workers(settings) + "\n";
    for (std::size_t i = 0; i < settings.ports.size(); ++i) {
        out += port_line(settings.ports[i], tables.ports[i], i);
        const auto& link = settings.ports[i].link;
        if (link) out += "      link " + show(*link) + "\n";
        out += lossless_port_lines(settings, compiled, i);
    }
    out += vlan_lines(settings, tables);
    out += route_lines(settings, compiled);
    out += "hash: seed " + std::to_string(tables.hash.seed) +
           (settings.hash.seed ? "" : " (made of the name)") +
           (tables.hash.use_dest_qp ? ", 5-tuple and destination QP" : ", 5-tuple") + "\n";
    out += path_lines(settings, tables);
    out += "DSCP to priority: " + runs(tables.maps.from_dscp) + "\n";
    out += "PCP to priority: " + runs(tables.maps.from_pcp) + "\n";
    out += buffer_line(compiled);
    if (settings.watchdog) out += "watchdog: " + show(*settings.watchdog) + "\n";
    if (settings.hooks) out += "hooks: " + show(*settings.hooks) + "\n";
    if (settings.notices) {
        out += "notices: UDP port " + std::to_string(settings.notices->udp_port) +
               ", refreshed each " + format_interval(settings.notices->refresh) +
               ", forgotten after " + format_interval(settings.notices->expiry) + "\n";
    }
    if (settings.rx_guard) {
        out += "rx_guard: from " + std::to_string(tables.rx_guard_frames) +
               " frames in an RX ring on\n";
    }
    out += "queues: at most " + format_bytes(tables.queue_bytes_max) + " each\n";
    out += "ageing " + format_interval(tables.mac_ageing) + ", neighbors reachable for " +
           format_interval(tables.neighbor_reachable) + "\n";
    if (!settings.events.empty()) out += "events to " + settings.events + "\n";
    if (!settings.console.empty()) out += "console at " + settings.console + "\n";
    return out;
}

}  // namespace weir

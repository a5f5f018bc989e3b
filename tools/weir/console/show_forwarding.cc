// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/console/show_forwarding.h"

#include "config/address_text.h"
#include "tools/weir/console/text_table.h"

namespace weir {
std::string_view neighbor_state_text(NeighborState state) {
    switch (state) {
        case NeighborState::Free:
            return "unknown";
        case NeighborState::Incomplete:
            return "incomplete";
        case NeighborState::Reachable:
            return "reachable";
        case NeighborState::Probing:
            return "probing";
        case NeighborState::Static:
            return "static";
    }
    return "?";
}

std::string next_hop_text(const NextHopView& hop, const Snapshot& snapshot) {
    std::string text = format(hop.gateway) + " port " + snapshot.port_label(hop.port);
    if (!hop.usable) return text + " (not usable)";
    return hop.resolved ? text : text + " (MAC unknown)";
}

std::string_view route_kind_text(RouteKind kind) {
    switch (kind) {
        case RouteKind::None:
            return "none";
        case RouteKind::NextHops:
            return "next hops";
        case RouteKind::Connected:
            return "connected";
        case RouteKind::Local:
            return "own address";
        case RouteKind::Blackhole:
            return "blackhole";
    }
    return "?";
}

namespace {

void add_route(const RouteView& route, const Snapshot& snapshot, TextTable& table) {
    const std::string prefix = format(route.prefix);
    const std::string kind(route_kind_text(route.kind));
    if (route.next_hops.empty()) {
        table.add(
            {prefix, kind, route.port == kNoPort ? "" : "port " + snapshot.port_label(route.port)});
        return;
    }
    // One line per member, the prefix on the first only.
    for (std::size_t i = 0; i < route.next_hops.size(); ++i) {
        table.add({i == 0 ? prefix : "", i == 0 ? kind : "",
                   next_hop_text(route.next_hops[i], snapshot)});
    }
}

}  // namespace

Reply show_routes(const Arguments& arguments, const Snapshot& snapshot) {
    const Value* within = arguments.find("routes");
    TextTable table({"prefix", "kind", "via"});
    for (const RouteView& route : snapshot.routes) {
        // Both what lies in the asked prefix and what covers it: an address finds its routes.
        if (within != nullptr && !contains(within->prefix, route.prefix.address) &&
            !contains(route.prefix, within->prefix.address)) {
            continue;
        }
        add_route(route, snapshot, table);
    }
    return Reply::shown(table.empty() ? "no route\n" : table.text());
}

Reply show_neighbors(const Arguments& /*arguments*/, const Snapshot& snapshot) {
    TextTable table({"address", "port", "state", "MAC address", "gateway", ">frames waiting"});
    for (const NeighborView& neighbor : snapshot.neighbors) {
        const bool resolved = neighbor.state >= NeighborState::Reachable;
        table.add({format(neighbor.address), snapshot.port_label(neighbor.port),
                   std::string(neighbor_state_text(neighbor.state)),
                   resolved ? format(neighbor.mac) : "-", neighbor.gateway ? "yes" : "no",
                   std::to_string(neighbor.waiting)});
    }
    return Reply::shown(table.empty() ? "no neighbor\n" : table.text());
}

Reply show_mac(const Arguments& /*arguments*/, const Snapshot& snapshot) {
    TextTable table({"MAC address", ">VLAN", "port", ">seen ago"});
    for (const MacView& mac : snapshot.macs) {
        table.add({format(mac.mac), std::to_string(mac.vlan), snapshot.port_label(mac.port),
                   mac.fixed ? "static" : thousandths(mac.age_ms, 1000) + " s"});
    }
    return Reply::shown(table.empty() ? "no MAC address\n" : table.text());
}

}  // namespace weir

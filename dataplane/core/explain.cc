// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/explain.h"

#include "dataplane/core/bridge.h"
#include "dataplane/core/classify.h"
#include "dataplane/core/control.h"
#include "dataplane/core/flow_hash.h"
#include "dataplane/core/neighbor_discovery.h"

namespace weir {

namespace {

using Outcome = Explanation::Outcome;

Explanation& dropped(Explanation& explanation, DropReason reason) {
    explanation.outcome = Outcome::Dropped;
    explanation.reason = reason;
    return explanation;
}

void leave_by(const ShardState& state, PortId port, Outcome outcome, Explanation& explanation) {
    explanation.outcome = outcome;
    explanation.out_port = port;
    explanation.egress_shard = state.tables->ports[port].shard;
}

void explain_bridge(const ShardState& state, PortId in_port, const Frame& frame,
                    Explanation& explanation) {
    explanation.vlan = vlan_of(state.tables->ports[in_port], explanation.parsed);
    const PortSet& members = vlan_members(*state.tables, explanation.vlan);
    explanation.vlan_member = members.has(in_port);
    if (!explanation.vlan_member) {
        dropped(explanation, DropReason::VlanNotMember);
        return;
    }
    const PortId port = bridge_lookup(state, read_mac(frame.data), explanation.vlan);
    if (port == in_port) {
        dropped(explanation, DropReason::DestinationOnIngressPort);
    } else if (port != kNoPort) {
        leave_by(state, port, Outcome::Bridged, explanation);
    } else {
        explanation.flood_ports = flood_ports(state, in_port, explanation.vlan);
        explanation.outcome = Outcome::Flooded;
        if (explanation.flood_ports.empty()) dropped(explanation, DropReason::NoOtherPortInVlan);
    }
}

void explain_hook(const ShardState& state, Frame frame, Explanation& explanation) {
    const HookTable& hooks = state.tables->hooks;
    const std::uint8_t dscp = explanation.parsed.traffic_class >> 2;
    frame.out_port = explanation.out_port;
    frame.priority = explanation.priority;
    explanation.hook = hook_of(hooks, frame, dscp);
    if (explanation.hook == Hook::None) return;
    explanation.move =
        explanation.hook == Hook::First ? hooks.first[frame.priority] : hooks.second[dscp];
}

void explain_forward(const ShardState& state, Time now, const Frame& frame,
                     Explanation& explanation) {
    const Route& route = explanation.route;
    if (explanation.parsed.ttl <= 1) {
        dropped(explanation, DropReason::TtlExpired);
        return;
    }
    explanation.gateway = kGatewayIsDestination;
    PortId port = route.port;
    if (route.kind == RouteKind::NextHops) {
        explanation.choice = choose_path(state, now, route, frame, explanation.parsed);
        explanation.first_choice = choose_member(explanation.choice.hash, route.count);
        if (!explanation.choice.found()) {
            dropped(explanation, DropReason::NoUsableNextHop);
            return;
        }
        explanation.gateway = explanation.choice.hop.gateway;
        port = explanation.choice.hop.port;
    }
    leave_by(state, port, Outcome::Routed, explanation);
    explain_hook(state, frame, explanation);
    if (frame.length > state.tables->ports[port].frame_bytes_max) {
        dropped(explanation, DropReason::FrameTooLongForPort);
    }
}

void explain_route(const ShardState& state, Time now, const Frame& frame,
                   Explanation& explanation) {
    const Parsed& parsed = explanation.parsed;
    const DropReason refused = check_routable(state, frame.in_port, frame, parsed);
    if (refused != DropReason::kCount) {
        dropped(explanation, refused);
        return;
    }
    explanation.route_index = find_route(*state.tables, frame, parsed);
    explanation.route = state.tables->routes[explanation.route_index];
    switch (explanation.route.kind) {
        case RouteKind::None:
            dropped(explanation, DropReason::NoRoute);
            return;
        case RouteKind::Blackhole:
            dropped(explanation, DropReason::RouteIsBlackhole);
            return;
        case RouteKind::Local:
            explanation.outcome = Outcome::ForSwitch;
            return;
        case RouteKind::NextHops:
        case RouteKind::Connected:
            explain_forward(state, now, frame, explanation);
    }
}

}  // namespace

Explanation explain(const Shard& shard, Time now, PortId in_port, Frame frame) {
    const ShardState& state = shard.state();
    const PortTable& port = state.tables->ports[in_port];
    frame.in_port = in_port;
    Explanation explanation;
    explanation.parsed = parse(frame);
    explanation.priority = classify(port, state.tables->maps, frame, explanation.parsed);
    explanation.routed_port = port.mode == PortMode::Routed;
    if (explanation.parsed.kind == FrameKind::MacControl) {
        explanation.outcome = Outcome::ForSwitch;
        return explanation;
    }
    const DropReason refused = check_header(state, in_port, frame, explanation.parsed);
    if (refused != DropReason::kCount) return dropped(explanation, refused);
    if (!explanation.routed_port) {
        explain_bridge(state, in_port, frame, explanation);
    } else if ((explanation.parsed.tag & 0x0fff) == 0 &&
               (explanation.parsed.kind == FrameKind::Arp ||
                is_neighbor_discovery(frame, explanation.parsed))) {
        explanation.outcome = Outcome::ForSwitch;
    } else {
        explain_route(state, now, frame, explanation);
    }
    return explanation;
}

void explain_neighbor(const Shard& shard, const Frame& frame, Explanation& explanation) {
    const ShardState& state = shard.state();
    std::uint32_t slot = kNoNeighbor;
    if (explanation.gateway == kGatewayIsDestination) {
        explanation.neighbor_address = destination_of(frame, explanation.parsed);
        slot = state.neighbors.find(explanation.out_port, explanation.neighbor_address);
    } else {
        explanation.neighbor_address = state.tables->gateways[explanation.gateway].address;
        slot = state.gateway_neighbors[explanation.gateway];
    }
    if (slot == kNoNeighbor) return;
    const Neighbor& neighbor = state.neighbors.at(slot);
    explanation.neighbor_state = neighbor.state;
    explanation.destination_mac = read_mac(neighbor.rewrite.data());
    explanation.source_mac = read_mac(neighbor.rewrite.data() + 6);
}

}  // namespace weir

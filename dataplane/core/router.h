// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "dataplane/core/flow_hash.h"
#include "dataplane/core/parse.h"
#include "dataplane/core/path_choice.h"
#include "dataplane/core/shard_state.h"

namespace weir {

// IPv4 and IPv6 forwarding on a routed port (RFC 1812 section 5.2, RFC 8200): chooses gateway and
// egress port of each frame. Frames that end here are taken out of the burst; how many are left to
// be held and sent.
[[nodiscard]] std::size_t route_burst(ShardState& state, Time now, PortId in_port,
                                      std::span<Frame> burst, std::span<const Parsed> parsed,
                                      Effects& out);

// Why a frame (no ARP, no neighbor discovery) may not be routed: its VLAN, MAC, protocol or
// addresses; kCount: it may.
[[nodiscard]] DropReason check_routable(const ShardState& state, PortId in_port, const Frame& frame,
                                        const Parsed& parsed);

// Index into Tables::routes for the destination in the frame's IP header; kNoRouteIndex when there
// is none.
[[nodiscard]] inline std::uint32_t find_route(const Tables& tables, const Frame& frame,
                                              const Parsed& parsed) {
    const std::uint8_t* ip = frame.data + parsed.l3_offset;
    if (parsed.kind == FrameKind::Ipv4) [[likely]] {
        return tables.ipv4_routes.find(std::uint64_t{read_be32(ip + 16)} << 32, 0);
    }
    return tables.ipv6_routes.find(read_be64(ip + 24), read_be64(ip + 32));
}

[[nodiscard]] inline IpAddress destination_of(const Frame& frame, const Parsed& parsed) {
    const std::uint8_t* ip = frame.data + parsed.l3_offset;
    return parsed.kind == FrameKind::Ipv4 ? read_ipv4(ip + 16) : read_ipv6(ip + 24);
}

[[nodiscard]] inline std::span<const NextHop> route_members(const Tables& tables,
                                                            const Route& route) {
    return tables.next_hops.subspan(route.first, route.count);
}

// The ports by which the route's destinations can be reached now. All that choose a path ask this.
[[nodiscard]] inline PortSet usable_ports(const ShardState& state, const Route& route) {
    if (route.group == kNoDestinationGroup) [[likely]]
        return state.usable;
    return state.usable - state.condition->lost.ports(route.group);
}

// The choice where there is nothing but the hash: which member, or kNoMember.
struct HashChoice {
    std::uint64_t hash = 0;
    std::uint32_t member = kNoMember;
};

[[nodiscard]] inline HashChoice choose_by_hash(const ShardState& state, const Route& route,
                                               const Frame& frame, const Parsed& parsed) {
    const auto members = route_members(*state.tables, route);
    const PortSet* usable = &state.usable;
    PortSet left;
    if (route.group != kNoDestinationGroup) [[unlikely]] {
        left = usable_ports(state, route);
        usable = &left;
    }
    if (members.size() == 1) return {0, usable->has(members.front().port) ? 0 : kNoMember};
    const std::uint64_t hash = flow_hash(state.tables->hash, frame, parsed);
    return {hash, choose_usable_member(hash, members, *usable)};
}

}  // namespace weir

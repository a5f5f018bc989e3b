// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "dataplane/core/flow_hash.h"
#include "dataplane/core/parse.h"
#include "dataplane/core/shard_state.h"

namespace weir {

// IPv4 and IPv6 forwarding on a routed port: RFC 1812 section 5.2, RFC 8200.
void route_burst(ShardState& state, Time now, PortId in_port, std::span<Frame> burst,
                 std::span<const Parsed> parsed, Effects& out);

// Why a frame (no ARP, no neighbor discovery) may not be routed: its VLAN, MAC, protocol or
// addresses; kCount: it may.
[[nodiscard]] DropReason check_routable(const ShardState& state, PortId in_port, const Frame& frame,
                                        const Parsed& parsed);

// Index into Tables::routes for the destination in the frame's IP header; kNoRouteIndex when there
// is none.
[[nodiscard]] std::uint32_t find_route(const Tables& tables, const Frame& frame,
                                       const Parsed& parsed);

[[nodiscard]] IpAddress destination_of(const Frame& frame, const Parsed& parsed);

[[nodiscard]] inline std::span<const NextHop> route_members(const Tables& tables,
                                                            const Route& route) {
    return tables.next_hops.subspan(route.first, route.count);
}

// Which member of a next-hop set a frame goes through; kNoMember when none is usable.
struct PathChoice {
    std::uint64_t hash = 0;  // not computed (0) when there is nothing to choose
    std::uint32_t member = kNoMember;
};

[[nodiscard]] inline PathChoice choose_path(const ShardState& state, const Route& route,
                                            const Frame& frame, const Parsed& parsed) {
    const auto members = route_members(*state.tables, route);
    if (members.size() == 1) {
        return {0, state.ports_up.has(members.front().port) ? 0 : kNoMember};
    }
    const std::uint64_t hash = flow_hash(state.tables->hash, frame, parsed);
    return {hash, choose_usable_member(hash, members, state.ports_up)};
}

}  // namespace weir

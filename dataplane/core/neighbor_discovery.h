// SPDX-License-Identifier: BSD-3-Clause
// Neighbor discovery for IPv6: RFC 4861.
#pragma once

#include "dataplane/core/parse.h"
#include "dataplane/core/port_address.h"
#include "dataplane/core/shard_state.h"

namespace weir {

// ICMPv6 types 133 to 137: solicitations and advertisements of routers and neighbors, redirects.
[[nodiscard]] bool is_neighbor_discovery(const Frame& frame, const Parsed& parsed);

// Such a frame arrived on a routed port. Solicitations for one of the port's addresses are
// answered; who speaks to us is remembered; advertisements update those that are known.
void neighbor_discovery_heard(ShardState& state, Time now, Frame& frame, const Parsed& parsed,
                              Effects& out);

// Asks who has the neighbor's address: its solicited-node group, or the neighbor itself while its
// MAC is known. There must be room in out.own.
void send_neighbor_solicitation(const ShardState& state, const Neighbor& neighbor, Effects& out);

// ff02::1:ff00:0/104 and the last 24 bits of the address (RFC 4291 2.7.1).
[[nodiscard]] constexpr IpAddress solicited_node_of(const IpAddress& address) {
    return {0xff02'0000'0000'0000, 0x0000'0001'ff00'0000 | (address.low & 0xff'ffff)};
}

// 33-33 and the last 32 bits of the group (RFC 2464 section 7).
[[nodiscard]] constexpr MacAddress multicast_mac_of(const IpAddress& group) {
    return {0x3333'0000'0000 | (group.low & 0xffff'ffff)};
}

}  // namespace weir

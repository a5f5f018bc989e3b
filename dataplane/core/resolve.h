// SPDX-License-Identifier: BSD-3-Clause
// Address resolution, the same for ARP and neighbor discovery: RFC 4861 section 7.2 and 7.3.
#pragma once

#include "dataplane/core/shard_state.h"
#include "dataplane/core/wire.h"

namespace weir {

// RFC 4861 section 10: RETRANS_TIMER, MAX_MULTICAST_SOLICIT and MAX_UNICAST_SOLICIT,
// DELAY_FIRST_PROBE_TIME.
inline constexpr Interval kNeighborProbeInterval = Interval::seconds(1);
inline constexpr unsigned kNeighborProbesMax = 3;
inline constexpr Interval kNeighborDelay = Interval::seconds(5);

// Neighbors that one tick deals with: each at most one request and kPendingPerNeighborMax frames
// with an ICMP error each, so 8 x 5 fit into one Effects (kOwnMax = 64).
inline constexpr unsigned kNeighborsPerTick = 8;

// Lets `frame` (frame.out_port: the neighbor's port) wait for the neighbor in `slot` and asks for
// it if nobody has yet.
void wait_for_neighbor(ShardState& state, Time now, std::uint32_t slot, const Frame& frame,
                       Effects& out);

// The neighbor said who it is: takes the MAC, and sends what waited.
void neighbor_heard(ShardState& state, Time now, std::uint32_t slot, MacAddress mac, Effects& out);

// As above, but the neighbor may not know that we hear it: it is probed soon (RFC 4861 "STALE").
void neighbor_claimed(ShardState& state, Time now, std::uint32_t slot, MacAddress mac,
                      Effects& out);

// Whether the neighbor's MAC may be used and is `mac`.
[[nodiscard]] inline bool knows_mac(const Neighbor& neighbor, MacAddress mac) {
    return neighbor.resolved() && read_mac(neighbor.rewrite.data()) == mac;
}

// Somebody doubts what we know about a neighbor (not a static one): it is asked for with the next
// tick.
void probe_neighbor(ShardState& state, Time now, std::uint32_t slot);

// Asks again, expires, gives up. Cheap when nothing is due, bounded work per call: what is left
// stays due.
void tick_neighbors(ShardState& state, Time now, Effects& out);

// state.tables are new: binds gateways and static neighbors to slots, lets entries go whose port or
// subnet is gone.
void adopt_neighbors(ShardState& state, Time now, Effects& out);

// The port is up again, perhaps with somebody else behind it: asks for all its neighbors now.
// Those that are known stay in use meanwhile.
void probe_neighbors(ShardState& state, Time now, PortId port);

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstring>

#include "dataplane/core/shard_state.h"
#include "dataplane/core/wire.h"

namespace weir {

// Counts an IPv4 TTL (not 0) down by one. The checksum grows by as much in one's complement: TTL,
// protocol and checksum are one word here, TTL and the checksum's first byte the lower bytes of
// their halves. 0xffff becomes 0, which is what a new computation gives (RFC 1624 section 3).
inline void count_down_ttl_ipv4(std::uint8_t* ip) {
    const std::uint32_t before = load_32(ip + 8);
    std::uint32_t after = before + 0x0001'0000 - 1;
    if (before >= 0xfffe'0000) [[unlikely]]
        after += 0x0001'0000;
    std::memcpy(ip + 8, &after, sizeof after);
}

// Takes that back: for a frame that was counted down and goes through another port after all.
inline void count_up_ttl_ipv4(std::uint8_t* ip) {
    const std::uint32_t before = load_32(ip + 8);
    std::uint32_t after = before - 0x0001'0000 + 1;
    if (before < 0x0001'0000) [[unlikely]]
        after -= 0x0001'0000;
    std::memcpy(ip + 8, &after, sizeof after);
}

// Frames given to these are held (hold.h) or own; what is dropped here is released.

// Queues a frame whose header is final on frame.out_port (of this shard), or drops it.
void send(ShardState& state, const Frame& frame, Effects& out);

// The same for a frame that this switch made, or turned round in place: it leaves before all data.
void send_own(ShardState& state, Frame frame, Effects& out);

// Writes the neighbor's MACs into a routed frame, counts TTL down and queues it; or lets it wait
// for the neighbor; or drops it. frame.gateway and frame.out_port (of this shard) are set.
void send_routed(ShardState& state, Time now, Frame& frame, Effects& out);

// Gives a bridged frame the tag that its egress port (of this shard) wants, and queues or drops it.
void send_bridged(ShardState& state, Frame& frame, Effects& out);

// For frames whose egress ports have been chosen: each of the two above, or a hand-off when the
// port belongs to another shard.
void send_burst(ShardState& state, Time now, std::span<Frame> burst, Effects& out);

// For frames that came from another shard, perhaps under tables that were older than ours.
void send_handed_over(ShardState& state, Time now, std::span<const Frame> burst, Effects& out);

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
// Holding frames: from the moment the buffer admits a frame until the device has taken it or it is
// dropped, its bytes stand on the account of its priority group.
#pragma once

#include <array>

#include "dataplane/core/shard_state.h"

namespace weir {

// The bytes that stand on the group's account for a frame: its length as it arrived.
[[nodiscard]] inline Bytes held_bytes(const Frame& frame) {
    if ((frame.flags & frame_flags::kTagPushed) != 0) return frame.length - Bytes{4};
    if ((frame.flags & frame_flags::kTagPopped) != 0) return frame.length + Bytes{4};
    return frame.length;
}

// The frames of one burst, added up by priority.
struct PriorityBytes {
    std::array<std::uint32_t, kPriorities> bytes{};
    std::array<std::uint16_t, kPriorities> frames{};

    void add(Priority priority, std::uint32_t length) {
        bytes[priority] += length;
        ++frames[priority];
    }
    [[nodiscard]] Bytes total() const {
        Bytes sum = 0;
        for (const std::uint32_t part : bytes) sum += part;
        return sum;
    }
};

// Counts the frames that were received on a port, `roce` of them RoCEv2.
void count_received(PortCounters& counters, const PriorityBytes& sums, std::size_t roce);

// Holds a burst from one port at once, if all of it fits and nobody need be paused. False: nothing
// has changed.
[[nodiscard]] bool hold_freely(ShardState& state, PortId in_port, const PriorityBytes& sums);

// Takes what has been sent within Buffer::free_room() on the accounts of its groups.
void take_freely(ShardState& state, PortId in_port, const PriorityBytes& sums);

// Takes `copies` times the frame's bytes on the account of its group (of this shard) and pauses the
// sender if need be. False: it has been dropped.
[[nodiscard]] bool hold(ShardState& state, const Frame& frame, unsigned copies, Effects& out);

// hold() of each frame of a burst from one port. Those that were dropped are taken out of the
// burst: how many are left.
[[nodiscard]] std::size_t hold_burst(ShardState& state, PortId in_port, std::span<Frame> burst,
                                     Effects& out);

// Takes the bytes of frames that left `out_port` off their accounts and counts them as sent; how
// many bytes it were.
Bytes release_sent(ShardState& state, PortId out_port, std::span<const Frame> frames);

// Takes a frame's bytes off the account; the sender is resumed if that made room enough. Frames of
// other shards' ports are settled by take_releases() over there.
void release(ShardState& state, const Frame& frame);

// Releases what other shards have let go of our groups' frames. One acquire load per shard when
// there is nothing.
void take_releases(ShardState& state);

// What the shard's groups hold, less what other shards have let go of and it has not taken yet:
// exact while no shard of the switch is at work.
struct HeldNow {
    Bytes bytes = 0;
    std::uint64_t frames = 0;
};
[[nodiscard]] HeldNow held_now(const ShardState& state);

// Drops a frame that is held (or an own one) and was to leave by `port`.
void drop_held(ShardState& state, PortId port, DropReason reason, const Frame& frame, Effects& out);

}  // namespace weir

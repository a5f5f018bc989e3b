// SPDX-License-Identifier: BSD-3-Clause
// Holding frames: from the moment the buffer admits a frame until the device has taken it or it is
// dropped, its bytes stand on the account of its priority group.
#pragma once

#include "dataplane/core/shard_state.h"

namespace weir {

// The bytes that stand on the group's account for a frame: its length as it arrived.
[[nodiscard]] inline Bytes held_bytes(const Frame& frame) {
    if ((frame.flags & frame_flags::kTagPushed) != 0) return frame.length - Bytes{4};
    if ((frame.flags & frame_flags::kTagPopped) != 0) return frame.length + Bytes{4};
    return frame.length;
}

// Takes `copies` times the frame's bytes on the account of its group (of this shard) and pauses the
// sender if need be. False: it has been dropped.
[[nodiscard]] bool hold(ShardState& state, const Frame& frame, unsigned copies, Effects& out);

// Takes a frame's bytes off the account; the sender is resumed if that made room enough. Frames of
// other shards' ports are settled by take_releases() over there.
void release(ShardState& state, const Frame& frame);

// Releases what other shards have let go of our groups' bytes.
void take_releases(ShardState& state);

// Drops a frame that is held (or an own one).
void drop_held(ShardState& state, PortId port, DropReason reason, const Frame& frame, Effects& out);

}  // namespace weir

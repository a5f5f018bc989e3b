// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dataplane/core/shard_state.h"

namespace weir {

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

// The one of the two above that frame.gateway names, or a hand-off when the port belongs to another
// shard.
void send_held(ShardState& state, Time now, Frame& frame, Effects& out);

// For a frame whose way has been chosen: admits it to the buffer and sends it on.
void hold_and_send(ShardState& state, Time now, Frame& frame, Effects& out);

}  // namespace weir

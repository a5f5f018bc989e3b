// SPDX-License-Identifier: BSD-3-Clause
// The short way of plain RoCEv2 frames whose flow the router has seen before: the same steps with
// the same results as the long way, in one loop.
#pragma once

#include <span>

#include "dataplane/core/shard_state.h"

namespace weir {

// Sends the frames at the front of a burst from a routed port, up to the first that must go the
// long way. How many.
[[nodiscard]] std::size_t fast_lane(ShardState& state, Time now, PortId in_port,
                                    std::span<Frame> burst, Effects& out);

// Remembers what the router has decided for `frame`, if it is plain RoCEv2 and its neighbor is
// known. Call it before the frame is sent.
void remember_flow(ShardState& state, const Frame& frame);

// The entry that it would make, or false.
[[nodiscard]] bool make_flow_entry(ShardState& state, const Frame& frame, FlowEntry& entry);

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dataplane/core/shard_state.h"

namespace weir {

// Local reroute: frames that wait in the queues of ports that are no longer usable go to the paths
// that their flows have now, oldest first, before any frame that arrives later. They stay on their
// groups' accounts. Those with no path left are dropped (NoUsableNextHop). Bridged and own frames,
// and those for hosts of the port's own subnet, are not moved.
//
// True: `out` is full and more are left; to be called again when it was emptied.
[[nodiscard]] bool reroute_queued(ShardState& state, Time now, Effects& out);

// Whether choose_again() may be asked: frames to the neighbor itself leave by its port or not at
// all.
[[nodiscard]] inline bool may_move(const Frame& frame) {
    return frame.gateway != kNoGateway && frame.gateway != kGatewayIsDestination;
}

// Chooses gateway and egress port anew for a frame that may move. False: there is no path; the
// frame is as it was.
[[nodiscard]] bool choose_again(ShardState& state, Time now, Frame& frame);

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
// Make before break: a way that is usable again takes new flows at once, and a flow that goes on by
// another only when it pauses, so that nothing is reordered within it.
//
// Nothing is kept of flows for this while all is well. When a way comes back, flows are tracked
// (FlowUse) for a while, as they are for plans and flowlets: what they are remembered by tells
// where they went before.
#pragma once

#include "dataplane/core/shard_state.h"

namespace weir {

// Flows that have not paused by then move all the same.
inline constexpr Interval kReturningMax = Interval::seconds(10);

// What the condition says now of ways that were lost: `usable` is what was so far.
void see_returns(ShardState& state, Time now, const PortSet& usable_before);

// Flows are tracked from now on if the tables want it, or ways have come back a moment ago.
// `plan_before`: of the tables so far.
void adopt_tracking(ShardState& state, Time now, bool tracked_before, std::uint32_t plan_before);

// The end of kReturningMax. True: every flow is to be looked at anew.
[[nodiscard]] bool end_returning(ShardState& state, Time now);

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/returning.h"

namespace weir {

namespace {

void begin(ShardState& state, Time now) {
    if (state.tables->return_gap <= Interval{}) return;
    if (!state.tracks_flows) state.flows.begin_uses(now, state.tables->plan, state.returns);
    state.tracks_flows = true;
    state.returning = true;
    state.returning_until = now + kReturningMax;
    ++state.returns;
}

}  // namespace

void see_returns(ShardState& state, Time now, const PortSet& usable_before) {
    const PortSet back = (state.usable - usable_before) & state.usable_ever;
    state.usable_ever = state.usable_ever | state.usable;
    const std::uint32_t returns = state.condition->returns();
    const bool destinations = returns != state.seen_returns;
    state.seen_returns = returns;
    if (destinations || !back.empty()) begin(state, now);
}

void adopt_tracking(ShardState& state, Time now, bool tracked_before, std::uint32_t plan_before) {
    const bool tracks = state.tables->tracks_flows || state.returning;
    // Who knows when the flows so far were seen.
    if (tracks && !tracked_before) state.flows.begin_uses(now, plan_before, state.returns);
    state.tracks_flows = tracks;
}

bool end_returning(ShardState& state, Time now) {
    if (!state.returning || now < state.returning_until) return false;
    state.returning = false;
    state.tracks_flows = state.tables->tracks_flows;
    return true;
}

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
// Deadlock prevention: routed frames that enter by an uplink and leave by an uplink (hooks) change
// to another lossless priority, and at the second hook to a lossy one.
//
// A hook's egress queue is that of the new priority, so that the next switch pauses the hooks
// alone. Its bytes stay on the account of the priority it arrived in: that is what the peer sends
// in and what a pause must name. Both are the rule of Tagger (Hu et al., CoNEXT 2017), which shows
// that buffers then wait for one another in one direction only: normal, hooked once, lossy.
#pragma once

#include <span>

#include "dataplane/core/frame.h"
#include "dataplane/core/tables.h"
#include "dataplane/core/time.h"

namespace weir {

struct ShardState;
struct Effects;

// Which hook it is that a frame makes on its way from one port to another.
enum class Hook : std::uint8_t { None, First, Second };

[[nodiscard]] inline Hook hook_of(const HookTable& table, const Frame& frame, std::uint8_t dscp) {
    if (!table.uplinks.has(frame.in_port) || !table.uplinks.has(frame.out_port)) return Hook::None;
    if (table.second[dscp].moves) return Hook::Second;
    return table.first[frame.priority].moves ? Hook::First : Hook::None;
}

// Moves the hooks of a burst that arrived by an uplink; ports and priorities are set, nothing is
// held yet. An event once a second.
void move_hooks(ShardState& state, Time now, std::span<Frame> burst, Effects& out);

}  // namespace weir

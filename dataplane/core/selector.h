// SPDX-License-Identifier: BSD-3-Clause
// What the selectors have in common. Each is one function that says which member of a next-hop set
// a frame's flow goes through, kNoMember when none is usable; none of them changes anything.
#pragma once

#include <cstdint>
#include <span>

#include "dataplane/core/flow_hash.h"
#include "dataplane/core/shard_state.h"
#include "dataplane/core/tables.h"

namespace weir {

struct Candidates {
    std::span<const NextHop> members;
    PortSet usable;
    std::uint64_t hash = 0;  // of the flow, with the switch's seed
};

// The same member for every frame of a flow.
[[nodiscard]] inline std::uint32_t select_hash(const Candidates& among) {
    return choose_usable_member(among.hash, among.members, among.usable);
}

// Drawn anew for each flowlet: by flow and instant, so that a run can be repeated. A flowlet is
// what a flow sends between two pauses of Tables::flowlet_gap; if that is longer than paths differ
// in delay, nothing is reordered (Vanini et al., NSDI 2017).
[[nodiscard]] std::uint32_t select_flowlet(const ShardState& state, Time now,
                                           const Candidates& among);

// Each frame takes the member behind the last one's: the most even load, and the most reordering.
[[nodiscard]] std::uint32_t select_spray(const ShardState& state, Time now,
                                         const Candidates& among);

// For each flowlet the member whose port would be done first (port_load.h); among equals the one
// that the hash names.
[[nodiscard]] std::uint32_t select_adaptive(const ShardState& state, Time now,
                                            const Candidates& among);

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
// How long a worker may take from a frame's arrival to the pause that it causes: what the headroom
// `auto` has to cover. Measured at the start, on the workers' cores.
#pragma once

#include "config/buffer_plan.h"
#include "dataplane/core/limits.h"
#include "dataplane/run/clock.h"

namespace weir {

// How long the cores are watched: five ticks of a kernel with 250 Hz.
inline constexpr Interval kReactionSpan = Interval::milliseconds(20);
// A frame's share of a full turn, in and out. The slowest way through (bridged, with PFC and ECN)
// is 412 instructions and has been seen at 150 ns.
inline constexpr Interval kFrameCost = Interval::nanoseconds(250);
// Not less, however still the core was: what is rarer than the span has not been seen.
inline constexpr Interval kReactionMin = Interval::microseconds(10);

// The longest time between two looks at the clock of a thread that does nothing else for `span`:
// interrupts, and other programs on the same core.
[[nodiscard]] Interval longest_absence(const Clock& clock, Interval span);

// Twice the longest absence, and a turn in which each of the worker's `ports` has a full burst; 10
// us at least. More than the default is not answered by more headroom, which memory has no room
// for, but by the default: such a core is not a worker's own.
[[nodiscard]] constexpr Interval reaction_of(Interval absence, unsigned ports) {
    const Interval turn = kFrameCost * (ports * kBurstMax);
    const Interval measured = absence * 2 + turn;
    if (measured < kReactionMin) return kReactionMin;
    return measured < kReactionDefault ? measured : kReactionDefault;
}

}  // namespace weir

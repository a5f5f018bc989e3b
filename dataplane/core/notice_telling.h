// SPDX-License-Identifier: BSD-3-Clause
// Telling peers what is lost here: at once, again, and again and again while it lasts.
#pragma once

#include "dataplane/core/notices.h"

namespace weir {

// Begins to tell `ports` the state of `groups`, beside what is being told already.
void start_telling(Notices& notices, const GroupSet& groups, const PortSet& ports, bool news);

// Something has changed (Notices::recent): tells all peers now, and sets the repetitions.
void announce(ShardState& state, Time now);

// Repetitions and refreshes that are due.
void say_again(ShardState& state, Time now);

// Writes notices until `out` is full; the rest with the next tick.
void go_on_telling(ShardState& state, Time now, Effects& out);

// When say_again() or go_on_telling() has something to do.
[[nodiscard]] Time next_telling(const Notices& notices, Time now);

}  // namespace weir

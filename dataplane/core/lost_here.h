// SPDX-License-Identifier: BSD-3-Clause
// The destinations that this switch has no usable path to.
#pragma once

#include "dataplane/core/notices.h"

namespace weir {

// Every destination is looked at anew.
void touch_all(ShardState& state);

// Whether links, or what peers say, have changed since look_at_losses().
[[nodiscard]] bool may_have_lost(const ShardState& state);

// Looks at the destinations behind ports whose usability changed, and at those touched. What was
// lost or is back starts a telling.
void look_at_losses(ShardState& state, Time now, Effects& out);

}  // namespace weir

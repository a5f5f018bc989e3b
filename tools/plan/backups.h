// SPDX-License-Identifier: BSD-3-Clause
// Where flows go when a link or a switch fails: chosen so that all flows that move together spread
// over what is left as evenly as their primary ways did before.
#pragma once

#include <span>
#include <vector>

#include "tools/plan/flow.h"
#include "tools/plan/tiers.h"

namespace weir::plan {

// `primary` of each flow is given; flows in order of (job, phase).
[[nodiscard]] std::vector<Ways> plan_backups(const Tiers& tiers, std::span<const Flow> flows,
                                             std::vector<Way> primary);

}  // namespace weir::plan

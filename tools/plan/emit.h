// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "tools/plan/names.h"
#include "tools/plan/plan_file.h"
#include "tools/plan/tiers.h"

namespace weir::plan {

// The tables of all switches, by switch. A switch that has one port towards a leaf needs no rule.
[[nodiscard]] std::vector<PlanFile> plan_files(const Input& input, const Tiers& tiers,
                                               std::span<const Flow> flows,
                                               std::span<const Ways> ways);

}  // namespace weir::plan

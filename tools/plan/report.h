// SPDX-License-Identifier: BSD-3-Clause
// What a plan is worth, for people and for programs.
#pragma once

#include <string>

#include "tools/plan/planner.h"

namespace weir::plan {

[[nodiscard]] std::string summary_text(const Input& input, const Tiers& tiers, const Plan& plan);
[[nodiscard]] std::string report_markdown(const Input& input, const Tiers& tiers, const Plan& plan);
// Loads are shares of a link's rate; names of a failure are those of its link's ends, or a switch.
[[nodiscard]] std::string report_json(const Input& input, const Tiers& tiers, const Plan& plan);

}  // namespace weir::plan

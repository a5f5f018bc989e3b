// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/problem.h"
#include "tools/plan/path_tables.h"
#include "tools/plan/tiers.h"

namespace weir::plan {

struct CheckResult {
    std::size_t rules = 0;
    std::size_t flows = 0;
    std::size_t dependencies = 0;
};

// Follows each flow that has a rule through the tables: by its primaries, by every backup, and by
// the routes that the hash falls back to. Loops, rules that no flow comes by, and circles of buffer
// dependencies (per lossless priority, with the moves of `hook_moves`) become problems.
CheckResult check_tables(const Input& input, const Tiers& tiers, const PathTables& tables,
                         Problems& problems);

}  // namespace weir::plan

// SPDX-License-Identifier: BSD-3-Clause
// From an input to a plan.
#pragma once

#include <vector>

#include "tools/plan/failures.h"
#include "tools/plan/loads.h"
#include "tools/plan/path_tables.h"
#include "tools/plan/plan_file.h"

namespace weir::plan {

struct Plan {
    std::vector<Flow> flows;
    std::vector<Ways> ways;
    Loads loads;
    LoadSummary summary;
    double bound = 0;  // no plan's fullest link carries less, load over rate
    std::vector<Failure> failures;
    std::vector<PlanFile> files;  // by switch
    std::size_t running = 0;      // flows that the old plan had
    std::size_t moved = 0;        // of them, flows with another way than before
    std::size_t without_way = 0;  // the fabric does not join their hosts
};

// `old` has the tables of the plan that is in use; null: there is none.
[[nodiscard]] Plan make_plan(const Input& input, const Tiers& tiers, const PathTables* old);

}  // namespace weir::plan

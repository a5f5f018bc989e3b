// SPDX-License-Identifier: BSD-3-Clause
// Jobs whose phases meet in any order: each job gets some links of every leaf for itself, the same
// everywhere, and each of its phases is coloured with these alone. As many as its fullest leaf has
// flows in its fullest phase are enough for load 1 (Koenig), half as many for load 2, and so on.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tools/plan/tiers.h"

namespace weir::plan {

// First and number of the links that a job has for itself.
struct Reserved {
    unsigned first = 0;
    unsigned count = 0;
};

// By job, given the largest number of flows that one leaf has in one of its phases; for the
// smallest load with which `links` suffice. Empty: never, there are more jobs than links.
[[nodiscard]] std::vector<Reserved> reserve_links(std::span<const unsigned> flows_max,
                                                  unsigned links);

// Parallel links between each leaf and each spine, if they are as many everywhere; else 0.
[[nodiscard]] unsigned parallel_everywhere(const Tiers& tiers);

}  // namespace weir::plan

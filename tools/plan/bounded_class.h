// SPDX-License-Identifier: BSD-3-Clause
// One class of a bipartite multigraph's edges, with a bound on how many each vertex gives.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tools/plan/bipartite.h"

namespace weir::plan {

// At least `low` and at most `high` edges.
struct Bounds {
    std::uint32_t low = 0;
    std::uint32_t high = 0;
};

struct ClassBounds {
    std::vector<Bounds> left;
    std::vector<Bounds> right;
    std::vector<Bounds> left_parents;  // of all edges of a parent's vertices; empty: no parents
    std::vector<Bounds> right_parents;
};

// Which of the edges `among` are in the class; empty if no class keeps the bounds. Exact: a
// maximum flow in which every bounded set is an arc (Dinic).
[[nodiscard]] std::vector<bool> bounded_class(const Bipartite& graph,
                                              std::span<const std::uint32_t> among,
                                              const ClassBounds& bounds);

}  // namespace weir::plan

// SPDX-License-Identifier: BSD-3-Clause
// Spreads the edges of a bipartite multigraph over colours so that every vertex with d edges has
// floor(d / colours) or ceil(d / colours) of each. That such a colouring exists for any number of
// colours follows from Koenig's theorem (de Werra 1971); no assignment of whole flows has a smaller
// fullest link. Parents of vertices are spread alike (their sets nest, so the constraints stay
// totally unimodular).
//
// Method: an even number of colours splits the edges into two halves along trails that alternate
// between partners at a vertex; an odd one takes out one class first (bounded_class.h). Costs
// O(edges log colours), and a maximum flow per odd number on the way down.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/plan/bipartite.h"

namespace weir::plan {

// The colour of each edge. Partners are taken in the order of the edges: where flows have unequal
// rates, edges sorted by rate are spread by rate as well, to within the largest.
[[nodiscard]] std::vector<std::uint32_t> equitable_colours(const Bipartite& graph,
                                                           unsigned colours);

}  // namespace weir::plan

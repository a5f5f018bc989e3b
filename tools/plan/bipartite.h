// SPDX-License-Identifier: BSD-3-Clause
// Flows as edges between where they leave a tier of switches and where they come back to it.
#pragma once

#include <cstdint>
#include <vector>

namespace weir::plan {

struct Bipartite {
    struct Edge {
        std::uint32_t left = 0;
        std::uint32_t right = 0;
    };
    unsigned lefts = 0;
    unsigned rights = 0;
    std::vector<Edge> edges{};
    // Vertices may be members of a larger set, whose edges are to be spread as well (the edge
    // switches of a pod); empty: they are not.
    std::vector<std::uint32_t> left_parent{};
    std::vector<std::uint32_t> right_parent{};
    unsigned parents = 0;  // of each side
};

}  // namespace weir::plan

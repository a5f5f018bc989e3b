// SPDX-License-Identifier: BSD-3-Clause
// Which of the switches above carries which flow, for one stage of a fabric.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tools/plan/bipartite.h"
#include "tools/plan/dealer.h"

namespace weir::plan {

struct ColourQuestion {
    Bipartite graph;                   // edges by falling rate
    std::vector<std::uint64_t> rates;  // of the edges
    std::vector<std::uint32_t> kept;   // colours of running flows, kNone of new ones; or empty
    std::vector<Hop> kept_up;          // the links that these use, at their left ends
    std::vector<Hop> kept_down;        // and at their right ends
    unsigned colours = 0;
    bool uniform = true;   // all colours have equal links, and nothing is on them
    bool thrifty = false;  // first where the job has been in other phases
    // The links of a vertex by a colour; `up`: of a left vertex, away from it.
    std::function<const std::vector<Hop>&(std::uint32_t vertex, unsigned colour, bool up)> links;
};

[[nodiscard]] std::vector<std::uint32_t> choose_colours(const ColourQuestion& question,
                                                        const Dealer& dealer);

}  // namespace weir::plan

// SPDX-License-Identifier: BSD-3-Clause
// Gives each flow its way.
#pragma once

#include <span>
#include <vector>

#include "tools/plan/flow.h"
#include "tools/plan/tiers.h"

namespace weir::plan {

// The primary ways of flows in order of (job, phase). `kept` has the ways of flows that are running
// (empty ones: new flows); those stay where they are unless the fullest link would suffer.
//
// Two tiers: the spines are colours of an equitable edge colouring of the graph of leaves, so every
// link of a leaf carries floor or ceil of its even share. Three tiers: the same for planes, and
// then in each plane for cores. Where links differ, or some flows are fixed, flows are put in one
// by one and make room for each other (rooms.h), with the lower bound as the first aim. Fabrics of
// another kind: shortest ways, each flow where it is least felt, and then improved.
[[nodiscard]] std::vector<Way> assign_ways(const Tiers& tiers, std::span<const Flow> flows,
                                           std::span<const Way> kept);

}  // namespace weir::plan

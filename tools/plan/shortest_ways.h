// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tools/plan/dealer.h"
#include "tools/plan/tiers.h"

namespace weir::plan {

// In a fabric without tiers: each flow by the shortest way whose fullest link is the least full,
// and then flows leave the fullest links as long as that makes them less full.
void assign_shortest_ways(const Tiers& tiers, std::span<const Flow> flows,
                          std::span<const std::uint32_t> which, Dealer& dealer,
                          std::vector<Way>& ways);

// One flow's, as the loads are; empty when there is none.
[[nodiscard]] Way shortest_way(const Tiers& tiers, const Flow& flow, const Dealer& dealer);

}  // namespace weir::plan

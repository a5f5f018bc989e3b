// SPDX-License-Identifier: BSD-3-Clause
#include "tools/plan/reserved_links.h"

#include <algorithm>

namespace weir::plan {

std::vector<Reserved> reserve_links(std::span<const unsigned> flows_max, unsigned links) {
    if (flows_max.empty() || flows_max.size() > links) return {};
    const unsigned most = *std::max_element(flows_max.begin(), flows_max.end());
    for (unsigned load = 1; load <= std::max(most, 1u); ++load) {
        std::vector<Reserved> out;
        unsigned next = 0;
        for (const unsigned flows : flows_max) {
            out.push_back({next, std::max((flows + load - 1) / load, 1u)});
            next += out.back().count;
        }
        if (next <= links) return out;
    }
    return {};
}

unsigned parallel_everywhere(const Tiers& tiers) {
    if (tiers.kind() != Tiers::Kind::Two || !tiers.leaves().uniform) return 0;
    const Stage& stage = tiers.leaves();
    const std::size_t links = tiers.bundle(stage.lower.front(), stage.upper.front()).size();
    const bool equal = std::all_of(stage.lower.begin(), stage.lower.end(), [&](NodeId leaf) {
        return tiers.bundle(leaf, stage.upper.front()).size() == links;
    });
    return equal ? static_cast<unsigned>(links) : 0;
}

}  // namespace weir::plan

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "config/yaml_value.h"
#include "tools/roce/collective.h"

namespace weir::lab {

// A word of a fixed list.
template <typename T, std::size_t N, typename Target>
void read_word(const Value& value, const std::array<std::pair<std::string_view, T>, N>& words,
               Target& target) {
    if (!value.expect_scalar()) return;
    std::string known;
    for (const auto& [word, meaning] : words) {
        if (value.text() == word) {
            target = meaning;
            return;
        }
        known += (known.empty() ? "" : ", ") + std::string(word);
    }
    value.problem("'" + std::string(value.text()) + "' is unknown; write one of " + known);
}

inline constexpr std::array<std::pair<std::string_view, roce::Pattern>, 7> kPatternWords{{
    {"ring_allreduce", roce::Pattern::RingAllReduce},
    {"halving_doubling_allreduce", roce::Pattern::HalvingDoublingAllReduce},
    {"all_to_all", roce::Pattern::AllToAll},
    {"all_to_all_pairwise", roce::Pattern::AllToAllPairwise},
    {"incast", roce::Pattern::Incast},
    {"permutation", roce::Pattern::Permutation},
    {"shift", roce::Pattern::Shift},
}};

}  // namespace weir::lab

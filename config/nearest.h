// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace weir {

// Letters to insert, remove, replace or swap with their neighbor to make one word of the other.
[[nodiscard]] unsigned edit_distance(std::string_view a, std::string_view b);

// The known word that was most likely meant; empty when none is near.
[[nodiscard]] std::string_view nearest_word(std::string_view word,
                                            std::span<const std::string_view> known);

// "did you mean 'speed'?", or "known here: name, device, speed" when nothing is near.
[[nodiscard]] std::string suggestion(std::string_view word,
                                     std::span<const std::string_view> known);

}  // namespace weir

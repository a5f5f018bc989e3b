// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace weir {

// Odd constants with about as many ones as zeros (fractions of pi, as in "nothing up my sleeve").
inline constexpr std::uint64_t kMixA = 0x243f'6a88'85a3'08d3;
inline constexpr std::uint64_t kMixB = 0x1319'8a2e'0370'7345;
inline constexpr std::uint64_t kMixC = 0xa409'3822'299f'31d1;

// Folds the 128-bit product: every bit of both words reaches every bit of the result's middle.
[[nodiscard]] inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
    __extension__ using Product = unsigned __int128;
    const Product product = static_cast<Product>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// Each bit of the argument changes each bit of the result with probability one half (the finaliser
// of SplitMix64: Steele, Lea, Flood, OOPSLA 2014). One mix() is not enough for that: consecutive
// ports would fall on links in turn, and differently seeded switches would still choose alike.
[[nodiscard]] constexpr std::uint64_t avalanche(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58'476d'1ce4'e5b9;
    z = (z ^ (z >> 27)) * 0x94d0'49bb'1331'11eb;
    return z ^ (z >> 31);
}

}  // namespace weir

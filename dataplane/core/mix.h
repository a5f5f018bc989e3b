// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace weir {

// A bijection of 64-bit numbers that spreads every input bit over all output bits: the finaliser of
// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014). Not a defence against whoever chooses the input.
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58'476d'1ce4'e5b9;
    x = (x ^ (x >> 27)) * 0x94d0'49bb'1331'11eb;
    return x ^ (x >> 31);
}

}  // namespace weir

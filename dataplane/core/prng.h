// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace weir {

// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): seeded, integer, owned by whoever draws.
class Prng {
  public:
    explicit constexpr Prng(std::uint64_t seed = 0) : state_(seed) {}

    [[nodiscard]] constexpr std::uint64_t next() {
        state_ += 0x9e37'79b9'7f4a'7c15;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xbf58'476d'1ce4'e5b9;
        z = (z ^ (z >> 27)) * 0x94d0'49bb'1331'11eb;
        return z ^ (z >> 31);
    }
    // Uniform in [0, bound); the bias is below bound / 2^32.
    [[nodiscard]] constexpr std::uint32_t below(std::uint32_t bound) {
        return static_cast<std::uint32_t>(((next() >> 32) * bound) >> 32);
    }

  private:
    std::uint64_t state_;
};

}  // namespace weir

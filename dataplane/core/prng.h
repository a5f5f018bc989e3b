// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "dataplane/core/mix.h"

namespace weir {

// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): seeded, integer, owned by whoever draws.
class Prng {
  public:
    explicit constexpr Prng(std::uint64_t seed = 0) : state_(seed) {}

    [[nodiscard]] constexpr std::uint64_t next() {
        state_ += 0x9e37'79b9'7f4a'7c15;
        return avalanche(state_);
    }
    // Uniform in [0, bound); the bias is below bound / 2^32.
    [[nodiscard]] constexpr std::uint32_t below(std::uint32_t bound) {
        return static_cast<std::uint32_t>(((next() >> 32) * bound) >> 32);
    }

  private:
    std::uint64_t state_;
};

}  // namespace weir

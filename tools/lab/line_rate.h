// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "dataplane/core/time.h"
#include "dataplane/core/types.h"

namespace weir::lab {

// How long bytes take on a link. Never rounded to nanoseconds: at 100 Gb/s a frame of 1,048 B takes
// 83,840 ps, and simulators that make 83 ns of it run 1 % too fast.
class LineRate {
  public:
    explicit constexpr LineRate(std::uint64_t bps = 100'000'000'000)
        : bps_(bps), ps_per_byte_(kByteAtOneBps % bps == 0 ? kByteAtOneBps / bps : 0) {}

    [[nodiscard]] constexpr Interval serialise(Bytes bytes) const {
        // Rates at which a byte is no whole number of picoseconds (3.3 Gb/s) round up once per
        // frame. 8 * 10^12 ps * 10^6 B fit into 63 bits.
        const std::uint64_t ps =
            ps_per_byte_ != 0 ? bytes * ps_per_byte_ : (bytes * kByteAtOneBps + bps_ - 1) / bps_;
        return {static_cast<std::int64_t>(ps)};
    }
    [[nodiscard]] constexpr std::uint64_t bps() const { return bps_; }

  private:
    static constexpr std::uint64_t kByteAtOneBps = 8'000'000'000'000;  // ps

    std::uint64_t bps_;
    std::uint64_t ps_per_byte_;  // 0: no whole number
};

}  // namespace weir::lab

// SPDX-License-Identifier: BSD-3-Clause
// The only clock read of the switch: the CPU's cycle counter, scaled to picoseconds.
#pragma once

#include <cstdint>

#include <rte_cycles.h>

#include "dataplane/core/time.h"

namespace weir {

// Cycles to picoseconds by one 64 x 64 -> 128 bit multiplication. The factor is in units of 2^-32
// ps: at 2 GHz it has 41 bits, so its rounding is below 1 part in 10^12 (86 ns a day).
class CycleScale {
  public:
    CycleScale(std::uint64_t cycles, std::uint64_t picoseconds)
        : factor_(static_cast<std::uint64_t>((Wide{picoseconds} << 32) / cycles)) {}

    // Wraps as Time does: the product's upper bits fall off.
    [[nodiscard]] std::uint64_t picoseconds(std::uint64_t cycles) const {
        return static_cast<std::uint64_t>((Wide{cycles} * factor_) >> 32);
    }

  private:
    __extension__ using Wide = unsigned __int128;
    std::uint64_t factor_;
};

class Clock {
  public:
    // Measures the counter's rate against the kernel's raw monotonic clock, which takes 20 ms. (EAL
    // knows a rate too, rounded to 10 MHz: 0.2 % off for 2096 MHz.)
    Clock();

    [[nodiscard]] Time now() const {
        return {scale_.picoseconds(rte_get_tsc_cycles() - base_cycles_)};
    }

    // Nanoseconds since 1970 of an instant that is at most 106 days from now.
    [[nodiscard]] std::uint64_t wall_nanoseconds(Time at) const;

  private:
    struct Reading {
        std::uint64_t cycles = 0;
        std::uint64_t nanoseconds = 0;
    };
    [[nodiscard]] static Reading read_together();
    [[nodiscard]] static CycleScale calibrate(const Reading& first);

    Reading first_;
    CycleScale scale_;
    std::uint64_t base_cycles_;
};

}  // namespace weir

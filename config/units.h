// SPDX-License-Identifier: BSD-3-Clause
// Quantities with their unit as written in a file or on the console. Exact: what is not a whole
// number of the smallest unit, or too large for 64 bits, is refused.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "config/reading.h"
#include "dataplane/core/time.h"
#include "dataplane/core/types.h"

namespace weir {

struct BitRate {
    std::uint64_t bps = 0;
    friend constexpr auto operator<=>(BitRate, BitRate) = default;
};

struct Length {
    std::uint64_t mm = 0;
    friend constexpr auto operator<=>(Length, Length) = default;
};

// A share of all cases, 0 to 1, in millionths, so that 0.0001 % is exact.
struct Probability {
    std::uint32_t millionths = 0;
    friend constexpr auto operator<=>(Probability, Probability) = default;
};

// "25G", "2.5G", "100M": bits per second, decimal (K M G T).
[[nodiscard]] Reading<BitRate> parse_rate(std::string_view text);
// "400KB" (decimal: B KB MB GB), "16MiB" (binary: KiB MiB GiB).
[[nodiscard]] Reading<Bytes> parse_bytes(std::string_view text);
// "100us" (ps ns us ms s). Never minutes: "5m" is five metres.
[[nodiscard]] Reading<Interval> parse_interval(std::string_view text);
// "5m" (m km): the length of a cable.
[[nodiscard]] Reading<Length> parse_length(std::string_view text);
// "5%", "0.1%": at most 100%.
[[nodiscard]] Reading<Probability> parse_probability(std::string_view text);
// A plain whole number, `first`..`last`.
[[nodiscard]] Reading<std::uint64_t> parse_number(std::string_view text, std::uint64_t first,
                                                  std::uint64_t last);

// Text that is read back as the same value: in the largest unit that needs no fraction.
[[nodiscard]] std::string format_rate(BitRate rate);
[[nodiscard]] std::string format_bytes(Bytes bytes);
[[nodiscard]] std::string format_interval(Interval interval);
[[nodiscard]] std::string format_length(Length length);
[[nodiscard]] std::string format_probability(Probability probability);

}  // namespace weir

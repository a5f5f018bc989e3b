// SPDX-License-Identifier: BSD-3-Clause
// Flow sizes drawn from a published distribution, and exponential gaps between arrivals. Integer
// arithmetic: a seed gives the same flows everywhere.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "dataplane/core/prng.h"
#include "dataplane/core/time.h"

namespace weir::roce {

struct FlowSizePoint {
    std::uint64_t bytes = 0;
    std::uint32_t cumulative_ppm = 0;  // flows of at most `bytes`, in millionths

    bool operator==(const FlowSizePoint&) const = default;
};

// A cumulative distribution, linear between its points.
struct FlowSizes {
    std::vector<FlowSizePoint> points{};

    [[nodiscard]] std::uint64_t draw(Prng& prng) const;
    [[nodiscard]] std::uint64_t mean_bytes() const;
    // Empty text: points ascend, from 0 to 1,000,000 ppm. Otherwise what is wrong.
    [[nodiscard]] const char* problem() const;
};

// "websearch" (Alizadeh et al., DCTCP, SIGCOMM 2010) or "hadoop" (Roy et al., SIGCOMM 2015), as
// HPCC's traffic generator has them; no points for another name.
FlowSizes flow_sizes_named(std::string_view name);

// -mean * ln(u) for a uniform u in (0, 1].
Interval exponential_gap(Interval mean, Prng& prng);

}  // namespace weir::roce

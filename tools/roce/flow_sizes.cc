// SPDX-License-Identifier: BSD-3-Clause
#include "tools/roce/flow_sizes.h"

#include <algorithm>
#include <bit>

namespace weir::roce {
namespace {

constexpr std::uint32_t kAllPpm = 1'000'000;
// Draws are finer than the millionths of the table, by 2^12.
constexpr unsigned kFineBits = 12;

// log2(x) for x > 0, as a fraction of 2^32: the exponent, then a bit of the mantissa's logarithm
// for each squaring.
std::uint64_t log2_fixed(std::uint64_t x) {
    const auto zeros = static_cast<unsigned>(std::countl_zero(x | 1));
    std::uint64_t mantissa = x << zeros >> 32;  // of 2^31: 1 to 2
    std::uint64_t log = std::uint64_t{63 - zeros} << 32;
    for (unsigned bit = 32; bit-- > 0;) {
        mantissa = mantissa * mantissa >> 31;
        if (mantissa >> 32 != 0) {
            mantissa >>= 1;
            log |= std::uint64_t{1} << bit;
        }
    }
    return log;
}

}  // namespace

std::uint64_t FlowSizes::draw(Prng& prng) const {
    const std::uint64_t fine = (prng.next() >> 32) * kAllPpm >> (32 - kFineBits);
    std::uint64_t below_bytes = 0;
    std::uint64_t below = 0;
    for (const FlowSizePoint& point : points) {
        const std::uint64_t upto = std::uint64_t{point.cumulative_ppm} << kFineBits;
        if (fine < upto) {
            const std::uint64_t grows = (point.bytes - below_bytes) * (fine - below);
            return std::max<std::uint64_t>(1, below_bytes + grows / (upto - below));
        }
        below_bytes = point.bytes;
        below = upto;
    }
    return std::max<std::uint64_t>(1, below_bytes);
}

std::uint64_t FlowSizes::mean_bytes() const {
    std::uint64_t twice_ppm = 0;
    FlowSizePoint below;
    for (const FlowSizePoint& point : points) {
        const std::uint64_t share = point.cumulative_ppm - below.cumulative_ppm;
        twice_ppm += share * (point.bytes + below.bytes);
        below = point;
    }
    return twice_ppm / 2 / kAllPpm;
}

const char* FlowSizes::problem() const {
    if (points.empty()) return "there are no points";
    for (std::size_t i = 1; i < points.size(); ++i) {
        if (points[i].bytes <= points[i - 1].bytes) return "the sizes do not ascend";
        if (points[i].cumulative_ppm < points[i - 1].cumulative_ppm) {
            return "the cumulative shares do not ascend";
        }
    }
    if (points.back().cumulative_ppm != kAllPpm) return "the last share is not 100 %";
    return points.back().bytes > std::uint64_t{1} << 31 ? "a flow has more than 2^31 bytes" : "";
}

FlowSizes flow_sizes_named(std::string_view name) {
    if (name == "websearch") {
        return {{{0, 0},
                 {10'000, 150'000},
                 {20'000, 200'000},
                 {30'000, 300'000},
                 {50'000, 400'000},
                 {80'000, 530'000},
                 {200'000, 600'000},
                 {1'000'000, 700'000},
                 {2'000'000, 800'000},
                 {5'000'000, 900'000},
                 {10'000'000, 970'000},
                 {30'000'000, 1'000'000}}};
    }
    if (name == "hadoop") {
        return {{{0, 0},
                 {100, 10'000},
                 {200, 20'000},
                 {300, 50'000},
                 {350, 150'000},
                 {400, 200'000},
                 {500, 300'000},
                 {600, 400'000},
                 {700, 500'000},
                 {1'000, 600'000},
                 {2'000, 670'000},
                 {7'000, 700'000},
                 {30'000, 720'000},
                 {50'000, 820'000},
                 {80'000, 870'000},
                 {120'000, 900'000},
                 {300'000, 950'000},
                 {1'000'000, 975'000},
                 {2'000'000, 990'000},
                 {10'000'000, 1'000'000}}};
    }
    return {};
}

Interval exponential_gap(Interval mean, Prng& prng) {
    __extension__ using Wide = unsigned __int128;
    constexpr std::uint64_t kLn2 = 2'977'044'472;        // ln 2 * 2^32
    const std::uint64_t draw = (prng.next() >> 32) + 1;  // of 2^32
    const std::uint64_t minus_log2 = (std::uint64_t{32} << 32) - log2_fixed(draw);
    const Wide minus_ln = Wide{minus_log2} * kLn2 >> 32;
    return {static_cast<std::int64_t>(minus_ln * static_cast<std::uint64_t>(mean.ps) >> 32)};
}

}  // namespace weir::roce

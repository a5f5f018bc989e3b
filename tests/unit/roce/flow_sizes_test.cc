// SPDX-License-Identifier: BSD-3-Clause
#include "tools/roce/flow_sizes.h"

#include <cmath>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

namespace weir::roce {
namespace {

// Shares times middles: 0.15 * 5,000 + 0.05 * 15,000 + 0.10 * 25,000 + 0.10 * 40,000 + 0.13 *
// 65,000 + 0.07 * 140,000 + 0.1 * 600,000 + 0.1 * 1.5 M + 0.1 * 3.5 M + 0.07 * 7.5 M + 0.03 * 20 M.
TEST(FlowSizes, WebSearchHasItsMean) {
    EXPECT_EQ(flow_sizes_named("websearch").mean_bytes(), 1'711'250u);
    EXPECT_EQ(std::string(flow_sizes_named("websearch").problem()), "");
    EXPECT_EQ(std::string(flow_sizes_named("hadoop").problem()), "");
    EXPECT_TRUE(flow_sizes_named("other").points.empty());
}

// 100,000 draws: 60 % are at most 200,000 B, with a deviation of sqrt(0.6 * 0.4 / 100,000) = 0.155
// %; five of them are 0.775 %.
TEST(FlowSizes, DrawsFollowTheTable) {
    const FlowSizes sizes = flow_sizes_named("websearch");
    Prng prng(7);
    unsigned small = 0;
    for (unsigned i = 0; i < 100'000; ++i) {
        const std::uint64_t bytes = sizes.draw(prng);
        EXPECT_GE(bytes, 1u);
        EXPECT_LE(bytes, 30'000'000u);
        small += bytes <= 200'000 ? 1 : 0;
    }
    EXPECT_NEAR(small, 60'000, 775);
}

// One size: a point that takes all.
TEST(FlowSizes, MayBeOneSize) {
    const FlowSizes sizes{{{5000, 0}, {5001, 1'000'000}}};
    Prng prng(1);
    for (unsigned i = 0; i < 100; ++i) EXPECT_EQ(sizes.draw(prng), 5000u);
}

TEST(FlowSizes, SaysWhatIsWrong) {
    EXPECT_NE(std::string(FlowSizes{}.problem()), "");
    EXPECT_NE(std::string(FlowSizes{{{0, 0}, {10, 999'999}}}.problem()), "");
    EXPECT_NE(std::string(FlowSizes{{{10, 0}, {10, 1'000'000}}}.problem()), "");
    EXPECT_NE(std::string(FlowSizes{{{0, 500'000}, {5, 400'000}, {9, 1'000'000}}}.problem()), "");
}

// The integer logarithm against the library's, draw by draw.
TEST(ExponentialGap, IsTheLogarithmOfTheDraw) {
    const Interval mean = Interval::microseconds(10);
    Prng prng(3);
    Prng same(3);
    for (unsigned i = 0; i < 10'000; ++i) {
        const double u = (static_cast<double>(same.next() >> 32) + 1) / 4'294'967'296.0;
        const double expected = -std::log(u) * static_cast<double>(mean.ps);
        EXPECT_NEAR(static_cast<double>(exponential_gap(mean, prng).ps), expected, 10.0);
    }
}

}  // namespace
}  // namespace weir::roce

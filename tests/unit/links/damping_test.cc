// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/damping.h"

#include <gtest/gtest.h>

#include "dataplane/core/interval_histogram.h"

namespace weir {
namespace {

constexpr Time kStart{1'000'000'000'000};
constexpr Interval kHalfLife = Interval::seconds(4);

TEST(Damping, APenaltyHalvesWithEachHalfLife) {
    Damping damping;
    EXPECT_EQ(damping.penalty(kStart, kHalfLife), 0u);
    damping.flap(kStart, kHalfLife);
    EXPECT_EQ(damping.penalty(kStart, kHalfLife), 1'000u);
    EXPECT_EQ(damping.penalty(kStart + kHalfLife, kHalfLife), 500u);
    EXPECT_EQ(damping.penalty(kStart + kHalfLife * 3, kHalfLife), 125u);
    EXPECT_EQ(damping.penalty(kStart + kHalfLife * 13, kHalfLife), 0u);
    // In a straight line in between: 1,000 - 500 / 2.
    EXPECT_NEAR(damping.penalty(kStart + kHalfLife / 2, kHalfLife), 750, 1);
}

// 3 x 1,000 is not above 3,000; the fourth is. 4,000 to 1,000 takes two half-lives, 8 s.
TEST(Damping, TheFourthFlapAtOnceIsOneTooMany) {
    Damping damping;
    for (int i = 0; i < 3; ++i) damping.flap(kStart, kHalfLife);
    EXPECT_EQ(damping.released_at(kStart, kHalfLife), kStart);
    damping.flap(kStart, kHalfLife);
    EXPECT_EQ(damping.released_at(kStart, kHalfLife), kStart + Interval::seconds(8));
}

// At most 8,000, which is 1,000 after three half-lives.
TEST(Damping, LastsNoLongerThanThreeHalfLives) {
    Damping damping;
    for (int i = 0; i < 1'000; ++i) damping.flap(kStart, kHalfLife);
    EXPECT_EQ(damping.penalty(kStart, kHalfLife), 8'000u);
    EXPECT_EQ(damping.released_at(kStart, kHalfLife), kStart + Interval::seconds(12));
}

// 5,000 is 2,500 after one half-life and 1,250 after two; a straight line from there to 625 is at
// 1,000 after 250 / 625 = 0.4 of the third: 2.4 x 4 s = 9.6 s.
TEST(Damping, EndsWithinAHalfLife) {
    Damping damping;
    for (int i = 0; i < 5; ++i) damping.flap(kStart, kHalfLife);
    const Interval span = damping.released_at(kStart, kHalfLife) - kStart;
    EXPECT_LE(span, Interval::milliseconds(9'600));
    EXPECT_GT(span, Interval::milliseconds(9'599));
}

TEST(IntervalHistogram, KeepsTheEndsExactlyAndQuantilesToASixteenth) {
    IntervalHistogram histogram;
    EXPECT_EQ(histogram.quantile(500), Interval{});
    for (int us = 1; us <= 1'000; ++us) histogram.add(Interval::microseconds(us));
    EXPECT_EQ(histogram.count(), 1'000u);
    EXPECT_EQ(histogram.min(), Interval::microseconds(1));
    EXPECT_EQ(histogram.max(), Interval::microseconds(1'000));
    // The 500th is 500 us; a bucket there is 2^28 ps / 16 = 16.8 us wide.
    EXPECT_GE(histogram.quantile(500), Interval::microseconds(500));
    EXPECT_LT(histogram.quantile(500), Interval::nanoseconds(516'800));
    EXPECT_GE(histogram.quantile(990), Interval::microseconds(990));
    EXPECT_EQ(histogram.quantile(1'000), Interval::microseconds(1'000));
}

TEST(IntervalHistogram, TakesAnyLength) {
    IntervalHistogram histogram;
    for (int bit = 0; bit < 63; ++bit) histogram.add({std::int64_t{1} << bit});
    histogram.add({0});
    histogram.add({-5});
    EXPECT_EQ(histogram.count(), 65u);
    EXPECT_EQ(histogram.quantile(1'000).ps, std::int64_t{1} << 62);
}

}  // namespace
}  // namespace weir

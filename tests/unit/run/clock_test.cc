// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/run/clock.h"

#include <ctime>

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(CycleScale, IsExactForWholeFactors) {
    // 2 GHz: 500 ps a cycle.
    const CycleScale scale(2'000'000'000, 1'000'000'000'000);
    EXPECT_EQ(scale.picoseconds(0), 0u);
    EXPECT_EQ(scale.picoseconds(1), 500u);
    EXPECT_EQ(scale.picoseconds(2'000'000'000), 1'000'000'000'000u);
}

// 2,096,010,000 Hz over a day: 181,095,264,000,000 cycles are 86,400 s. The factor is
// floor(10^12 / 2,096,010,000 x 2^32) = 2049120...; its rounding error is below 2^-32 ps per cycle,
// in all below 181,095,264,000,000 / 2^32 = 42,165 ps, and it is always downward.
TEST(CycleScale, LosesLessThanItsRoundingAllows) {
    const std::uint64_t hz = 2'096'010'000;
    const CycleScale scale(hz, 1'000'000'000'000);
    const std::uint64_t day_ps = 86'400'000'000'000'000;
    const std::uint64_t measured = scale.picoseconds(hz * 86'400);
    EXPECT_LE(measured, day_ps);
    EXPECT_GE(measured, day_ps - 42'165);
}

TEST(CycleScale, WrapsAsTimeDoes) {
    // 2^63 cycles of 500 ps are 500 x 2^63 ps = 250 x 2^64, which is 0 in 64 bits; one more cycle
    // is 500 ps later.
    const CycleScale scale(2'000'000'000, 1'000'000'000'000);
    const std::uint64_t far = std::uint64_t{1} << 63;
    EXPECT_EQ(scale.picoseconds(far), 0u);
    EXPECT_EQ(scale.picoseconds(far + 1), 500u);
}

TEST(Clock, NeverGoesBackAndKnowsTheWallClock) {
    const Clock clock;
    const Time first = clock.now();
    Time last = first;
    for (int i = 0; i < 1000; ++i) {
        const Time now = clock.now();
        EXPECT_GE(now, last);
        last = now;
    }
    timespec before{};
    timespec after{};
    clock_gettime(CLOCK_REALTIME, &before);
    const std::uint64_t wall = clock.wall_nanoseconds(clock.now());
    clock_gettime(CLOCK_REALTIME, &after);
    // The instant lies between the two reads, give or take one microsecond of rounding.
    const auto ns = [](const timespec& t) {
        return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000u +
               static_cast<std::uint64_t>(t.tv_nsec);
    };
    EXPECT_GE(wall + 1000, ns(before));
    EXPECT_LE(wall, ns(after) + 1000);
    EXPECT_EQ(clock.wall_nanoseconds(first) < clock.wall_nanoseconds(last), true);
}

}  // namespace
}  // namespace weir

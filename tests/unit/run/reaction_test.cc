// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/run/reaction.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

// Four ports with 32 frames of 250 ns each are 32 us; twice 3 us besides.
TEST(Reaction, IsTwiceTheAbsenceAndAFullTurn) {
    EXPECT_EQ(reaction_of(Interval::microseconds(3), 4), Interval::microseconds(38));
}

// One port is 8 us: 2 us more, twice 1 us, are the least.
TEST(Reaction, IsTenMicrosecondsAtLeast) {
    EXPECT_EQ(reaction_of(Interval{0}, 1), Interval::microseconds(10));
    EXPECT_EQ(reaction_of(Interval::microseconds(1), 1), Interval::microseconds(10));
    EXPECT_EQ(reaction_of(Interval::nanoseconds(1'001), 1), Interval::nanoseconds(10'002));
}

// 100 us - 32 us are twice 34 us: from there on, and with 13 ports (104 us), it is the default.
TEST(Reaction, IsTheDefaultAtMost) {
    EXPECT_EQ(reaction_of(Interval{33'999'999}, 4), kReactionDefault - Interval{2});
    EXPECT_EQ(reaction_of(Interval{34'000'000}, 4), kReactionDefault);
    EXPECT_EQ(reaction_of(Interval::milliseconds(40), 4), kReactionDefault);
    EXPECT_EQ(reaction_of(Interval{0}, 12), Interval::microseconds(96));
    EXPECT_EQ(reaction_of(Interval{0}, 13), kReactionDefault);
}

// Somebody has looked at the clock in between, and no longer than it took in all.
TEST(Reaction, TheLongestAbsenceIsWithinTheSpan) {
    const Clock clock;
    const Time begin = clock.now();
    const Interval absence = longest_absence(clock, Interval::milliseconds(1));
    const Interval took = clock.now() - begin;
    EXPECT_GT(absence, Interval{0});
    EXPECT_LE(absence, took);
    EXPECT_GE(took, Interval::milliseconds(1));
}

}  // namespace
}  // namespace weir

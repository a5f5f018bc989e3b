// SPDX-License-Identifier: BSD-3-Clause
#include "tools/gen/pacer.h"

#include <gtest/gtest.h>

namespace weir::gen {
namespace {

constexpr Time kStart = Time{} + Interval::seconds(5);

TEST(Pacer, TheFirstFrameIsDueAtOnceAndTheNextAnIntervalLater) {
    // 10,000 frames/s are 100 us apart.
    Pacer pacer(kStart, 10'000);
    EXPECT_EQ(pacer.due(kStart), 1u);
    pacer.sent(1);
    EXPECT_EQ(pacer.next(), kStart + Interval::microseconds(100));
    EXPECT_EQ(pacer.due(kStart + Interval::picoseconds(99'999'999)), 0u);
    EXPECT_EQ(pacer.due(kStart + Interval::microseconds(100)), 1u);
    // Three more intervals: those at 100, 200, 300 and 400 us are due.
    EXPECT_EQ(pacer.due(kStart + Interval::microseconds(400)), 4u);
}

TEST(Pacer, SaysTheSameUntilFramesAreSent) {
    Pacer pacer(kStart, 1'000'000);
    const Time later = kStart + Interval::microseconds(9);
    EXPECT_EQ(pacer.due(later), 10u);
    EXPECT_EQ(pacer.due(later), 10u);
    pacer.sent(4);
    EXPECT_EQ(pacer.due(later), 6u);
    pacer.sent(6);
    EXPECT_EQ(pacer.due(later), 0u);
}

TEST(Pacer, CatchesUpOnAMillisecondAndNoMore) {
    Pacer pacer(kStart, 10'000);
    // 0, 100, ... 1000 us: 11 frames, just not too late.
    EXPECT_EQ(pacer.due(kStart + Interval::milliseconds(1)), 11u);
    // Away for a second: the frames of the last millisecond, both its ends included.
    EXPECT_EQ(pacer.due(kStart + Interval::seconds(1)), 11u);
    pacer.sent(11);
    EXPECT_EQ(pacer.next(), kStart + Interval::seconds(1) + Interval::microseconds(100));
}

TEST(Pacer, KeepsTheRateOverManyTurns) {
    Pacer pacer(kStart, 250'000);
    std::uint64_t frames = 0;
    // Asked every 7 us for a second; 4 us apart: 250,000 in [0, 1 s).
    for (Interval at{}; at < Interval::seconds(1); at = at + Interval::microseconds(7)) {
        const std::uint64_t due = pacer.due(kStart + at);
        pacer.sent(due);
        frames += due;
    }
    // The last question is at 999,999 us = 142,857 * 7; frames up to 999,996 us.
    EXPECT_EQ(frames, 250'000u);
}

TEST(Pacer, TakesTheHighestRate) {
    Pacer pacer(kStart, Pacer::kFramesPerSecondMax);
    // 1 ns apart.
    EXPECT_EQ(pacer.due(kStart + Interval::nanoseconds(99)), 100u);
}

}  // namespace
}  // namespace weir::gen

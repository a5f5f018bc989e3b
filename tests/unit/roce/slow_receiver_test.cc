// SPDX-License-Identifier: BSD-3-Clause
// What a slow receiver holds, drops and asks for, at its exact boundaries.
#include "tools/roce/slow_receiver.h"

#include <cstdint>

#include <gtest/gtest.h>

namespace weir::roce {
namespace {

constexpr std::uint64_t kSpeed = 100'000'000'000;
// 8 Gb/s: a byte each nanosecond.
constexpr ReceiverConfig kConfig{.drain_bps = 8'000'000'000,
                                 .xoff_bytes = 2000,
                                 .xon_bytes = 1000,
                                 .capacity_bytes = 5000,
                                 .pause_quanta = 1000};  // 5.12 us at 100 Gb/s

constexpr Time ns(std::uint64_t n) {
    return Time{n * 1000};
}

TEST(SlowReceiver, HoldsWhatItHasNotTaken) {
    SlowReceiver receiver(kConfig, kSpeed, 0);
    EXPECT_TRUE(receiver.admit(ns(0), 3, 1500));
    EXPECT_EQ(receiver.held_bytes(ns(0), 3), 1500u);
    EXPECT_EQ(receiver.held_bytes(ns(600), 3), 900u);
    EXPECT_EQ(receiver.held_bytes(ns(600), 4), 0u);
    EXPECT_TRUE(receiver.admit(ns(600), 3, 100));
    EXPECT_EQ(receiver.held_bytes(ns(1600), 3), 0u);
    EXPECT_EQ(receiver.held_bytes(ns(9999), 3), 0u);
}

// 5,000 B fit, one more does not; a nanosecond later it does.
TEST(SlowReceiver, DropsWhatDoesNotFit) {
    SlowReceiver receiver(kConfig, kSpeed, 0);
    EXPECT_TRUE(receiver.admit(ns(0), 3, 4000));
    EXPECT_FALSE(receiver.admit(ns(0), 3, 1001));
    EXPECT_TRUE(receiver.admit(ns(0), 3, 1000));
    EXPECT_FALSE(receiver.admit(Time{999}, 3, 1));
    EXPECT_TRUE(receiver.admit(ns(1), 3, 1));
}

// 2,000 B are not above XOFF, 2,001 are. It is then 1,001 ns to XON.
TEST(SlowReceiver, PausesAboveXoffUntilXon) {
    SlowReceiver receiver(kConfig, kSpeed, 1 << 3);
    EXPECT_TRUE(receiver.admit(ns(10), 3, 2000));
    EXPECT_FALSE(receiver.pausing());
    EXPECT_TRUE(receiver.admit(ns(10), 3, 1));
    EXPECT_TRUE(receiver.pausing());
    EXPECT_EQ(receiver.deadline(), ns(10));

    const auto pause = receiver.pause_due(ns(10));
    ASSERT_TRUE(pause);
    EXPECT_EQ(pause->enabled, 1 << 3);
    EXPECT_EQ(pause->quanta[3], 1000);
    EXPECT_FALSE(receiver.pause_due(ns(10)));

    EXPECT_EQ(receiver.deadline(), ns(10 + 1001));
    EXPECT_FALSE(receiver.pause_due(Time{1'011'000 - 1}));
    const auto resume = receiver.pause_due(ns(1011));
    ASSERT_TRUE(resume);
    EXPECT_EQ(resume->enabled, 1 << 3);
    EXPECT_EQ(resume->quanta[3], 0);
    EXPECT_FALSE(receiver.pausing());
}

// It still fills: the pause is repeated after half of its 5.12 us.
TEST(SlowReceiver, RepeatsAPauseAfterHalfItsTime) {
    SlowReceiver receiver(kConfig, kSpeed, 1 << 3);
    EXPECT_TRUE(receiver.admit(ns(0), 3, 5000));
    ASSERT_TRUE(receiver.pause_due(ns(0)));
    EXPECT_EQ(receiver.deadline(), ns(2560));
    EXPECT_FALSE(receiver.pause_due(Time{2'560'000 - 1}));
    const auto again = receiver.pause_due(ns(2560));
    ASSERT_TRUE(again);
    EXPECT_EQ(again->quanta[3], 1000);
    EXPECT_EQ(receiver.deadline(), ns(4000));  // 5,000 B to 1,000 B
}

// A priority without PFC is dropped from, never paused.
TEST(SlowReceiver, DoesNotPauseALossyPriority) {
    SlowReceiver receiver(kConfig, kSpeed, 1 << 4);
    EXPECT_TRUE(receiver.admit(ns(0), 3, 5000));
    EXPECT_FALSE(receiver.pausing());
    EXPECT_FALSE(receiver.admit(ns(0), 3, 1));
}

// Over before the peer was told: it hears of neither.
TEST(SlowReceiver, KeepsAPauseToItselfThatIsOver) {
    SlowReceiver receiver(kConfig, kSpeed, 1 << 3);
    EXPECT_TRUE(receiver.admit(ns(0), 3, 2500));
    EXPECT_FALSE(receiver.pause_due(ns(1500)));
    EXPECT_FALSE(receiver.pausing());
}

// From a stall of 1,000 b/s to full speed: resumed at once.
TEST(SlowReceiver, ResumesWhenItBecomesFast) {
    ReceiverConfig stalled = kConfig;
    stalled.drain_bps = 1000;
    SlowReceiver receiver(stalled, kSpeed, 1 << 3);
    EXPECT_TRUE(receiver.admit(ns(0), 3, 3000));
    ASSERT_TRUE(receiver.pause_due(ns(0)));
    receiver.change(ns(100), {});
    const auto resume = receiver.pause_due(ns(100));
    ASSERT_TRUE(resume);
    EXPECT_EQ(resume->quanta[3], 0);
    EXPECT_EQ(receiver.held_bytes(ns(100), 3), 0u);
}

}  // namespace
}  // namespace weir::roce

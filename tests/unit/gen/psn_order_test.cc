// SPDX-License-Identifier: BSD-3-Clause
#include "tools/gen/psn_order.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace weir::gen {
namespace {

void arrive_in_order(PsnOrder& order, std::uint32_t first, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
        ASSERT_EQ(order.arrived((first + i) & 0xff'ffff), Arrival::InOrder) << i;
    }
}

TEST(PsnOrder, AnyPsnMayBeTheFirst) {
    for (const std::uint32_t psn : {0u, 77u, 0x80'0000u, 0xff'ffffu}) {
        PsnOrder order;
        EXPECT_EQ(order.arrived(psn), Arrival::InOrder);
        EXPECT_EQ(order.first(), psn);
        EXPECT_EQ(order.newest(), psn);
        EXPECT_EQ(order.missing(), 0u);
    }
}

TEST(PsnOrder, WrapsAfterTwentyFourBits) {
    PsnOrder order;
    arrive_in_order(order, 0xff'fffe, 5);
    EXPECT_EQ(order.newest(), 2u);
    EXPECT_EQ(order.missing(), 0u);
}

TEST(PsnOrder, AGapIsMissingUntilItIsFilled) {
    PsnOrder order;
    arrive_in_order(order, 10, 1);
    EXPECT_EQ(order.arrived(14), Arrival::AfterGap);
    EXPECT_EQ(order.missing(), 3u);  // 11, 12, 13
    EXPECT_EQ(order.arrived(12), Arrival::Late);
    EXPECT_EQ(order.missing(), 2u);
    EXPECT_EQ(order.arrived(12), Arrival::Duplicate);
    EXPECT_EQ(order.arrived(11), Arrival::Late);
    EXPECT_EQ(order.arrived(13), Arrival::Late);
    EXPECT_EQ(order.missing(), 0u);
    EXPECT_EQ(order.arrived(15), Arrival::InOrder);
}

TEST(PsnOrder, TheSameAgainIsADuplicate) {
    PsnOrder order;
    arrive_in_order(order, 0, 3);
    EXPECT_EQ(order.arrived(2), Arrival::Duplicate);
    EXPECT_EQ(order.arrived(0), Arrival::Duplicate);
    EXPECT_EQ(order.missing(), 0u);
}

TEST(PsnOrder, WhatCameBeforeTheFirstIsStale) {
    PsnOrder order;
    arrive_in_order(order, 100, 3);
    EXPECT_EQ(order.arrived(100), Arrival::Duplicate);
    EXPECT_EQ(order.arrived(99), Arrival::Stale);
    EXPECT_EQ(order.missing(), 0u);
}

TEST(PsnOrder, RemembersExactlyTheWindow) {
    // 0 .. 4096 have come, the newest is 4096. Behind by 4095 is 1, behind by 4096 is 0.
    PsnOrder order;
    arrive_in_order(order, 0, PsnOrder::kWindow + 1);
    EXPECT_EQ(order.arrived(1), Arrival::Duplicate);
    EXPECT_EQ(order.arrived(0), Arrival::Stale);
}

TEST(PsnOrder, AJumpOverTheWindowForgetsWhatWasBefore) {
    // From 0 to 4096 + 5: 1 .. 4100 are missing, of which 6 .. 4100 can still be told from repeats.
    PsnOrder order;
    arrive_in_order(order, 0, 1);
    EXPECT_EQ(order.arrived(PsnOrder::kWindow + 5), Arrival::AfterGap);
    EXPECT_EQ(order.missing(), 4100u);
    EXPECT_EQ(order.arrived(5), Arrival::Stale);
    EXPECT_EQ(order.arrived(6), Arrival::Late);
    EXPECT_EQ(order.missing(), 4099u);
}

TEST(PsnOrder, AJumpOfOneWindowLeavesNoBitBehind) {
    PsnOrder order;
    arrive_in_order(order, 0, 10);
    // 9 -> 9 + 4096: the bits of 0 .. 9 are those of 4096 .. 4105 now; 4096 .. 4104 have not come.
    EXPECT_EQ(order.arrived(9 + PsnOrder::kWindow), Arrival::AfterGap);
    EXPECT_EQ(order.missing(), 4095u);
    EXPECT_EQ(order.arrived(4104), Arrival::Late);
    EXPECT_EQ(order.arrived(10), Arrival::Late);
}

TEST(PsnOrder, HalfTheCircleAheadIsBehind) {
    PsnOrder ahead;
    arrive_in_order(ahead, 0, 1);
    EXPECT_EQ(ahead.arrived(0x7f'ffff), Arrival::AfterGap);
    EXPECT_EQ(ahead.missing(), 0x7f'fffeu);
    PsnOrder behind;
    arrive_in_order(behind, 0, 1);
    EXPECT_EQ(behind.arrived(0x80'0000), Arrival::Stale);
    EXPECT_EQ(behind.missing(), 0u);
}

// Against a set that remembers everything: a shuffled, thinned and repeated sequence, displaced by
// less than the window.
TEST(PsnOrder, AgreesWithASetThatForgetsNothing) {
    std::mt19937 random(4791);
    for (int round = 0; round < 20; ++round) {
        const auto first = static_cast<std::uint32_t>(random() & 0xff'ffff);
        std::vector<std::uint32_t> offsets{0};
        for (std::uint32_t i = 1; i < 5000; ++i) {
            const auto kind = random() % 10;
            if (kind != 0) offsets.push_back(i);
            if (kind == 1) offsets.push_back(i);
        }
        for (std::size_t i = 1; i + 64 < offsets.size(); i += 64) {
            const auto begin = offsets.begin() + static_cast<std::ptrdiff_t>(i);
            std::shuffle(begin, begin + 64, random);
        }
        PsnOrder order;
        std::set<std::uint32_t> come;
        for (const std::uint32_t offset : offsets) {
            const bool newest = come.empty() || offset > *come.rbegin();
            const bool repeated = come.contains(offset);
            const Arrival arrival = order.arrived((first + offset) & 0xff'ffff);
            EXPECT_EQ(arrival == Arrival::Duplicate, repeated);
            EXPECT_EQ(arrival == Arrival::Late, !repeated && !newest);
            come.insert(offset);
            ASSERT_EQ(order.missing(), *come.rbegin() + 1 - come.size());
        }
    }
}

}  // namespace
}  // namespace weir::gen

// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lab/event_queue.h"

#include <algorithm>
#include <tuple>

#include <gtest/gtest.h>

#include "dataplane/core/prng.h"

namespace weir::lab {
namespace {

Happening number(std::uint32_t n) {
    return {n, 0, EventKind::Act};
}

TEST(EventQueue, GivesEventsOfOneInstantInOrderOfPush) {
    EventQueue events;
    events.push({7}, number(1));
    events.push({5}, number(2));
    events.push({7}, number(3));
    Time at{};
    Happening happening;
    ASSERT_TRUE(events.pop({100}, at, happening));
    EXPECT_EQ(happening.index, 2u);
    events.push({7}, number(4));
    for (const std::uint32_t expected : {1u, 3u, 4u}) {
        ASSERT_TRUE(events.pop({100}, at, happening));
        EXPECT_EQ(at.ps, 7u);
        EXPECT_EQ(happening.index, expected);
    }
    EXPECT_FALSE(events.pop({100}, at, happening));
}

TEST(EventQueue, TakesWhatIsPushedBeforeAnEventThatWasTooLate) {
    EventQueue events;
    events.push({100}, number(1));
    Time at{};
    Happening happening;
    EXPECT_FALSE(events.pop({99}, at, happening));
    events.push({50}, number(2));
    ASSERT_TRUE(events.pop({100}, at, happening));
    EXPECT_EQ(happening.index, 2u);
    ASSERT_TRUE(events.pop({100}, at, happening));
    EXPECT_EQ(happening.index, 1u);
    EXPECT_TRUE(events.empty());
}

// Against a sorted list, with delays of the lab's sizes: 0 (the same instant) to seconds.
TEST(EventQueue, EqualsAStableSort) {
    Prng prng(1);
    EventQueue events;
    std::vector<std::tuple<std::uint64_t, std::uint32_t>> expected;
    std::vector<std::tuple<std::uint64_t, std::uint32_t>> popped;
    std::uint64_t now = 0;
    for (std::uint32_t n = 0; n < 20'000; ++n) {
        const std::uint64_t at = now + (prng.next() >> (24 + prng.below(40)));
        events.push({at}, number(n));
        expected.emplace_back(at, n);
        Time time{};
        Happening happening;
        if (prng.below(2) == 0 && events.pop({~0ull}, time, happening)) {
            now = time.ps;
            popped.emplace_back(now, happening.index);
        }
    }
    Time time{};
    Happening happening;
    while (events.pop({~0ull}, time, happening)) popped.emplace_back(time.ps, happening.index);
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(popped, expected);
}

}  // namespace
}  // namespace weir::lab

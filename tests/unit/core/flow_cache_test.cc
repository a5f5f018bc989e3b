// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/flow_cache.h"

#include <memory>
#include <vector>

#include <gtest/gtest.h>

namespace weir {
namespace {

constexpr std::uint64_t kPorts = 0xb712'00c0;

class FlowCacheTest : public ::testing::Test {
  protected:
    FlowCacheTest() {
        Arena counting{{}};
        cache_.lay_out(counting);
        memory_.resize(counting.used_bytes() + Arena::kAlign);
        void* at = memory_.data();
        std::size_t room = memory_.size();
        std::align(Arena::kAlign, counting.used_bytes(), at, room);
        Arena arena{{static_cast<std::byte*>(at), counting.used_bytes()}};
        cache_.lay_out(arena);
    }
    void insert(std::uint64_t flow, std::uint64_t epoch, PortId port) {
        FlowEntry entry;
        entry.key = {flow, kPorts};
        entry.tag = flow_tag(epoch, port);
        now_ = now_ + Interval::nanoseconds(1);
        cache_.insert_with_use(entry, {.seen = now_, .plan = static_cast<std::uint32_t>(epoch)});
    }
    [[nodiscard]] bool knows(std::uint64_t flow, PortId port) const {
        return cache_.find_before({flow, kPorts}, port) != kNoFlow;
    }

    FlowCache cache_;
    std::vector<std::byte> memory_;
    Time now_;
};

// Others push the first flow out of its set; if it was seen again just before, another one goes.
TEST_F(FlowCacheTest, ForgetsTheFlowSeenLeastRecently) {
    insert(1, 1, 0);
    std::uint64_t pushes = 2;
    while (pushes < 100'000) {
        insert(pushes, 1, 0);
        if (!knows(1, 0)) break;
        ++pushes;
    }
    ASSERT_LT(pushes, 100'000u);
    // The same from the beginning: no flow of a lower number is newer than these.
    for (std::uint64_t flow = 1; flow < pushes; ++flow) insert(flow, 2, 1);
    insert(1, 2, 1);
    insert(pushes, 2, 1);
    EXPECT_TRUE(knows(1, 1));
    EXPECT_TRUE(knows(pushes, 1));
}

TEST_F(FlowCacheTest, AFlowHasOnePlaceForEachPortItComesBy) {
    for (std::uint64_t epoch = 1; epoch <= 10; ++epoch) {
        insert(7, epoch, 0);
        insert(7, epoch, 1);
    }
    const FlowKey key{7, kPorts};
    EXPECT_EQ(cache_.use_at(cache_.find_before(key, 0)).plan, 10u);
    EXPECT_EQ(cache_.use_at(cache_.find_before(key, 1)).plan, 10u);
    EXPECT_FALSE(knows(7, 2));
    EXPECT_NE(cache_.find(key, flow_tag(10, 0)), nullptr);
    EXPECT_EQ(cache_.find(key, flow_tag(9, 0)), nullptr);
}

// Remembered, and yet nothing for the fast lane.
TEST_F(FlowCacheTest, TheLongWayIsNotTakenForTheShortOne) {
    FlowEntry entry;
    entry.key = {1, 2};
    entry.tag = flow_tag(3, 5) | kLongWayTag;
    cache_.insert_with_use(entry, {});
    EXPECT_EQ(cache_.find(entry.key, flow_tag(3, 5)), nullptr);
    EXPECT_NE(cache_.find_before(entry.key, 5), kNoFlow);
}

}  // namespace
}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/neighbor_table.h"

#include <map>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace weir {
namespace {

constexpr Time at(std::uint64_t ps) {
    return {ps};
}

class NeighborTableTest : public testing::Test {
  protected:
    NeighborTableTest() {
        Arena counting{{}};
        table_.lay_out(counting, kNeighbors, kPending);
        memory_.resize(counting.used_bytes() + Arena::kAlign);
        void* block = memory_.data();
        std::size_t room = memory_.size();
        std::align(Arena::kAlign, counting.used_bytes(), block, room);
        Arena arena{{static_cast<std::byte*>(block), counting.used_bytes()}};
        table_.lay_out(arena, kNeighbors, kPending);
    }

    Frame frame(std::uintptr_t number) {
        Frame made;
        made.handle = memory_.data() + number;
        return made;
    }

    static constexpr std::uint32_t kNeighbors = 64;
    static constexpr std::uint32_t kPending = 6;
    std::vector<std::byte> memory_;
    NeighborTable table_;
};

TEST_F(NeighborTableTest, FindsByPortAndAddress) {
    const IpAddress address = IpAddress::v4(0xc000'0202);
    const std::uint32_t slot = table_.find_or_add(1, address);
    ASSERT_NE(slot, kNoNeighbor);
    EXPECT_EQ(table_.find(1, address), slot);
    EXPECT_EQ(table_.find_or_add(1, address), slot);
    EXPECT_EQ(table_.find(2, address), kNoNeighbor);
    EXPECT_EQ(table_.find(1, IpAddress::v4(0xc000'0203)), kNoNeighbor);
    EXPECT_EQ(table_.at(slot).state, NeighborState::Incomplete);
    EXPECT_FALSE(table_.at(slot).resolved());
    EXPECT_EQ(table_.size(), 1u);
    table_.remove(slot);
    EXPECT_EQ(table_.find(1, address), kNoNeighbor);
    EXPECT_EQ(table_.size(), 0u);
}

TEST_F(NeighborTableTest, HoldsAsManyAsItHasSlots) {
    for (std::uint32_t i = 0; i < kNeighbors; ++i) {
        EXPECT_NE(table_.find_or_add(1, IpAddress::v4(i)), kNoNeighbor);
    }
    EXPECT_EQ(table_.find_or_add(1, IpAddress::v4(kNeighbors)), kNoNeighbor);
    table_.remove(table_.find(1, IpAddress::v4(5)));
    EXPECT_NE(table_.find_or_add(1, IpAddress::v4(kNeighbors)), kNoNeighbor);
}

// A random history against std::map, with the table nearly full: removal must not cut the way to
// entries that were pushed on by others.
TEST_F(NeighborTableTest, AgreesWithAMapOverARandomHistory) {
    std::mt19937_64 random(7);
    std::map<std::pair<PortId, IpAddress>, std::uint32_t> known;
    for (unsigned step = 0; step < 20'000; ++step) {
        const PortId port = static_cast<PortId>(random() % 3);
        const IpAddress address{random() % 2 * 0x2001'0db8'0000'0000, random() % 12};
        const auto key = std::make_pair(port, address);
        if (random() % 3 == 0 && known.contains(key)) {
            table_.remove(known[key]);
            known.erase(key);
        } else if (known.contains(key)) {
            ASSERT_EQ(table_.find_or_add(port, address), known[key]);
        } else if (const std::uint32_t slot = table_.find_or_add(port, address);
                   slot != kNoNeighbor) {
            known[key] = slot;
        } else {
            ASSERT_EQ(known.size(), kNeighbors);
        }
        ASSERT_EQ(table_.size(), known.size());
    }
    for (const auto& [key, slot] : known) EXPECT_EQ(table_.find(key.first, key.second), slot);
}

TEST_F(NeighborTableTest, KeepsFourFramesPerNeighborInOrder) {
    const std::uint32_t slot = table_.find_or_add(1, IpAddress::v4(1));
    for (unsigned i = 0; i < 4; ++i) EXPECT_TRUE(table_.wait(slot, frame(i)));
    EXPECT_FALSE(table_.wait(slot, frame(4))) << "kPendingPerNeighborMax is 4";
    Frame taken;
    for (unsigned i = 0; i < 4; ++i) {
        ASSERT_TRUE(table_.take_waiting(slot, taken));
        EXPECT_EQ(taken.handle, frame(i).handle);
    }
    EXPECT_FALSE(table_.take_waiting(slot, taken));
}

TEST_F(NeighborTableTest, KeepsNoMoreFramesThanThereIsMemoryFor) {
    const std::uint32_t a = table_.find_or_add(1, IpAddress::v4(1));
    const std::uint32_t b = table_.find_or_add(1, IpAddress::v4(2));
    for (unsigned i = 0; i < 3; ++i) {
        EXPECT_TRUE(table_.wait(a, frame(i)));
        EXPECT_TRUE(table_.wait(b, frame(10 + i)));
    }
    EXPECT_FALSE(table_.wait(a, frame(3))) << "six wait in all";
    Frame taken;
    ASSERT_TRUE(table_.take_waiting(b, taken));
    EXPECT_EQ(taken.handle, frame(10).handle);
    EXPECT_TRUE(table_.wait(a, frame(3)));
}

TEST_F(NeighborTableTest, HasTheEarliestDeadlineOfAll) {
    EXPECT_FALSE(table_.next_deadline().has_value());
    EXPECT_EQ(table_.due(at(1'000'000)), kNoNeighbor);
    const std::uint32_t a = table_.find_or_add(1, IpAddress::v4(1));
    const std::uint32_t b = table_.find_or_add(1, IpAddress::v4(2));
    table_.set_deadline(a, at(2000));
    table_.set_deadline(b, at(1000));
    EXPECT_EQ(table_.next_deadline(), at(1000));
    EXPECT_EQ(table_.due(at(999)), kNoNeighbor);
    EXPECT_EQ(table_.due(at(1000)), b);
    table_.set_deadline(b, at(3000));
    EXPECT_EQ(table_.next_deadline(), at(2000));
    EXPECT_EQ(table_.deadline(b), at(3000));
    table_.clear_deadline(a);
    EXPECT_EQ(table_.deadline(a), std::nullopt);
    EXPECT_EQ(table_.next_deadline(), at(3000));
    table_.remove(b);
    EXPECT_FALSE(table_.next_deadline().has_value());
}

TEST_F(NeighborTableTest, OrdersDeadlinesAcrossTheWrapOfTime) {
    const std::uint32_t a = table_.find_or_add(1, IpAddress::v4(1));
    const std::uint32_t b = table_.find_or_add(1, IpAddress::v4(2));
    table_.set_deadline(a, Time{5});
    table_.set_deadline(b, Time{~std::uint64_t{0}});
    EXPECT_EQ(table_.due(Time{~std::uint64_t{0}}), b);
}

// Random sets, moves, clears and removals against a map.
TEST_F(NeighborTableTest, FindsTheEarliestDeadlineOverARandomHistory) {
    std::mt19937_64 random(11);
    std::map<std::uint32_t, std::uint64_t> deadlines;
    for (unsigned step = 0; step < 20'000; ++step) {
        const std::uint32_t slot =
            table_.find_or_add(1, IpAddress::v4(static_cast<std::uint32_t>(random() % kNeighbors)));
        const std::uint64_t action = random() % 8;
        if (action == 0) {
            table_.clear_deadline(slot);
            deadlines.erase(slot);
        } else if (action == 1) {
            table_.remove(slot);
            deadlines.erase(slot);
        } else {
            deadlines[slot] = random() % 1000;
            table_.set_deadline(slot, at(deadlines[slot]));
        }
        std::uint64_t earliest = ~std::uint64_t{0};
        for (const auto& [known, deadline] : deadlines) earliest = std::min(earliest, deadline);
        ASSERT_EQ(table_.next_deadline().has_value(), !deadlines.empty());
        if (deadlines.empty()) continue;
        ASSERT_EQ(table_.next_deadline(), at(earliest));
        ASSERT_EQ(deadlines[table_.due(at(earliest))], earliest);
    }
}

// After deadlines in the middle of the heap have gone, the rest comes out in order.
TEST_F(NeighborTableTest, GivesDeadlinesInOrderAfterSomeWereCleared) {
    std::mt19937_64 random(13);
    for (unsigned round = 0; round < 200; ++round) {
        std::vector<std::uint32_t> slots;
        for (std::uint32_t i = 0; i < kNeighbors; ++i) {
            slots.push_back(table_.find_or_add(1, IpAddress::v4(i)));
            table_.set_deadline(slots.back(), at(random() % 1000));
        }
        std::size_t left = kNeighbors;
        for (unsigned i = 0; i < kNeighbors / 2; ++i) {
            const std::uint32_t slot = slots[random() % kNeighbors];
            if (table_.deadline(slot)) --left;
            table_.clear_deadline(slot);
        }
        Time last = at(0);
        for (; left > 0; --left) {
            const std::uint32_t slot = table_.due(at(1000));
            ASSERT_NE(slot, kNoNeighbor);
            ASSERT_GE(table_.deadline(slot).value(), last);
            last = table_.deadline(slot).value();
            table_.clear_deadline(slot);
        }
        ASSERT_FALSE(table_.next_deadline().has_value());
    }
}

}  // namespace
}  // namespace weir

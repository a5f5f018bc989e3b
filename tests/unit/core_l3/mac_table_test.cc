// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/mac_table.h"

#include <cstdlib>
#include <memory>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace weir {
namespace {

constexpr Time units(std::uint64_t n) {
    return {n << kMacSeenShift};
}

std::vector<std::uint64_t> random_keys(std::uint64_t seed, std::size_t count) {
    std::mt19937_64 random(seed);
    std::set<std::uint64_t> keys;
    while (keys.size() < count) {
        const std::uint64_t draw = random();
        keys.insert(mac_key({draw & 0xfeff'ffff'ffff}, static_cast<VlanId>(1 + draw % 4094)));
    }
    return {keys.begin(), keys.end()};
}

// Every key gets a slot, keeps what is stored there while others move it, and is found.
void expect_all_fit(const std::vector<std::uint64_t>& keys) {
    std::vector<MacSlot> slots(kMacEntriesMax);
    for (std::size_t i = 0; i < keys.size(); ++i) {
        MacSlot* slot = insert_mac(slots, keys[i]);
        ASSERT_NE(slot, nullptr) << "key " << i;
        ASSERT_EQ(slot->port, kNoPort) << "a slot just taken is empty";
        slot->port = static_cast<PortId>(i % 251);
    }
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const MacSlot* slot = find_mac(slots, keys[i]);
        ASSERT_NE(slot, nullptr) << "key " << i;
        ASSERT_EQ(slot->port, i % 251);
    }
}

TEST(MacSlots, TakeSixteenThousandRandomMacs) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) expect_all_fit(random_keys(seed, 16'000));
}

TEST(MacSlots, TakeNinetyPerCentOfTheirNumber) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        expect_all_fit(random_keys(seed, kMacEntriesMax / 10 * 9));
    }
}

// Real MACs are not random: one vendor's in a row, or equal but for some bits in the middle.
TEST(MacSlots, TakeSixteenThousandMacsOfARow) {
    for (const unsigned shift : {0u, 1u, 4u, 8u, 12u, 16u, 24u, 32u}) {
        std::vector<std::uint64_t> keys;
        for (std::uint64_t i = 0; i < 16'000; ++i) {
            keys.push_back(mac_key({(0x0200'0000'0000 + (i << shift)) & 0xffff'ffff'ffff}, 1));
        }
        const std::set<std::uint64_t> unlike(keys.begin(), keys.end());
        ASSERT_EQ(unlike.size(), keys.size());
        expect_all_fit(keys);
    }
}

TEST(MacSlots, TakeOneMacInEveryVlanAndHaveNoRoomInEightForTheNinth) {
    std::vector<std::uint64_t> keys;
    for (VlanId vlan = 1; vlan <= 4094; ++vlan) keys.push_back(mac_key({0x0200'0000'0001}, vlan));
    expect_all_fit(keys);

    // Eight slots are two buckets, and both are every key's own.
    std::vector<MacSlot> slots(8);
    for (std::size_t i = 0; i < 8; ++i) EXPECT_NE(insert_mac(slots, keys[i]), nullptr);
    EXPECT_EQ(insert_mac(slots, keys[8]), nullptr);
    EXPECT_EQ(insert_mac(slots, keys[3]), find_mac(slots, keys[3])) << "it has a slot already";
    EXPECT_EQ(find_mac(slots, keys[8]), nullptr);
}

// Whatever their hashes are: a key never has just one bucket.
TEST(MacSlots, TakeAnyEightMacsInEightSlots) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        std::vector<MacSlot> slots(8);
        for (const std::uint64_t key : random_keys(seed, 8)) {
            ASSERT_NE(insert_mac(slots, key), nullptr) << "seed " << seed;
        }
    }
}

class MacTableTest : public testing::Test {
  protected:
    explicit MacTableTest(std::uint32_t entries = 1024) {
        Arena counting{{}};
        table_.lay_out(counting, entries);
        memory_.resize(counting.used_bytes() + Arena::kAlign);
        void* at = memory_.data();
        std::size_t room = memory_.size();
        std::align(Arena::kAlign, counting.used_bytes(), at, room);
        Arena arena{{static_cast<std::byte*>(at), counting.used_bytes()}};
        table_.lay_out(arena, entries);
    }

    // Ages the whole table; the keys that went and were ours.
    std::vector<std::uint64_t> age(Time now) {
        std::vector<std::uint64_t> gone;
        table_.age(now, kAgeing, static_cast<std::uint32_t>(table_.slots().size()),
                   [&](std::uint64_t key) { gone.push_back(key); });
        return gone;
    }

    // In units of 2^30 ps: 300e12 / 1073741824 = 279396.77, rounded up to 279397.
    static constexpr Interval kAgeing = Interval::seconds(300);
    static constexpr std::uint64_t kAgeingUnits = 279'397;
    static constexpr std::uint64_t kKey = mac_key({0x0200'0000'0001}, 7);
    static constexpr std::uint64_t kOther = mac_key({0x0200'0000'0002}, 7);

    std::vector<std::byte> memory_;
    MacTable table_;
};

using Learned = MacTable::Learned;

TEST_F(MacTableTest, FindsWhatItLearnedInItsVlanOnly) {
    EXPECT_EQ(table_.find(kKey), kNoPort);
    EXPECT_EQ(table_.learn(units(5), kKey, 3, kAgeing), Learned::New);
    EXPECT_EQ(table_.find(kKey), 3);
    EXPECT_EQ(table_.find(mac_key({0x0200'0000'0001}, 8)), kNoPort);
    EXPECT_EQ(table_.size(), 1u);
    EXPECT_EQ(table_.learn(units(5), kKey, 3, kAgeing), Learned::Known);
    EXPECT_EQ(table_.learn(units(6), kKey, 4, kAgeing), Learned::Moved);
    EXPECT_EQ(table_.find(kKey), 4);
    EXPECT_EQ(table_.size(), 1u);
}

// 279397 has 19 bits, so a fraction is 2^(19 - 3) = 65536 units (70 s, between a quarter and an
// eighth of 300 s).
TEST_F(MacTableTest, RefreshesOncePerFractionOfTheAgeingTime) {
    EXPECT_EQ(table_.learn(units(100), kKey, 3, kAgeing), Learned::New);
    EXPECT_EQ(table_.learn(units(65'535), kKey, 3, kAgeing), Learned::Known);
    EXPECT_EQ(table_.learn(units(65'536), kKey, 3, kAgeing), Learned::Refreshed);
    EXPECT_EQ(table_.learn(units(65'536), kKey, 3, kAgeing), Learned::Known);
    EXPECT_EQ(table_.learn(units(131'071), kKey, 3, kAgeing), Learned::Known);
    EXPECT_EQ(table_.learn(units(131'072), kKey, 3, kAgeing), Learned::Refreshed);
}

TEST_F(MacTableTest, ForgetsWhatWasIdleForLongerThanTheAgeingTime) {
    ASSERT_EQ(table_.learn(units(10), kKey, 3, kAgeing), Learned::New);
    ASSERT_EQ(table_.learn(units(11), kOther, 3, kAgeing), Learned::New);
    const Time end = units(10 + kAgeingUnits + 1);
    EXPECT_TRUE(age(end - Interval::picoseconds(1)).empty());
    EXPECT_EQ(age(end), std::vector<std::uint64_t>{kKey});
    EXPECT_EQ(table_.find(kKey), kNoPort);
    EXPECT_EQ(table_.find(kOther), 3);
    EXPECT_EQ(table_.size(), 1u);
}

TEST_F(MacTableTest, KeepsWhatWasSeenAgain) {
    ASSERT_EQ(table_.learn(units(10), kKey, 3, kAgeing), Learned::New);
    ASSERT_EQ(table_.learn(units(200), kKey, 3, kAgeing), Learned::Known);
    EXPECT_TRUE(age(units(200 + kAgeingUnits)).empty());
    EXPECT_EQ(age(units(201 + kAgeingUnits)).size(), 1u);
}

TEST_F(MacTableTest, AgesAcrossTheWrapOfTime) {
    const Time before{~std::uint64_t{0}};
    ASSERT_EQ(table_.learn(before, kKey, 3, kAgeing), Learned::New);
    const Time at_limit = before + Interval::picoseconds(1) +
                          Interval::picoseconds(std::int64_t{kAgeingUnits} << kMacSeenShift);
    EXPECT_TRUE(age(at_limit - Interval::picoseconds(1)).empty());
    EXPECT_EQ(age(at_limit).size(), 1u);
}

TEST_F(MacTableTest, LooksAtAsManySlotsAsAskedAndGoesRound) {
    ASSERT_EQ(table_.learn(units(0), kKey, 3, kAgeing), Learned::New);
    const auto all = static_cast<std::uint32_t>(table_.slots().size());
    const std::uint32_t step = all / 4;
    unsigned gone = 0;
    unsigned steps_with_one = 0;
    for (unsigned i = 0; i < 4; ++i) {
        unsigned here = 0;
        table_.age(units(kAgeingUnits + 1), kAgeing, step, [&](std::uint64_t) { ++here; });
        gone += here;
        steps_with_one += here != 0 ? 1 : 0;
    }
    EXPECT_EQ(gone, 1u);
    EXPECT_EQ(steps_with_one, 1u);
}

TEST_F(MacTableTest, LeavesWhatAnotherShardLearnedToItForTwiceTheTime) {
    table_.learn_remote(units(10), kKey, 9);
    EXPECT_EQ(table_.find(kKey), 9);
    EXPECT_TRUE(age(units(10 + 2 * kAgeingUnits)).empty());
    EXPECT_EQ(table_.find(kKey), 9);
    EXPECT_TRUE(age(units(11 + 2 * kAgeingUnits)).empty()) << "nobody is told";
    EXPECT_EQ(table_.find(kKey), kNoPort);
    EXPECT_EQ(table_.size(), 0u);
}

// A port may change its shard with a reload.
TEST_F(MacTableTest, TakesOverWhatAnotherShardLearnedOnTheSamePort) {
    table_.learn_remote(units(10), kKey, 3);
    EXPECT_EQ(table_.learn(units(10), kKey, 3, kAgeing), Learned::Moved);
    EXPECT_EQ(table_.learn(units(10), kKey, 3, kAgeing), Learned::Known);
    EXPECT_EQ(age(units(11 + kAgeingUnits)), std::vector<std::uint64_t>{kKey});
}

TEST_F(MacTableTest, TakesOverWhatMovedHereFromAnotherShard) {
    table_.learn_remote(units(10), kKey, 9);
    EXPECT_EQ(table_.learn(units(11), kKey, 3, kAgeing), Learned::Moved);
    table_.forget_remote(kKey);  // the old owner's message comes late
    EXPECT_EQ(table_.find(kKey), 3);
    table_.learn_remote(units(12), kKey, 9);
    EXPECT_EQ(table_.find(kKey), 9);
    EXPECT_EQ(table_.size(), 1u);
    table_.forget_remote(kKey);
    EXPECT_EQ(table_.find(kKey), kNoPort);
    EXPECT_EQ(table_.size(), 0u);
}

TEST_F(MacTableTest, ForgetsAKeyOrAPort) {
    ASSERT_EQ(table_.learn(units(0), kKey, 3, kAgeing), Learned::New);
    ASSERT_EQ(table_.learn(units(0), kOther, 4, kAgeing), Learned::New);
    table_.forget_port(3);
    EXPECT_EQ(table_.find(kKey), kNoPort);
    EXPECT_EQ(table_.find(kOther), 4);
    table_.forget(kOther);
    table_.forget(kOther);
    EXPECT_EQ(table_.size(), 0u);
}

class SmallMacTableTest : public MacTableTest {
  protected:
    SmallMacTableTest() : MacTableTest(8) {}
};

TEST_F(SmallMacTableTest, IsFullWithEightAndSaysSo) {
    for (std::uint64_t i = 0; i < 8; ++i) {
        EXPECT_EQ(table_.learn(units(0), mac_key({0x10 + i}, 1), 1, kAgeing), Learned::New);
    }
    EXPECT_EQ(table_.learn(units(0), kKey, 1, kAgeing), Learned::Full);
    table_.learn_remote(units(0), kKey, 1);
    EXPECT_EQ(table_.find(kKey), kNoPort);
    EXPECT_EQ(table_.size(), 8u);
    table_.forget(mac_key({0x13}, 1));
    EXPECT_EQ(table_.learn(units(0), kKey, 1, kAgeing), Learned::New);
}

TEST(MacIdle, IsTheTimeSinceTheMacWasSeen) {
    const MacSlot slot{.key = 1, .seen = mac_seen_units(units(7)), .port = 1};
    EXPECT_EQ(mac_idle(slot, units(7)), Interval{});
    EXPECT_EQ(mac_idle(slot, units(10)), Interval::picoseconds(std::int64_t{3} << kMacSeenShift));
}

}  // namespace
}  // namespace weir

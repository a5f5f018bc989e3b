// SPDX-License-Identifier: BSD-3-Clause
// One switch of several shards: bytes stay on the account of the shard that received a frame, and
// another one lets go of them.
#include <gtest/gtest.h>

#include "dataplane/core/hold.h"
#include "dataplane/core/pfc.h"
#include "dataplane/core/prng.h"
#include "tests/unit/core/shards_rig.h"

namespace weir {
namespace {

void make_lossless(CompiledTables& tables) {
    for (PortId port = 0; port < kPorts; ++port) {
        tables.ports[port].pfc_priorities = 1u << 3;
        tables.groups[group_of(port, 3)] = {.headroom_bytes = 3'000,
                                            .xon_offset_bytes = 2'000,
                                            .shared_limit_bytes = 5'000,
                                            .dynamic = false,
                                            .lossless = true};
    }
}

Octets routed(std::uint16_t bytes = 1'000) {
    return udp({.bytes = bytes});
}

// Five frames reach the threshold of shard 0's group while they wait in shard 1. It sends two:
// 3,000 are left, 2,000 below the threshold. The next turn of shard 0 begins with that, and
// resumes.
TEST(Shards, ATurnBeginsWithWhatOthersHaveSent) {
    ShardsRig rig(2, make_lossless);
    rig.receive(0, std::vector<Octets>(5, routed()));
    EXPECT_EQ(rig.hand_over(1, 32), 5u);
    EXPECT_TRUE(rig.group(0, 3).paused);
    EXPECT_EQ(rig.send(0, 32), 1u);  // the pause
    EXPECT_EQ(rig.send(1, 1), 1u);
    rig.settle(0);
    EXPECT_EQ(rig.group(0, 3).held(), 4'000u);
    EXPECT_EQ(rig.group(0, 3).frames, 4u);
    EXPECT_TRUE(rig.group(0, 3).paused);
    EXPECT_EQ(rig.send(1, 1), 1u);
    EXPECT_EQ(rig.group(0, 3).held(), 4'000u) << "shard 0 has not looked";
    rig.settle(0);
    EXPECT_EQ(rig.group(0, 3).held(), 3'000u);
    EXPECT_FALSE(rig.group(0, 3).paused);
    EXPECT_EQ(rig.send(0, 32), 1u);  // the resume
    EXPECT_EQ(rig.pfc_frames[0], 2u);
}

// A pool of 10,000 bytes and alpha 1 for two groups in two shards: the first stops at half; the
// second sees 5,000 in use and stops at half of the rest.
TEST(Shards, ThePoolIsOne) {
    ShardsRig rig(2, [](CompiledTables& tables) { tables.tables.shared_pool_bytes = 10'000; });
    rig.receive(0, std::vector<Octets>(10, routed(500)));
    rig.receive(0, std::vector<Octets>(10, routed(500)));
    EXPECT_EQ(rig.group(0, 3).held(), 5'000u);
    rig.receive(
        1, std::vector<Octets>(
               20, udp({.destination = {kPortMacs.value + 1}, .from = 0x0a03'0002, .bytes = 500})));
    EXPECT_EQ(rig.group(1, 3).held(), 2'500u);
    EXPECT_EQ(rig.drops(0, DropReason::SharedBufferFull), 10u);
    EXPECT_EQ(rig.drops(1, DropReason::SharedBufferFull), 15u);
}

// The stormed queue is shard 1's. Shard 0 learns of it and drops what would go there before it is
// held; what was on its way is dropped over there.
TEST(Shards, AStormIsKnownToAll) {
    ShardsRig rig(2, [](CompiledTables& tables) {
        make_lossless(tables);
        tables.ports[1].speed_bps = 1'000'000'000;  // 62,500 quanta of 512 ns: 32 ms
        tables.tables.watchdog.enabled = true;
    });
    const auto pause = [&] {
        Octets bytes(60);
        write_pfc_frame(std::span<std::uint8_t, kPfcFrameBytes>(bytes), {1},
                        {0x08, {0, 0, 0, 62'500, 0, 0, 0, 0}});
        rig.receive(1, {bytes});
    };
    rig.receive(0, {routed()});
    EXPECT_EQ(rig.hand_over(1, 32), 1u);
    rig.receive(0, {routed()});  // stays in the ring
    for (int i = 0; i <= 20; ++i) {
        pause();
        rig.tick();
        rig.now = rig.now + Interval::milliseconds(10);
    }
    EXPECT_EQ(rig.of(1).counters(1).storms_detected[3].read(), 1u);
    EXPECT_EQ(rig.drops(1, DropReason::PauseStorm), 1u);
    EXPECT_EQ(rig.hand_over(1, 32), 1u);
    EXPECT_EQ(rig.drops(1, DropReason::PauseStorm), 2u);
    rig.settle(0);
    EXPECT_EQ(rig.group(0, 3).held(), 0u);
    rig.of(0).clear_watermarks();
    rig.receive(0, std::vector<Octets>(20, routed()));
    EXPECT_EQ(rig.drops(1, DropReason::PauseStorm), 22u);
    EXPECT_EQ(rig.group(0, 3).shared_bytes_max, 0u);
    EXPECT_EQ(rig.of(0).counters(1).storm_drops[3].read(), 20u);
    EXPECT_EQ(rig.frames_inside(), 0u);
}

HeldNow all_held_now(ShardsRig& rig, unsigned shards) {
    HeldNow all;
    for (unsigned shard = 0; shard < shards; ++shard) {
        const HeldNow one = held_now(rig.shard(shard).state());
        all.bytes += one.bytes;
        all.frames += one.frames;
    }
    return all;
}

// Settling tells the groups what held_now() has known before.
void expect_held_now_is_what_settles(ShardsRig& rig, unsigned shards) {
    const HeldNow known = all_held_now(rig, shards);
    for (unsigned shard = 0; shard < shards; ++shard) rig.settle(shard);
    HeldNow settled;
    for (PortId port = 0; port < kPorts; ++port) {
        for (Priority priority = 0; priority < kPriorities; ++priority) {
            settled.bytes += rig.group(port, priority).held();
            settled.frames += rig.group(port, priority).frames;
        }
    }
    ASSERT_EQ(known.bytes, settled.bytes);
    ASSERT_EQ(known.frames, settled.frames);
}

// Random bursts, hand-offs, partial sending and settling: what a group holds is never less than
// what is really there, and in the end every account is closed to the byte and the frame.
class ManyShards : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(ManyShards, NoByteIsLostOrCountedTwice) {
    Prng prng(GetParam());
    const unsigned shards = 2 + prng.below(3);
    ShardsRig rig(shards, [&](CompiledTables& tables) {
        make_lossless(tables);
        tables.tables.shared_pool_bytes = 60'000;
        tables.tables.queue_bytes_max = 20'000;
    });
    for (unsigned step = 0; step < 4'000; ++step) {
        const auto port = static_cast<PortId>(prng.below(kPorts));
        std::vector<Octets> burst;
        for (unsigned n = prng.below(33); n > 0; --n) {
            UdpFrame fields{.destination = {kPortMacs.value + port},
                            .source = {0x0a00'0000'0000u + port},
                            .from = 0x0a03'0002,
                            .dscp = static_cast<std::uint8_t>(prng.below(64)),
                            .bytes = static_cast<std::uint16_t>(70 + prng.below(900))};
            if (port >= 2) fields.destination = {0x0a00'0000'0000u + prng.below(kPorts)};
            burst.push_back(udp(fields));
        }
        rig.receive(port, burst);
        for (unsigned n = prng.below(3); n > 0; --n) rig.hand_over(prng.below(shards), 32);
        for (unsigned n = prng.below(4); n > 0; --n) {
            rig.send(static_cast<PortId>(prng.below(kPorts)), prng.below(33));
        }
        if (prng.below(2) == 0) rig.settle(prng.below(shards));
        if (prng.below(8) == 0) expect_held_now_is_what_settles(rig, shards);
        std::uint64_t held = 0;
        for (PortId p = 0; p < kPorts; ++p) {
            for (Priority q = 0; q < kPriorities; ++q) held += rig.group(p, q).frames;
        }
        ASSERT_LE(rig.frames_inside(), held + 4 * 2 * 1'092) << "own frames are on no account";
    }
    for (int i = 0; i < 2'000; ++i) {
        for (unsigned shard = 0; shard < shards; ++shard) rig.hand_over(shard, 32);
        for (PortId port = 0; port < kPorts; ++port) rig.send(port, 32);
    }
    EXPECT_EQ(rig.frames_inside(), 0u);
    for (unsigned shard = 0; shard < shards; ++shard) rig.settle(shard);
    for (PortId port = 0; port < kPorts; ++port) {
        for (Priority priority = 0; priority < kPriorities; ++priority) {
            const PriorityGroup& group = rig.group(port, priority);
            EXPECT_EQ(group.held(), 0u);
            EXPECT_EQ(group.frames, 0u);
            EXPECT_FALSE(group.paused);
        }
        EXPECT_EQ(rig.of(port).state().buffer.shared_used_bytes(), 0u);
        EXPECT_EQ(rig.of(port).state().buffer.frames_used(), 0u);
    }
}
INSTANTIATE_TEST_SUITE_P(Seeds, ManyShards, ::testing::Range<std::uint64_t>(1, 7));

}  // namespace
}  // namespace weir

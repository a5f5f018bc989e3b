// SPDX-License-Identifier: BSD-3-Clause
// Watchdog, hooks and rx_guard where the frame arrives in one shard and leaves by another: what
// ends over there comes off the account over here, once.
#include <gtest/gtest.h>

#include "dataplane/core/pfc.h"
#include "tests/unit/core/shards_rig.h"

namespace weir {
namespace {

constexpr const char* kFourBridged = R"(
switch: { name: rig }
ports:
  - { name: p0, device: "net_null0" }
  - { name: p1, device: "net_null1" }
  - { name: p2, device: "net_null2" }
  - { name: p3, device: "net_null3" }
)";

// Frames of 1,000 bytes: the fifth reaches the threshold, at 3,000 the group resumes.
void make_lossless(CompiledTables& tables) {
    for (PortId port = 0; port < kPorts; ++port) {
        tables.ports[port].pfc_priorities = 1u << 3 | 1u << 4;
        for (const Priority priority : {Priority{3}, Priority{4}}) {
            tables.groups[group_of(port, priority)] = {.headroom_bytes = 3'000,
                                                       .xon_offset_bytes = 2'000,
                                                       .shared_limit_bytes = 5'000,
                                                       .dynamic = false,
                                                       .lossless = true};
        }
    }
}

// Ports 0 (shard 0) and 1 (shard 1) are uplinks.
void make_hooks(CompiledTables& tables) {
    make_lossless(tables);
    HookTable& hooks = tables.tables.hooks;
    hooks.uplinks.add(0);
    hooks.uplinks.add(1);
    hooks.first[3] = {.priority = 4, .dscp = 34, .moves = true};
    hooks.second[34] = {.priority = 1, .dscp = 10, .moves = true};
    tables.tables.queue_bytes_max = 4'000;
}

Octets routed(std::uint8_t dscp) {
    return udp({.dscp = dscp, .bytes = 1'000});
}

// The first hook waits in the lossless queue 4 of shard 1 and on the account of priority 3 in
// shard 0: no queue limit drops it, and its pause names 3.
TEST(ShardGuards, AFirstHookIsLosslessInTheOtherShard) {
    ShardsRig rig(2, make_hooks);
    rig.receive(0, std::vector<Octets>(6, routed(26)));
    EXPECT_EQ(rig.hand_over(1, 32), 6u);
    EXPECT_EQ(rig.group(0, 3).held(), 6'000u);
    EXPECT_EQ(rig.group(0, 4).held(), 0u);
    EXPECT_EQ(rig.of(0).counters(0).pauses_sent[3].read(), 1u);
    EXPECT_EQ(rig.of(1).egress().queues().at(1, 4).frames, 6u);
    EXPECT_EQ(rig.send(1, 32), 6u);
    EXPECT_EQ(rig.of(1).counters(1).sent_by_priority[4].read(), 6u);
    rig.settle(0);
    EXPECT_EQ(rig.group(0, 3).held(), 0u);
    EXPECT_EQ(rig.of(0).counters(0).resumes_sent[3].read(), 1u);
}

// The second hook arrives in the lossless priority 4 and leaves in the lossy 1: of five frames of
// 1,000 bytes the queue of 4,000 takes four. The fifth is dropped in shard 1, and all five come off
// the account of priority 4 in shard 0.
TEST(ShardGuards, ASecondHookIsDroppedAtTheOtherShardsQueueLimit) {
    ShardsRig rig(2, make_hooks);
    rig.receive(0, std::vector<Octets>(5, routed(34)));
    EXPECT_EQ(rig.group(0, 4).held(), 5'000u);
    EXPECT_TRUE(rig.group(0, 4).paused);
    EXPECT_EQ(rig.of(0).counters(0).hooked_second[4].read(), 5u);
    EXPECT_EQ(rig.hand_over(1, 32), 5u);
    EXPECT_EQ(rig.drops(1, DropReason::QueueFull), 1u);
    rig.settle(0);
    EXPECT_EQ(rig.group(0, 4).held(), 4'000u);
    EXPECT_EQ(rig.send(1, 32), 4u);
    rig.settle(0);
    EXPECT_EQ(rig.group(0, 4).held(), 0u);
    EXPECT_EQ(rig.group(0, 4).frames, 0u);
    EXPECT_EQ(rig.group(0, 1).held(), 0u);
    EXPECT_FALSE(rig.group(0, 4).paused);
    EXPECT_EQ(rig.frames_inside(), 2u) << "a pause and a resume";
}

void storm_on_port_3(ShardsRig& rig) {
    for (int i = 0; i <= 20; ++i) {
        Octets bytes(60);
        write_pfc_frame(std::span<std::uint8_t, kPfcFrameBytes>(bytes), {1},
                        {0x08, {0, 0, 0, 62'500, 0, 0, 0, 0}});
        rig.receive(3, {bytes});
        rig.tick();
        rig.now = rig.now + Interval::milliseconds(10);
    }
}

// A frame to nobody known is copied to three ports. The stormed one (shard 1) drops its copy, also
// one that was on its way; the other two send theirs; then the account is empty.
TEST(ShardGuards, AFloodedCopyForAStormedPortIsDroppedAlone) {
    ShardsRig rig(
        2,
        [](CompiledTables& tables) {
            make_lossless(tables);
            tables.ports[3].speed_bps = 1'000'000'000;  // 62,500 quanta of 512 ns: 32 ms
            tables.tables.watchdog.enabled = true;
        },
        kFourBridged);
    const Octets unknown = udp({.destination = {0x0a00'0000'00ff}, .bytes = 1'000});
    rig.receive(0, {unknown});
    EXPECT_EQ(rig.group(0, 3).held(), 3'000u);
    for (unsigned shard = 0; shard < 2; ++shard) (void)rig.hand_over(shard, 32);
    storm_on_port_3(rig);
    EXPECT_EQ(rig.of(3).counters(3).storms_detected[3].read(), 1u);
    EXPECT_EQ(rig.drops(3, DropReason::PauseStorm), 1u) << "the copy that made it a storm";
    rig.receive(0, {unknown});
    for (unsigned shard = 0; shard < 2; ++shard) (void)rig.hand_over(shard, 32);
    EXPECT_EQ(rig.drops(3, DropReason::PauseStorm), 2u);
    EXPECT_EQ(rig.send(1, 32), 2u);
    EXPECT_EQ(rig.send(2, 32), 2u);
    EXPECT_EQ(rig.send(3, 32), 0u);
    for (unsigned shard = 0; shard < 2; ++shard) rig.settle(shard);
    EXPECT_EQ(rig.group(0, 3).held(), 0u);
    // Two copies waited while three more came: 5,000 bytes are the threshold.
    EXPECT_EQ(rig.frames_inside(), 2u) << "a pause and a resume for port 0";
}

// The group is over its threshold and the RX ring over its limit. The other shard sends everything,
// but only when the ring has emptied as well is the peer resumed, once.
TEST(ShardGuards, ARingThatIsGuardedOutlastsTheOtherShardsReleases) {
    ShardsRig rig(2, [](CompiledTables& tables) {
        make_lossless(tables);
        tables.tables.rx_guard_frames = 100;
    });
    rig.receive(0, std::vector<Octets>(5, routed(26)));
    EXPECT_EQ(rig.hand_over(1, 32), 5u);
    rig.guard_ring(0, 100);
    EXPECT_EQ(rig.of(0).counters(0).pauses_sent[4].read(), 1u) << "all lossless priorities";
    EXPECT_EQ(rig.send(1, 32), 5u);
    rig.settle(0);
    EXPECT_FALSE(rig.group(0, 3).paused);
    EXPECT_EQ(rig.of(0).counters(0).resumes_sent[3].read(), 0u);
    rig.guard_ring(0, 51);  // half of 100 is 50: not yet
    EXPECT_EQ(rig.of(0).counters(0).resumes_sent[3].read(), 0u);
    rig.guard_ring(0, 50);
    EXPECT_EQ(rig.of(0).counters(0).resumes_sent[3].read(), 1u);
    EXPECT_EQ(rig.of(0).counters(0).resumes_sent[4].read(), 1u);
}

}  // namespace
}  // namespace weir

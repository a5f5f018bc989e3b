// SPDX-License-Identifier: BSD-3-Clause
// The switch's own frames: PFC has a share of its own beside answers to ARP and the like.
#include <gtest/gtest.h>

#include "dataplane/core/wire.h"
#include "tests/unit/core/switch_rig.h"

namespace weir {
namespace {

constexpr const char* kRouter = R"(
switch: { name: rig }
ports:
  - { name: p0, device: "net_null0", addresses: [10.1.0.1/24] }
  - { name: p1, device: "net_null1", addresses: [10.3.0.1/24] }
routes:
  - { prefix: 10.2.0.0/24, via: [10.3.0.2] }
neighbors:
  - { address: 10.3.0.2, mac: "0a:00:00:00:03:02" }
)";

// Five frames of 1,000 bytes reach the threshold.
void make_lossless(CompiledTables& tables) {
    tables.groups[group_of(0, 3)] = {.headroom_bytes = 3'000,
                                     .xon_offset_bytes = 2'000,
                                     .shared_limit_bytes = 5'000,
                                     .dynamic = false,
                                     .lossless = true};
    tables.ports[0].pfc_priorities = 1u << 3;
}

// 10.1.0.2 asks for 10.1.0.1.
Octets arp_request() {
    Octets request(60);
    write_mac(request.data(), kBroadcastMac);
    write_mac(request.data() + 6, {0x0a00'0000'0001});
    write_be16(request.data() + 12, 0x0806);
    const std::uint8_t arp[] = {0, 1, 8, 0, 6, 4, 0, 1};
    std::copy(std::begin(arp), std::end(arp), request.begin() + 14);
    write_mac(request.data() + 22, {0x0a00'0000'0001});
    write_be32(request.data() + 28, 0x0a01'0002);
    write_be32(request.data() + 38, 0x0a01'0001);
    return request;
}

bool is_pfc(const Octets& frame) {
    return frame[12] == 0x88 && frame[13] == 0x08;
}

// 65,536 / 60 = 1,092 answers wait, the rest of 2,000 is dropped; a pause finds room all the same,
// and leaves before them.
TEST(OwnFrames, AnArpFloodNeitherDropsNorDelaysAPause) {
    SwitchRig rig(kRouter, make_lossless);
    for (int i = 0; i < 2'000; ++i) rig.receive(0, {arp_request()});
    EXPECT_EQ(rig.drops(0, DropReason::QueueFull), 908u);
    // Its own frames are not of the priorities' queues.
    for (const Counter& drops : rig.shard->counters(0).queue_drops) EXPECT_EQ(drops.read(), 0u);
    rig.receive(0, std::vector<Octets>(5, udp({.bytes = 1'000})));
    EXPECT_EQ(rig.drops(0, DropReason::QueueFull), 908u);
    const std::vector<Octets> frames = rig.sent(0);
    ASSERT_EQ(frames.size(), 1'093u);
    EXPECT_TRUE(is_pfc(frames[0]));
    for (std::size_t i = 1; i < frames.size(); ++i) ASSERT_FALSE(is_pfc(frames[i])) << i;
}

// The device takes nothing while a pause and its end alternate: one frame per call that tells, so
// 1,092 of them wait; data and answers still have their own room.
TEST(OwnFrames, PausesDoNotTakeTheRoomOfAnswers) {
    SwitchRig rig(kRouter, make_lossless);
    for (int i = 0; i < 700; ++i) {
        rig.receive(0, std::vector<Octets>(5, udp({.bytes = 1'000})));
        (void)rig.sent(1);
    }
    EXPECT_EQ(rig.shard->counters(0).pfc_frames_sent.read(), 1'400u);
    EXPECT_EQ(rig.drops(0, DropReason::QueueFull), 1'400u - 1'092u);
    rig.receive(0, {arp_request()});
    EXPECT_EQ(rig.drops(0, DropReason::QueueFull), 1'400u - 1'092u);
    EXPECT_EQ(rig.sent(0).size(), 1'093u);
}

// A limit of 100 frames in the RX ring: 99 pause nobody, 100 do, once; it lasts down to 51 and ends
// at 50. A group that is itself paused stays so.
TEST(RxGuard, PausesWhileTheRingIsFull) {
    SwitchRig rig(kRouter, [](CompiledTables& tables) {
        make_lossless(tables);
        tables.tables.rx_guard_frames = 100;
    });
    const PortCounters& counters = rig.shard->counters(0);
    rig.guard_ring(0, 99);
    EXPECT_TRUE(rig.sent(0).empty());
    rig.guard_ring(0, 100);
    rig.guard_ring(0, 200);
    rig.guard_ring(0, 51);
    EXPECT_EQ(counters.pauses_sent[3].read(), 1u);
    EXPECT_EQ(counters.pauses_sent[4].read(), 0u) << "lossless priorities only";
    EXPECT_EQ(counters.resumes_sent[3].read(), 0u);
    // The group passes its threshold and drains meanwhile: that resumes nobody yet.
    rig.receive(0, std::vector<Octets>(5, udp({.bytes = 1'000})));
    EXPECT_EQ(rig.sent(1).size(), 5u);
    EXPECT_EQ(counters.resumes_sent[3].read(), 0u);
    rig.guard_ring(0, 50);
    EXPECT_EQ(counters.resumes_sent[3].read(), 1u);
    // And the other way round.
    rig.guard_ring(0, 100);
    rig.receive(0, std::vector<Octets>(5, udp({.bytes = 1'000})));
    rig.guard_ring(0, 0);
    EXPECT_EQ(counters.resumes_sent[3].read(), 1u);
    EXPECT_EQ(rig.sent(1).size(), 5u);
    EXPECT_EQ(counters.resumes_sent[3].read(), 2u);
    // Turned off while it pauses.
    rig.guard_ring(0, 100);
    rig.reload(kRouter, make_lossless);
    EXPECT_EQ(counters.resumes_sent[3].read(), 3u);
}

// The operator pauses priority 4, which no group does: told at once, refreshed at half of 65,535
// quanta of 51.2 ns (1,677.696 us at 10 Gb/s), not ended by a ring that empties, until called off.
TEST(PauseStorm, LastsUntilItIsCalledOff) {
    SwitchRig rig(kRouter, [](CompiledTables& tables) {
        make_lossless(tables);
        tables.ports[0].speed_bps = 10'000'000'000;
        tables.tables.rx_guard_frames = 100;
    });
    const PortCounters& counters = rig.shard->counters(0);
    rig.force_pause(0, 0x10);
    rig.force_pause(0, 0x10);
    EXPECT_EQ(counters.pauses_sent[4].read(), 1u);
    rig.pass(Interval{1'677'696'000 - 1});
    rig.tick();
    EXPECT_EQ(counters.pauses_sent[4].read(), 1u);
    rig.pass(Interval{1});
    rig.tick();
    EXPECT_EQ(counters.pauses_sent[4].read(), 2u);
    rig.guard_ring(0, 100);
    rig.guard_ring(0, 0);
    EXPECT_EQ(counters.resumes_sent[3].read(), 1u);
    EXPECT_EQ(counters.resumes_sent[4].read(), 0u);
    // The frame that resumes 3 says again that 4 stays paused.
    const Octets resume = rig.sent(0).back();
    EXPECT_EQ(read_be16(&resume[16]), 0x18);
    EXPECT_EQ(read_be16(&resume[18 + 2 * 3]), 0);
    EXPECT_EQ(read_be16(&resume[18 + 2 * 4]), 0xffff);
    rig.force_pause(0, 0);
    EXPECT_EQ(counters.resumes_sent[4].read(), 1u);
}

}  // namespace
}  // namespace weir

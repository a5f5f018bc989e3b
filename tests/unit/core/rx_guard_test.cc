// SPDX-License-Identifier: BSD-3-Clause
// Pauses that the buffer does not ask for: a device's RX ring that fills up, and the operator's
// pause storm.
#include <gtest/gtest.h>

#include "dataplane/core/pfc.h"
#include "dataplane/core/wire.h"
#include "tests/unit/core/switch_rig.h"

namespace weir {
namespace {

constexpr const char* kTwoPorts = R"(
switch: { name: rig }
ports:
  - { name: a, device: "net_null0" }
  - { name: b, device: "net_null1" }
)";

// RX rings are full enough at 100 frames. Priorities 3 and 4 of port 0 are lossless; the group of
// priority 3 pauses at the fifth frame of 1,000 bytes and resumes at 3,000.
void guard_at_100(CompiledTables& tables) {
    tables.tables.rx_guard_frames = 100;
    tables.ports[0].speed_bps = 10'000'000'000;
    tables.ports[0].pfc_priorities = 0x18;
    for (const Priority priority : {Priority{3}, Priority{4}}) {
        tables.groups[group_of(0, priority)] = {.headroom_bytes = 3'000,
                                                .xon_offset_bytes = 2'000,
                                                .shared_limit_bytes = 5'000,
                                                .dynamic = false,
                                                .lossless = true};
    }
}

struct Told {
    std::uint16_t enabled = 0;
    std::uint16_t third = 0;   // time of priority 3
    std::uint16_t fourth = 0;  // time of priority 4
    bool operator==(const Told&) const = default;
};

// The PFC frames that leave port 0 now; nothing else may.
std::vector<Told> told(SwitchRig& rig) {
    std::vector<Told> all;
    for (const Octets& frame : rig.sent(0)) {
        EXPECT_EQ(read_be16(frame.data() + 12), 0x8808);
        all.push_back({read_be16(frame.data() + 16), read_be16(frame.data() + 18 + 6),
                       read_be16(frame.data() + 18 + 8)});
    }
    return all;
}

const Told kPause{0x18, 0xffff, 0xffff};
const Told kResume{0x18, 0, 0};

TEST(RxGuard, PausesAtTheLimitAndResumesAtHalfOfIt) {
    SwitchRig rig(kTwoPorts, guard_at_100);
    rig.rx_ring_filled(0, 99);
    EXPECT_FALSE(rig.shard->rx_guarded(0));
    EXPECT_TRUE(told(rig).empty());
    rig.rx_ring_filled(0, 100);
    EXPECT_TRUE(rig.shard->rx_guarded(0));
    EXPECT_EQ(told(rig), std::vector{kPause});
    rig.rx_ring_filled(0, 100);  // it lasts: nothing new to say
    rig.rx_ring_filled(0, 51);
    EXPECT_TRUE(rig.shard->rx_guarded(0));
    EXPECT_TRUE(told(rig).empty());
    rig.rx_ring_filled(0, 50);
    EXPECT_FALSE(rig.shard->rx_guarded(0));
    EXPECT_EQ(told(rig), std::vector{kResume});
    const PortCounters& counters = rig.shard->counters(0);
    EXPECT_EQ(counters.rx_guards.read(), 1u);
    EXPECT_EQ(counters.pauses_sent[3].read(), 1u);
    EXPECT_EQ(counters.resumes_sent[4].read(), 1u);
}

TEST(RxGuard, LeavesLossyPortsAndAGuardThatIsOffAlone) {
    SwitchRig rig(kTwoPorts, guard_at_100);
    rig.rx_ring_filled(1, 5'000);
    EXPECT_FALSE(rig.shard->rx_guarded(1));
    EXPECT_TRUE(rig.sent(1).empty());
    SwitchRig off(kTwoPorts, [](CompiledTables& tables) {
        guard_at_100(tables);
        tables.tables.rx_guard_frames = 0;
    });
    off.rx_ring_filled(0, 5'000);
    EXPECT_FALSE(off.shard->rx_guarded(0));
    EXPECT_TRUE(off.sent(0).empty());
}

// 65,535 quanta of 51.2 ns at 10 Gb/s are 3,355.392 us: the pause is repeated after 1,677.696 us.
TEST(RxGuard, IsRefreshedAtHalfTheQuanta) {
    SwitchRig rig(kTwoPorts, guard_at_100);
    rig.rx_ring_filled(0, 100);
    EXPECT_EQ(told(rig), std::vector{kPause});
    rig.pass(Interval{1'677'696'000 - 1});
    rig.tick();
    EXPECT_TRUE(told(rig).empty());
    rig.pass(Interval{1});
    rig.tick();
    EXPECT_EQ(told(rig), std::vector{kPause});
}

// The group of priority 3 is full too. When the ring is empty, priority 4 is resumed and 3 is not;
// it is when the group has drained.
TEST(RxGuard, DoesNotResumeWhatTheBufferPauses) {
    SwitchRig rig(kTwoPorts, guard_at_100);
    rig.receive(1, {udp({.destination = {0x0a00'0000'0099}, .source = {0x0a00'0000'0002}})});
    (void)rig.sent(0);
    const Octets frame =
        udp({.destination = {0x0a00'0000'0002}, .source = {0x0a00'0000'0001}, .bytes = 1'000});
    rig.receive(0, std::vector<Octets>(5, frame));
    EXPECT_EQ(told(rig), (std::vector{Told{0x08, 0xffff, 0}}));
    rig.rx_ring_filled(0, 100);
    EXPECT_EQ(told(rig), std::vector{kPause});
    rig.rx_ring_filled(0, 50);
    EXPECT_EQ(told(rig), (std::vector{Told{0x18, 0xffff, 0}}));
    EXPECT_EQ(rig.sent(1).size(), 5u);
    EXPECT_EQ(told(rig), (std::vector{Told{0x08, 0, 0}}));
}

TEST(RxGuard, EndsWithTablesThatHaveNone) {
    SwitchRig rig(kTwoPorts, guard_at_100);
    rig.rx_ring_filled(0, 100);
    EXPECT_EQ(told(rig), std::vector{kPause});
    rig.reload(kTwoPorts, [](CompiledTables& tables) {
        guard_at_100(tables);
        tables.ports[0].pfc_priorities = 0x08;
    });
    EXPECT_EQ(told(rig), (std::vector{Told{0x18, 0xffff, 0}}));
    rig.reload(kTwoPorts, [](CompiledTables& tables) {
        guard_at_100(tables);
        tables.tables.rx_guard_frames = 0;
    });
    EXPECT_EQ(told(rig), (std::vector{Told{0x08, 0, 0}}));
    EXPECT_FALSE(rig.shard->rx_guarded(0));
}

TEST(PauseStorm, LastsUntilItIsCalledOff) {
    SwitchRig rig(kTwoPorts, guard_at_100);
    rig.force_pause(0, 0x10);
    EXPECT_EQ(told(rig), (std::vector{Told{0x10, 0, 0xffff}}));
    rig.pass(Interval{1'677'696'000});
    rig.tick();
    EXPECT_EQ(told(rig), (std::vector{Told{0x10, 0, 0xffff}}));
    rig.rx_ring_filled(0, 100);
    rig.rx_ring_filled(0, 0);  // resumes 3, not 4
    EXPECT_EQ(told(rig), (std::vector{kPause, Told{0x18, 0, 0xffff}}));
    rig.force_pause(0, 0);
    EXPECT_EQ(told(rig), (std::vector{Told{0x10, 0, 0}}));
}

}  // namespace
}  // namespace weir

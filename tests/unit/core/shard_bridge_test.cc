// SPDX-License-Identifier: BSD-3-Clause
// The learning bridge, through the shard.
#include <gtest/gtest.h>

#include "dataplane/core/wire.h"
#include "tests/unit/core/switch_rig.h"

namespace weir {
namespace {

constexpr MacAddress kA{0x0a00'0000'00aa};
constexpr MacAddress kB{0x0a00'0000'00bb};

constexpr const char* kPlain = R"(
switch: { name: rig }
ports:
  - { name: p0, device: "net_null0" }
  - { name: p1, device: "net_null1" }
  - { name: p2, device: "net_null2" }
)";

constexpr const char* kVlans = R"(
switch: { name: rig }
ports:
  - { name: p0, device: "net_null0", vlan: { native: 10, tagged: [20] } }
  - { name: p1, device: "net_null1", vlan: { native: 10 } }
  - { name: p2, device: "net_null2", vlan: { native: 20 } }
  - { name: p3, device: "net_null3", vlan: { native: 30, tagged: [10, 20] } }
)";

Octets from_to(MacAddress source, MacAddress destination, int tci = -1) {
    return udp({.destination = destination, .source = source, .tci = tci});
}

TEST(Bridge, FloodsTheUnknownAndLearns) {
    SwitchRig rig(kPlain);
    const Octets frame = from_to(kA, kB);
    rig.receive(0, {frame});
    EXPECT_EQ(rig.sent(1), std::vector<Octets>{frame});
    EXPECT_EQ(rig.sent(2), std::vector<Octets>{frame});
    EXPECT_TRUE(rig.sent(0).empty());
    EXPECT_EQ(rig.group(0, 3).held(), 0u);
    rig.receive(1, {from_to(kB, kA)});
    EXPECT_EQ(rig.sent(0).size(), 1u) << "A was learned on port 0";
    EXPECT_TRUE(rig.sent(2).empty());
    rig.receive(0, {frame});
    EXPECT_EQ(rig.sent(1).size(), 1u);
    EXPECT_TRUE(rig.sent(2).empty());
    EXPECT_EQ(rig.frames_inside(), 0u);
}

TEST(Bridge, OneOtherPortNeedsNoCopy) {
    SwitchRig rig(kPlain);
    rig.set_up(2, false);
    rig.receive(0, {from_to(kA, kBroadcastMac)});
    EXPECT_TRUE(rig.floods.empty());
    EXPECT_EQ(rig.sent(1).size(), 1u);
    rig.set_up(1, false);
    rig.receive(0, {from_to(kA, kBroadcastMac)});
    EXPECT_EQ(rig.drops(0, DropReason::NoOtherPortInVlan), 1u);
}

TEST(Bridge, AHostThatMovesIsFoundAtItsNewPort) {
    SwitchRig rig(kPlain);
    rig.receive(0, {from_to(kA, kB)});
    rig.receive(2, {from_to(kA, kB)});
    (void)rig.sent(1);
    (void)rig.sent(0);
    (void)rig.sent(2);
    rig.receive(1, {from_to(kB, kA)});
    EXPECT_EQ(rig.sent(2).size(), 1u);
    EXPECT_TRUE(rig.sent(0).empty());
    rig.receive(2, {from_to(kB, kA)});
    EXPECT_EQ(rig.drops(2, DropReason::DestinationOnIngressPort), 1u);
}

// 300 s by default. The pass over the table takes up to a quarter of that more.
TEST(Bridge, ForgetsWhoIsSilent) {
    SwitchRig rig(kPlain);
    rig.receive(0, {from_to(kA, kB)});
    const auto known = [&] {
        rig.receive(1, {from_to(kB, kA)});
        const bool unicast = rig.sent(2).empty();
        (void)rig.sent(0);
        return unicast;
    };
    (void)rig.sent(1);
    (void)rig.sent(2);
    for (int second = 0; second < 299; ++second) {
        for (int i = 0; i < 16; ++i) {
            rig.pass(Interval::milliseconds(62));
            rig.tick();
        }
    }
    EXPECT_TRUE(known());
    for (int i = 0; i < 80 * 16; ++i) {
        rig.pass(Interval::milliseconds(63));
        rig.tick();
    }
    EXPECT_FALSE(known());
}

TEST(Bridge, BehindADeadPortTheHostIsLookedForEverywhere) {
    SwitchRig rig(kPlain);
    rig.receive(0, {from_to(kA, kB)});
    (void)rig.sent(1);
    (void)rig.sent(2);
    rig.set_up(0, false);
    rig.receive(1, {from_to(kB, kA)});
    EXPECT_EQ(rig.sent(2).size(), 1u);
}

// Queued for a port that goes down: dropped by the tick, counted, the account closed.
TEST(Bridge, AQueueBehindADeadPortIsFreed) {
    SwitchRig rig(kPlain);
    rig.receive(1, {from_to(kB, kBroadcastMac)});
    (void)rig.sent(0);
    (void)rig.sent(2);
    for (int i = 0; i < 10; ++i) rig.receive(0, std::vector<Octets>(32, from_to(kA, kB)));
    rig.set_up(1, false);
    for (int i = 0; i < 10; ++i) rig.tick();
    EXPECT_EQ(rig.drops(1, DropReason::PortDown), 320u);
    EXPECT_EQ(rig.group(0, 3).held(), 0u);
    EXPECT_EQ(rig.frames_inside(), 0u);
}

// 01-80-C2-00-00-00 to -0F never pass (802.1Q table 8-1); -10 is an ordinary group address.
TEST(Bridge, LinkLocalGroupAddressesEndHere) {
    SwitchRig rig(kPlain);
    for (std::uint64_t last = 0; last < 16; ++last) {
        rig.receive(0, {from_to(kA, {0x0180'c200'0000 + last})});
    }
    EXPECT_EQ(rig.drops(0, DropReason::LinkLocalGroupAddress), 16u);
    EXPECT_TRUE(rig.sent(1).empty());
    rig.receive(0, {from_to(kA, {0x0180'c200'0010})});
    EXPECT_EQ(rig.sent(1).size(), 1u);
}

// Without `vlan` a port carries what comes, tagged or not, byte for byte; VID 1 is its native one
// and keeps its tag.
TEST(Bridge, TransparentPortsKeepTags) {
    SwitchRig rig(kPlain);
    for (const int tci : {-1, 0x6000, 0x6001, 0x6ffe}) {
        const Octets frame = from_to(kA, kB, tci);
        rig.receive(0, {frame});
        EXPECT_EQ(rig.sent(1), std::vector<Octets>{frame}) << tci;
    }
}

TEST(Bridge, FloodsWithinTheVlanOnly) {
    SwitchRig rig(kVlans);
    rig.receive(1, {from_to(kA, kBroadcastMac)});  // VLAN 10: p0 untagged, p3 tagged
    EXPECT_EQ(rig.sent(0), std::vector<Octets>{from_to(kA, kBroadcastMac)});
    // DSCP 26 is priority 3: it becomes the new tag's PCP.
    EXPECT_EQ(rig.sent(3), std::vector<Octets>{from_to(kA, kBroadcastMac, 3 << 13 | 10)});
    EXPECT_TRUE(rig.sent(2).empty());
    EXPECT_EQ(rig.group(1, 3).held(), 0u) << "a pushed tag is not on the group's account";
}

TEST(Bridge, TagsAreTakenOffPutOnAndKept) {
    SwitchRig rig(kVlans);
    rig.receive(0, {from_to(kA, kBroadcastMac, 5 << 13 | 20)});
    EXPECT_EQ(rig.sent(2), std::vector<Octets>{from_to(kA, kBroadcastMac)}) << "native: untagged";
    EXPECT_EQ(rig.sent(3), std::vector<Octets>{from_to(kA, kBroadcastMac, 5 << 13 | 20)});
    EXPECT_TRUE(rig.sent(1).empty());
    EXPECT_EQ(rig.group(0, 3).held(), 0u) << "a popped tag is still on the group's account";
    // A priority tag names no VLAN: it belongs to the native one and gets its VID where that is
    // tagged.
    rig.receive(0, {from_to(kA, kBroadcastMac, 6 << 13)});
    EXPECT_EQ(rig.sent(1), std::vector<Octets>{from_to(kA, kBroadcastMac, 6 << 13)});
    EXPECT_EQ(rig.sent(3), std::vector<Octets>{from_to(kA, kBroadcastMac, 6 << 13 | 10)});
}

TEST(Bridge, AVlanThatThePortDoesNotCarryIsRefused) {
    SwitchRig rig(kVlans);
    rig.receive(1, {from_to(kA, kBroadcastMac, 20)});
    EXPECT_EQ(rig.drops(1, DropReason::VlanNotMember), 1u);
    EXPECT_EQ(rig.frames_inside(), 0u);
}

TEST(Bridge, TheSameMacInTwoVlansIsTwoHosts) {
    SwitchRig rig(kVlans);
    rig.receive(1, {from_to(kA, kBroadcastMac)});  // VLAN 10 on p1
    rig.receive(2, {from_to(kA, kBroadcastMac)});  // VLAN 20 on p2
    for (PortId port = 0; port < 4; ++port) (void)rig.sent(port);
    rig.receive(0, {from_to(kB, kA), from_to(kB, kA, 20)});
    EXPECT_EQ(rig.sent(1).size(), 1u);
    EXPECT_EQ(rig.sent(2).size(), 1u);
    EXPECT_TRUE(rig.sent(3).empty());
}

TEST(Bridge, TooLongIsCountedWhereTheLimitIs) {
    SwitchRig rig(R"(
switch: { name: rig }
ports:
  - { name: p0, device: "net_null0", frame_bytes_max: 1518 }
  - { name: p1, device: "net_null1", frame_bytes_max: 1000 }
)");
    rig.receive(0, {udp({.destination = kB, .bytes = 1'519})});
    EXPECT_EQ(rig.drops(0, DropReason::FrameTooLong), 1u);
    rig.receive(
        0, {udp({.destination = kB, .bytes = 1'001}), udp({.destination = kB, .bytes = 1'000})});
    EXPECT_EQ(rig.drops(1, DropReason::FrameTooLongForPort), 1u);
    EXPECT_EQ(rig.sent(1).size(), 1u);
    EXPECT_EQ(rig.group(0, 3).held(), 0u);
}

TEST(Bridge, AQueueTakesItsLimit) {
    SwitchRig rig(kPlain, [](CompiledTables& tables) { tables.tables.queue_bytes_max = 1'000; });
    rig.set_up(2, false);
    for (int i = 0; i < 12; ++i) rig.receive(0, {from_to(kA, kB)});  // 100 bytes each
    EXPECT_EQ(rig.drops(1, DropReason::QueueFull), 2u);
    EXPECT_EQ(rig.shard->counters(1).queue_drops[3].read(), 2u);
    EXPECT_EQ(rig.sent(1).size(), 10u);
    EXPECT_EQ(rig.group(0, 3).held(), 0u);
}

TEST(Bridge, TellsTheOtherShardsWhatItLearned) {
    SwitchRig rig(kPlain);
    rig.receive(0, {from_to(kA, kB), from_to(kA, kB)});
    ASSERT_EQ(rig.messages.size(), 1u);
    EXPECT_EQ(rig.messages[0].key, mac_key(kA, 1));
    EXPECT_EQ(rig.messages[0].port, 0);
    rig.receive(0, {from_to(kA, kB)});
    EXPECT_TRUE(rig.messages.empty());
}

}  // namespace
}  // namespace weir

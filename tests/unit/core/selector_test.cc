// SPDX-License-Identifier: BSD-3-Clause
// Flowlet, spray and adaptive: when a flow changes its way, and to which.
#include <set>

#include <gtest/gtest.h>

#include "tests/unit/core/path_rig.h"

namespace weir {
namespace {

std::string with(const std::string& selector) {
    return four_uplinks("selector: " + selector + "\nflowlet: {gap: 50us}\n");
}

// 50 us: 49.999 us after its last frame a flow is where it was; at 50 us it is drawn anew. Of four
// ways a draw takes another with probability 3/4: 64 flows stay all the same with 4^-64.
TEST(Flowlet, IsDrawnAnewAfterItsGapExactly) {
    SwitchRig rig(with("flowlet"));
    unsigned moved = 0;
    for (std::uint16_t n = 0; n < 64; ++n) {
        const UdpFrame flow{.source_port = n};
        const PortId first = way_of(rig, flow);
        for (int i = 0; i < 20; ++i) {
            rig.pass(Interval::microseconds(50) - Interval::picoseconds(1'000));
            ASSERT_EQ(way_of(rig, flow), first) << n;
        }
        rig.pass(Interval::microseconds(50));
        moved += way_of(rig, flow) != first ? 1 : 0;
    }
    EXPECT_GT(moved, 32u);
    EXPECT_LT(moved, 64u);
}

TEST(Flowlet, UsesEveryUsableWayAndNoOther) {
    SwitchRig rig(with("flowlet"));
    rig.set_up(3, false);
    std::set<PortId> ways;
    for (int i = 0; i < 100; ++i) {
        rig.pass(Interval::microseconds(50));
        ways.insert(way_of(rig, {}));
    }
    EXPECT_EQ(ways, (std::set<PortId>{1, 2, 4}));
}

TEST(Flowlet, ALostWayIsLeftWithinTheFlowlet) {
    SwitchRig rig(with("flowlet"));
    const PortId first = way_of(rig, {});
    rig.set_up(first, false);
    const PortId second = way_of(rig, {});
    EXPECT_NE(second, first);
    EXPECT_EQ(way_of(rig, {}), second);
    rig.set_up(first, true);
    EXPECT_EQ(way_of(rig, {}), second) << "back only at a gap";
}

// One flow, frame by frame, all in turn: reordered by design.
TEST(Spray, TakesAllInTurn) {
    SwitchRig rig(with("spray"));
    std::vector<PortId> ways;
    ways.reserve(8);
    for (int i = 0; i < 8; ++i) ways.push_back(way_of(rig, {}));
    EXPECT_EQ(ways, (std::vector<PortId>{1, 2, 3, 4, 1, 2, 3, 4}));
    rig.receive(0, std::vector<Octets>(32, udp({})));
    for (PortId port = 1; port <= 4; ++port) EXPECT_EQ(rig.sent(port).size(), 8u) << port;
}

// The frames of a port that is gone are shared by all that are left: 90 over three.
TEST(Spray, IsEvenOverWhatIsLeft) {
    SwitchRig rig(with("spray"));
    rig.set_up(2, false);
    rig.receive(0, std::vector<Octets>(90, udp({})));
    EXPECT_EQ(rig.sent(1).size(), 30u);
    EXPECT_EQ(rig.sent(2).size(), 0u);
    EXPECT_EQ(rig.sent(3).size(), 30u);
    EXPECT_EQ(rig.sent(4).size(), 30u);
}

// Queues of 20, 0, 20 and 20 frames of 1,000 B: 1,600 ns at 100 Gb/s, but for the second port. A
// new flow counts as 16 KiB, 1,310 ns. Of ten the first two go to it (1,310, 2,620), three to the
// others (2,910 each), one to it (3,930), three to the others (4,220), the last to it: four.
TEST(Adaptive, TakesTheShortestQueue) {
    SwitchRig rig(four_uplinks(R"(
flowlet: {gap: 50us}
paths:
  - { source: 10.1.0.9, destination: 10.2.0.1, via: [{port: up1}] }
  - { source: 10.1.0.9, destination: 10.2.0.3, via: [{port: up3}] }
  - { source: 10.1.0.9, destination: 10.2.0.4, via: [{port: up4}] }
)",
                               ", selector: adaptive"));
    for (const std::uint32_t to : {1u, 3u, 4u}) {
        rig.receive(0, std::vector<Octets>(
                           20, udp({.from = 0x0a01'0009, .to = 0x0a02'0000 + to, .bytes = 1'000})));
    }
    rig.pass(kLoadPeriod);
    rig.tick();
    for (std::uint16_t n = 0; n < 10; ++n) rig.receive(0, {udp({.source_port = n, .bytes = 200})});
    EXPECT_EQ(rig.sent(2).size(), 4u);
    for (const PortId port : {PortId{1}, PortId{3}, PortId{4}}) {
        EXPECT_EQ(rig.sent(port).size(), 22u) << port;
    }
}

// Each new flow counts as 16 KiB on its port until the next measurement: twelve flows at once are
// spread evenly, three to each of four.
TEST(Adaptive, ManyNewFlowsAtOnceAreSpread) {
    SwitchRig rig(with("adaptive"));
    for (std::uint16_t n = 0; n < 12; ++n) rig.receive(0, {udp({.source_port = n})});
    for (PortId port = 1; port <= 4; ++port) EXPECT_EQ(rig.sent(port).size(), 3u) << port;
}

TEST(Adaptive, StaysWithinItsFlowlet) {
    SwitchRig rig(with("adaptive"));
    const PortId first = way_of(rig, {});
    for (std::uint16_t n = 100; n < 120; ++n) (void)way_of(rig, {.source_port = n});
    for (int i = 0; i < 20; ++i) {
        rig.pass(Interval::microseconds(50) - Interval::picoseconds(1'000));
        rig.tick();
        EXPECT_EQ(way_of(rig, {}), first);
    }
}

// The rate counts too. Rules send 100 kB by each of the first three ports, 8 us at 100 Gb/s; their
// queues are empty again when it is measured. Five new flows of 1,310 ns (6,550 in all) go to the
// fourth.
TEST(Adaptive, SeesTheRate) {
    SwitchRig rig(four_uplinks(R"(
paths:
  - { source: 10.1.0.9, destination: 10.2.0.1, via: [{port: up1}] }
  - { source: 10.1.0.9, destination: 10.2.0.2, via: [{port: up2}] }
  - { source: 10.1.0.9, destination: 10.2.0.3, via: [{port: up3}] }
)",
                               ", selector: adaptive"));
    for (PortId port = 1; port <= 3; ++port) {
        const UdpFrame bulk{.from = 0x0a01'0009, .to = 0x0a02'0000u + port, .bytes = 1'000};
        rig.receive(0, std::vector<Octets>(100, udp(bulk)));
        EXPECT_EQ(left_by(rig), (Left{port, 100}));
    }
    rig.pass(kLoadPeriod);
    rig.tick();
    for (std::uint16_t n = 0; n < 5; ++n) {
        EXPECT_EQ(way_of(rig, {.source_port = n}), 4) << n;
    }
}

}  // namespace
}  // namespace weir

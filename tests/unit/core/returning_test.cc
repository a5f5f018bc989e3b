// SPDX-License-Identifier: BSD-3-Clause
// A way comes back: who takes it, and when.
#include "dataplane/core/returning.h"

#include <gtest/gtest.h>

#include "tests/unit/core/path_rig.h"

namespace weir {
namespace {

// The flow of {} leaves by `way`, is moved by the loss of that way, and goes on by `other`.
struct Returning : testing::Test {
    SwitchRig rig{four_uplinks("")};
    PortId way = way_of(rig, {});
    PortId other = kNoPort;

    void SetUp() override {
        ASSERT_NE(way, kNoPort);
        rig.condition().set_link_usable(way, false);
        other = way_of(rig, {});
        ASSERT_NE(other, way);
        ASSERT_NE(other, kNoPort);
    }
    void restore() { rig.condition().set_link_usable(way, true); }
};

// Until a way comes back the fast lane has nothing to keep.
TEST_F(Returning, NothingIsTrackedWhileAllIsWell) {
    EXPECT_FALSE(rig.shard->state().tracks_flows);
    restore();
    EXPECT_EQ(way_of(rig, {}), other);
    EXPECT_TRUE(rig.shard->state().tracks_flows);
}

// A gap of 500 us: 499.999 us after its last frame a flow goes on by the other way, after 500 us
// not.
TEST_F(Returning, AFlowMovesBackAtAGapExactly) {
    restore();
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(way_of(rig, {}), other) << i;
        rig.pass(Interval::microseconds(500) - Interval::picoseconds(1'000));
    }
    EXPECT_EQ(way_of(rig, {}), other);
    rig.pass(Interval::microseconds(500));
    EXPECT_EQ(way_of(rig, {}), way);
    EXPECT_EQ(way_of(rig, {}), way);
}

// A flow that is seen for the first time has no other way to stay on.
TEST_F(Returning, NewFlowsTakeItAtOnce) {
    restore();
    EXPECT_EQ(way_of(rig, {}), other);
    unsigned taken = 0;
    for (std::uint16_t port = 50'000; port < 50'040; ++port) {
        taken += way_of(rig, {.source_port = port}) == way ? 1u : 0u;
    }
    EXPECT_GT(taken, 0u);
}

// Frames each 100 us for 10 s: at the end the flow moves although it has not paused.
TEST_F(Returning, AFlowThatNeverPausesMovesAfterTenSeconds) {
    restore();
    EXPECT_EQ(way_of(rig, {}), other);
    const Time until = rig.now + kReturningMax;
    while (rig.now + Interval::microseconds(400) < until) {
        rig.pass(Interval::microseconds(400));
        ASSERT_EQ(way_of(rig, {}), other);
    }
    rig.now = until - Interval::picoseconds(1);
    rig.tick();
    EXPECT_EQ(way_of(rig, {}), other);
    rig.now = until;
    rig.tick();
    EXPECT_EQ(way_of(rig, {}), way);
    EXPECT_FALSE(rig.shard->state().tracks_flows);
}

// The other way is lost in turn: there is nothing to wait for.
TEST_F(Returning, AFlowWhoseOtherWayIsLostMovesAtOnce) {
    restore();
    EXPECT_EQ(way_of(rig, {}), other);
    rig.condition().set_link_usable(other, false);
    EXPECT_EQ(way_of(rig, {}), way);
}

// It comes and goes: each time the flow stays where it is, and is never on a lost way.
TEST_F(Returning, AFlappingWayMovesNobodyBack) {
    for (int i = 0; i < 10; ++i) {
        restore();
        EXPECT_EQ(way_of(rig, {}), other);
        rig.pass(Interval::microseconds(100));
        rig.condition().set_link_usable(way, false);
        EXPECT_EQ(way_of(rig, {}), other);
        rig.pass(Interval::microseconds(100));
    }
}

TEST(ReturnGap, ZeroMovesAtOnce) {
    SwitchRig rig(four_uplinks("return_gap: 0us\n"));
    const PortId way = way_of(rig, {});
    rig.condition().set_link_usable(way, false);
    EXPECT_NE(way_of(rig, {}), way);
    rig.condition().set_link_usable(way, true);
    EXPECT_EQ(way_of(rig, {}), way);
    EXPECT_FALSE(rig.shard->state().tracks_flows);
}

// A port that was never usable before brings nobody back: the start of a switch.
TEST(ReturnGap, TheFirstUseOfAWayIsNoReturn) {
    SwitchRig rig(four_uplinks(""));
    EXPECT_FALSE(rig.shard->state().tracks_flows);
    EXPECT_FALSE(rig.shard->state().returning);
}

// A rule's primary comes back: the flow stays on its backup until it pauses.
TEST(ReturnGap, HoldsForPathTables) {
    SwitchRig rig(
        four_uplinks("paths:\n  - { source: 10.1.0.2, destination: 10.2.0.2, via: [{port: up3}, "
                     "{port: up4}] }\n"));
    EXPECT_EQ(way_of(rig, {}), 3);
    rig.condition().set_link_usable(3, false);
    EXPECT_EQ(way_of(rig, {}), 4);
    rig.condition().set_link_usable(3, true);
    for (int i = 0; i < 5; ++i) {
        EXPECT_EQ(way_of(rig, {}), 4);
        rig.pass(Interval::microseconds(499));
    }
    rig.pass(Interval::microseconds(1));
    EXPECT_EQ(way_of(rig, {}), 3);
}

}  // namespace
}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
// New plans under flows that go on: who moves, and when.
#include <gtest/gtest.h>

#include "tests/unit/core/path_rig.h"

namespace weir {
namespace {

std::string plan(const std::string& header, const std::string& up) {
    return four_uplinks("plan: {" + header + "}\npaths:\n  - { source: 10.1.0.2, destination: " +
                        "10.2.0.2, via: [{port: " + up + "}] }\n" +
                        "  - { source: 10.1.0.2, destination: 10.2.0.3, via: [{port: up4}] }\n");
}

// A gap of 100 us: a frame 99.999 us after the last one is of the same burst, 100 us is a gap.
TEST(PathMove, AtAGapExactly) {
    SwitchRig rig(plan("move: gap, gap: 100us", "up1"));
    EXPECT_EQ(way_of(rig, {}), 1);
    rig.pass(Interval::microseconds(50));
    rig.reload(plan("move: gap, gap: 100us", "up2"));
    for (int i = 0; i < 5; ++i) {
        rig.pass(Interval::microseconds(100) - Interval::picoseconds(1'000));
        if (i == 0) rig.now = rig.now - Interval::microseconds(50);
        EXPECT_EQ(way_of(rig, {}), 1) << i;
    }
    rig.pass(Interval::microseconds(100));
    EXPECT_EQ(way_of(rig, {}), 2);
    EXPECT_EQ(way_of(rig, {}), 2);
}

TEST(PathMove, NowMovesAtOnce) {
    SwitchRig rig(plan("move: now", "up1"));
    EXPECT_EQ(way_of(rig, {}), 1);
    rig.reload(plan("move: now", "up2"));
    EXPECT_EQ(way_of(rig, {}), 2);
}

// A flow whose way stays is not touched, whatever happens to others.
TEST(PathMove, ThirtyPlansLaterAnUnmovedFlowIsWhereItWas) {
    SwitchRig rig(plan("", "up1"));
    for (int i = 0; i < 30; ++i) {
        EXPECT_EQ(way_of(rig, {.to = 0x0a02'0003}), 4);
        EXPECT_EQ(way_of(rig, {}), 1) << "never pauses";
        rig.pass(Interval::microseconds(10));
        rig.reload(plan("", i % 2 == 0 ? "up2" : "up3"));
    }
    EXPECT_EQ(way_of(rig, {}), 1);
    rig.pass(Interval::microseconds(100));
    EXPECT_EQ(way_of(rig, {}), 3);
}

// Back to the plan that it never left: there is nothing to wait for.
TEST(PathMove, AFlowWhosePlanComesBackIsSettled) {
    SwitchRig rig(plan("", "up1"));
    EXPECT_EQ(way_of(rig, {}), 1);
    rig.reload(plan("", "up2"));
    EXPECT_EQ(way_of(rig, {}), 1);
    rig.reload(plan("", "up1"));
    EXPECT_EQ(way_of(rig, {}), 1);
    rig.pass(Interval::milliseconds(5));
    EXPECT_EQ(way_of(rig, {}), 1);
}

TEST(PathMove, ALostWayIsLeftAtOnce) {
    SwitchRig rig(plan("", "up1"));
    EXPECT_EQ(way_of(rig, {}), 1);
    rig.reload(plan("", "up2"));
    EXPECT_EQ(way_of(rig, {}), 1);
    rig.set_up(1, false);
    EXPECT_EQ(way_of(rig, {}), 2);
    rig.set_up(1, true);
    EXPECT_EQ(way_of(rig, {}), 2);
}

// What else happens meanwhile does not end the wait: a link elsewhere, a reload of the same plan.
TEST(PathMove, OtherEventsDoNotMoveAFlowThatWaits) {
    SwitchRig rig(plan("", "up1"));
    EXPECT_EQ(way_of(rig, {}), 1);
    rig.reload(plan("", "up2"));
    EXPECT_EQ(way_of(rig, {}), 1);
    rig.set_up(3, false);
    EXPECT_EQ(way_of(rig, {}), 1);
    rig.reload(plan("", "up2"));
    EXPECT_EQ(way_of(rig, {}), 1);
    rig.pass(Interval::microseconds(100));
    EXPECT_EQ(way_of(rig, {}), 2);
}

// The first plan of a switch that had none, and the end of the last one.
TEST(PathMove, FromTheHashAndBack) {
    const std::string without = four_uplinks("");
    SwitchRig rig(without);
    const PortId hashed = way_of(rig, {});
    EXPECT_EQ(way_of(rig, {}), hashed);
    const std::string up = hashed == 1 ? "up2" : "up1";
    const PortId planned = hashed == 1 ? 2 : 1;
    rig.reload(plan("", up));
    EXPECT_EQ(way_of(rig, {}), hashed);
    rig.pass(Interval::microseconds(100));
    EXPECT_EQ(way_of(rig, {}), planned);
    rig.reload(without);
    EXPECT_EQ(way_of(rig, {}), planned);
    rig.pass(Interval::microseconds(100));
    EXPECT_EQ(way_of(rig, {}), hashed);
}

// Frames that the fast lane does not take are remembered as well.
TEST(PathMove, FlowsThatAreNotPlainMoveAtGaps) {
    const UdpFrame tagged{.tci = 0};
    SwitchRig rig(plan("", "up1"));
    EXPECT_EQ(way_of(rig, tagged), 1);
    rig.reload(plan("", "up2"));
    EXPECT_EQ(way_of(rig, tagged), 1);
    rig.pass(Interval::microseconds(100));
    EXPECT_EQ(way_of(rig, tagged), 2);
}

}  // namespace
}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
// What the operator is told of pauses: the first ones at once, then one a second, pause and resume
// in turn.
#include <gtest/gtest.h>

#include "tests/unit/core/switch_rig.h"

namespace weir {
namespace {

constexpr const char* kTwoPorts = R"(
switch: { name: rig }
pfc: [3, 4]
ports:
  - { name: a, device: "net_null0", speed: 10G }
  - { name: b, device: "net_null1", speed: 10G }
)";

class PauseEvents : public ::testing::Test {
  protected:
    // `times` pauses of port 0's priority 3, each over at once.
    void pause_and_resume(unsigned times) {
        for (unsigned i = 0; i < times; ++i) {
            rig.force_pause(0, 1u << 3);
            rig.force_pause(0, 0);
        }
    }
    [[nodiscard]] std::vector<EventKind> kinds() const {
        std::vector<EventKind> all;
        for (const Event& event : rig.events) all.push_back(event.kind);
        return all;
    }
    SwitchRig rig{kTwoPorts};
};

TEST_F(PauseEvents, NamePortPriorityAndCount) {
    rig.force_pause(0, 1u << 3);
    ASSERT_EQ(rig.events.size(), 1u);
    EXPECT_EQ(rig.events[0].kind, EventKind::PauseSent);
    EXPECT_EQ(rig.events[0].port, 0);
    EXPECT_EQ(rig.events[0].priority, 3);
    EXPECT_EQ(rig.events[0].number, 1u);
    EXPECT_EQ(rig.events[0].at, rig.now);
    // 65,535 quanta of 51.2 ns, refreshed at half: 1,677.696 us.
    rig.pass(Interval{1'677'696'000});
    rig.tick();
    EXPECT_EQ(rig.events.size(), 1u) << "a refresh is no news";
    rig.force_pause(0, 0);
    ASSERT_EQ(rig.events.size(), 2u);
    EXPECT_EQ(rig.events[1].kind, EventKind::ResumeSent);
    EXPECT_EQ(rig.events[1].priority, 3);
    EXPECT_EQ(rig.events[1].number, 2u) << "the refresh was a pause too";
}

TEST_F(PauseEvents, FourAtOnceThenOneASecond) {
    pause_and_resume(5);
    const std::vector<EventKind> four{
        EventKind::PauseSent, EventKind::ResumeSent, EventKind::PauseSent, EventKind::ResumeSent,
        EventKind::PauseSent, EventKind::ResumeSent, EventKind::PauseSent, EventKind::ResumeSent};
    EXPECT_EQ(kinds(), four) << "of the fifth pause neither begin nor end";
    // Four tokens are gone; the first is back after exactly a second.
    rig.pass(Interval::seconds(1) - Interval{1});
    pause_and_resume(1);
    EXPECT_EQ(rig.events.size(), 8u);
    rig.pass(Interval{1});
    pause_and_resume(1);
    ASSERT_EQ(rig.events.size(), 10u);
    EXPECT_EQ(rig.events[8].number, 7u) << "pauses so far, also those not told";
    pause_and_resume(1);
    EXPECT_EQ(rig.events.size(), 10u);
}

TEST_F(PauseEvents, ALastingPauseIsToldWithARefresh) {
    pause_and_resume(4);
    rig.events.clear();
    rig.force_pause(0, 1u << 3);
    EXPECT_TRUE(rig.events.empty());
    rig.pass(Interval::seconds(1));
    rig.tick();
    EXPECT_EQ(kinds(), std::vector<EventKind>{EventKind::PauseSent});
    rig.force_pause(0, 0);
    EXPECT_EQ(kinds().back(), EventKind::ResumeSent);
}

TEST_F(PauseEvents, PortsHaveLimitsOfTheirOwn) {
    pause_and_resume(5);
    rig.events.clear();
    rig.force_pause(1, 1u << 4);
    ASSERT_EQ(rig.events.size(), 1u);
    EXPECT_EQ(rig.events[0].port, 1);
    EXPECT_EQ(rig.events[0].priority, 4);
}

}  // namespace
}  // namespace weir

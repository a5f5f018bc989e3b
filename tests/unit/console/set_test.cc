// SPDX-License-Identifier: BSD-3-Clause
// What `set ...` makes of the settings in use.
#include <gtest/gtest.h>

#include "config/settings.h"
#include "tools/weir/console/command_table.h"
#include "tools/weir/console/set_fault.h"

namespace weir {
namespace {

class SetTest : public ::testing::Test {
  protected:
    SetTest() {
        settings_.ports.resize(3);
        for (PortId i = 0; i < 3; ++i) {
            PortView port;
            port.id = i;
            port.name = "p" + std::to_string(i);
            settings_.ports[i].name = port.name;
            snapshot_.ports.push_back(port);
        }
    }

    // Empty, or why nothing was asked for.
    std::string set(const std::string& line) {
        const auto match = weir_commands().match("set " + line, snapshot_.names());
        if (match.command == nullptr) return match.problem;
        const Reply reply = match.command->run(match.arguments, snapshot_);
        if (reply.failed) return reply.text;
        EXPECT_EQ(reply.request.act, Act::Change);
        reply.request.edit(settings_);
        snapshot_.watchdog = settings_.watchdog;
        return {};
    }

    Settings settings_;
    Snapshot snapshot_;
};

const EcnSettings kWanted{.kmin = 100'000, .kmax = 400'000, .pmax = {50'000}};
const std::string kWantedText = " kmin 100KB kmax 400KB pmax 5%";

TEST_F(SetTest, EcnOfOnePort) {
    EXPECT_EQ(set("ecn p1 3" + kWantedText), "");
    EXPECT_EQ(settings_.ports[1].ecn.at(3), kWanted);
    EXPECT_TRUE(settings_.ecn.empty());
    EXPECT_TRUE(settings_.ports[0].ecn.empty());
}

TEST_F(SetTest, EcnOfAllPortsReplacesTheirOwn) {
    settings_.ports[2].ecn[3] = {.kmin = 1, .kmax = 2, .pmax = {}};
    settings_.ports[2].ecn[4] = {.kmin = 1, .kmax = 2, .pmax = {}};
    EXPECT_EQ(set("ecn all 3" + kWantedText), "");
    EXPECT_EQ(settings_.ecn.at(3), kWanted);
    EXPECT_EQ(settings_.ports[2].ecn.count(3), 0u);
    EXPECT_EQ(settings_.ports[2].ecn.count(4), 1u);
}

TEST_F(SetTest, EcnOffOfOnePortLeavesTheOthersAsTheyWere) {
    const EcnSettings own{.kmin = 1, .kmax = 2, .pmax = {}};
    settings_.ecn[3] = kWanted;
    settings_.ports[2].ecn[3] = own;
    EXPECT_EQ(set("ecn 1 3 off"), "");
    EXPECT_TRUE(settings_.ecn.empty());
    EXPECT_EQ(settings_.ports[0].ecn.at(3), kWanted);
    EXPECT_TRUE(settings_.ports[1].ecn.empty());
    EXPECT_EQ(settings_.ports[2].ecn.at(3), own);
    EXPECT_EQ(set("ecn all 3 off"), "");
    for (const PortSettings& port : settings_.ports) EXPECT_TRUE(port.ecn.empty());
}

TEST_F(SetTest, EcnNeedsAllThree) {
    EXPECT_EQ(set("ecn all 3 kmin 1KB kmax 2KB"),
              "set ecn all 3 kmin 1KB kmax 2KB: not complete; next comes pmax");
    EXPECT_EQ(set("ecn all 8 off"), "'8' is no priority, 0 to 7");
    EXPECT_EQ(set("ecn all 3 kmin 100 kmax 2KB pmax 1%"), "'100' has no unit; write 100B");
    EXPECT_EQ(set("ecn all 3 kmin 1KB kmax 2KB pmax 101%"),
              "'101%' has too many digits or is too large");
}

TEST_F(SetTest, SchedulerWeightOfAPriorityThatWasStrict) {
    settings_.scheduler = SchedulerSettings{.strict = {7, 6}, .weights = {{3, 20}}};
    EXPECT_EQ(set("scheduler 1 6 weight 100"), "");
    EXPECT_EQ(settings_.ports[1].scheduler,
              (SchedulerSettings{.strict = {7}, .weights = {{3, 20}, {6, 100}}}));
    EXPECT_EQ(settings_.scheduler, (SchedulerSettings{.strict = {7, 6}, .weights = {{3, 20}}}));
    EXPECT_EQ(set("scheduler all 3 strict"), "");
    EXPECT_EQ(settings_.scheduler, (SchedulerSettings{.strict = {7, 6, 3}, .weights = {}}));
    EXPECT_EQ(settings_.ports[1].scheduler,
              (SchedulerSettings{.strict = {7, 3}, .weights = {{6, 100}}}));
    EXPECT_EQ(set("scheduler all 3 weight 0"), "'0' is no weight, 1 to 100");
    EXPECT_EQ(set("scheduler all 3 weight 101"), "'101' is no weight, 1 to 100");
}

TEST_F(SetTest, SchedulerWhereThereWasNone) {
    EXPECT_EQ(set("scheduler all 3 strict"), "");
    EXPECT_FALSE(settings_.scheduler) << "all are strict already";
    EXPECT_EQ(set("scheduler all 3 weight 5"), "");
    EXPECT_EQ(settings_.scheduler, (SchedulerSettings{.strict = {7, 6}, .weights = {{3, 5}}}));
}

TEST_F(SetTest, PfcOfOnePortStartsFromTheSwitchs) {
    settings_.pfc = PfcSettings{{3}};
    EXPECT_EQ(set("pfc p0 4 on"), "");
    EXPECT_EQ(settings_.ports[0].pfc, (PfcSettings{{3, 4}}));
    EXPECT_EQ(set("pfc p0 4 on"), "");
    EXPECT_EQ(settings_.ports[0].pfc, (PfcSettings{{3, 4}}));
    EXPECT_EQ(set("pfc all 3 off"), "");
    EXPECT_EQ(settings_.pfc, PfcSettings{});
    EXPECT_EQ(settings_.ports[0].pfc, (PfcSettings{{4}}));
    EXPECT_FALSE(settings_.ports[1].pfc);
}

TEST_F(SetTest, BufferOfOnePort) {
    EXPECT_EQ(set("buffer 2 3 alpha -8 headroom 64KB reserve 9KB xon_offset 2KB"), "");
    GroupSettings wanted;
    wanted.alpha = -8;
    wanted.headroom = HeadroomSettings{64'000};
    wanted.reserve = 9'000;
    wanted.xon_offset = 2'000;
    EXPECT_EQ(settings_.ports[2].buffer.priorities.at(3), wanted);
    EXPECT_EQ(settings_.buffer, BufferSettings{});
    // limit takes the place of alpha, and the rest stays.
    EXPECT_EQ(set("buffer 2 3 limit 1MB headroom auto"), "");
    wanted.alpha.reset();
    wanted.limit = 1'000'000;
    wanted.headroom = HeadroomSettings{};
    EXPECT_EQ(settings_.ports[2].buffer.priorities.at(3), wanted);
    EXPECT_EQ(set("buffer 2 3 alpha 7"), "");
    wanted.alpha = 7;
    wanted.limit.reset();
    EXPECT_EQ(settings_.ports[2].buffer.priorities.at(3), wanted);
}

TEST_F(SetTest, BufferOfAllPortsReachesThoseWithABufferOfTheirOwn) {
    settings_.ports[1].buffer.lossless.alpha = 2;
    EXPECT_EQ(set("buffer all 3 alpha 1"), "");
    EXPECT_EQ(settings_.buffer.priorities.at(3).alpha, 1);
    EXPECT_EQ(settings_.ports[1].buffer.priorities.at(3).alpha, 1);
    EXPECT_TRUE(settings_.ports[0].buffer.priorities.empty());
}

TEST_F(SetTest, BufferSaysWhatItCannotSet) {
    EXPECT_EQ(set("buffer all 3"),
              "error: nothing to set; write alpha, limit, headroom, reserve or xon_offset\n");
    EXPECT_EQ(set("buffer all 3 alpha 1 limit 1MB"),
              "error: alpha moves the threshold with the free pool, limit fixes it; write one\n");
    const std::string range = " is no alpha: the n of 2^n, -8 (1/256) to 7 (128)";
    EXPECT_EQ(set("buffer all 3 alpha 8"), "'8'" + range);
    EXPECT_EQ(set("buffer all 3 alpha -9"), "'-9'" + range);
    EXPECT_EQ(set("buffer all 3 alpha 1.5"), "'1.5'" + range);
}

TEST_F(SetTest, SpeedOfOnePortAndOfAll) {
    EXPECT_EQ(set("port p1 speed 25G"), "");
    EXPECT_EQ(settings_.ports[1].speed, BitRate{25'000'000'000});
    EXPECT_FALSE(settings_.ports[0].speed);
    EXPECT_EQ(set("port all speed 1G"), "");
    for (const PortSettings& port : settings_.ports) EXPECT_EQ(port.speed, BitRate{1'000'000'000});
}

TEST_F(SetTest, WatchdogKeepsWhatIsNotWritten) {
    EXPECT_EQ(set("watchdog on"), "");
    EXPECT_EQ(settings_.watchdog, WatchdogSettings{});
    EXPECT_EQ(set("watchdog on action forward detection 400ms"), "");
    EXPECT_EQ(set("watchdog on restoration 1s poll 50ms"), "");
    const WatchdogSettings wanted{.detection = Interval::milliseconds(400),
                                  .restoration = Interval::seconds(1),
                                  .poll = Interval::milliseconds(50),
                                  .action = WatchdogAction::Forward};
    EXPECT_EQ(settings_.watchdog, wanted);
    EXPECT_EQ(set("watchdog on action alert"), "");
    EXPECT_EQ(settings_.watchdog->action, WatchdogAction::Alert);
    EXPECT_EQ(set("watchdog on action drop"), "");
    EXPECT_EQ(settings_.watchdog->action, WatchdogAction::Drop);
    EXPECT_EQ(set("watchdog off"), "");
    EXPECT_FALSE(settings_.watchdog);
}

class FaultTest : public SetTest {
  protected:
    Reply fault(const std::string& line) {
        const auto match = weir_commands().match("set port p1 fault " + line, snapshot_.names());
        if (match.command == nullptr) return Reply::error(match.problem);
        return match.command->run(match.arguments, snapshot_);
    }
};

TEST_F(FaultTest, AsksForWhatIsWritten) {
    const Reply reply = fault("loss 1% delay 10us");
    EXPECT_EQ(reply.request.act, Act::SetFault);
    EXPECT_EQ(reply.request.port, 1);
    const PortFaultSettings wanted{
        .loss_ppm = 10'000, .corrupt_ppm = 0, .delay = Interval::microseconds(10), .seed = 1};
    EXPECT_EQ(reply.request.fault, wanted);
    EXPECT_EQ(fault("corrupt 0.0001%").request.fault.corrupt_ppm, 1u);
    EXPECT_FALSE(fault("none").request.fault.any());
    EXPECT_EQ(fault("none").request.act, Act::SetFault);
}

TEST_F(FaultTest, AsksForAPauseStorm) {
    const Reply reply = fault("pause-storm 3");
    EXPECT_EQ(reply.request.act, Act::ForcePause);
    EXPECT_EQ(reply.request.priorities, 0x08);
    EXPECT_TRUE(fault("pause-storm 8").failed);
}

TEST_F(FaultTest, WantsToKnowWhich) {
    EXPECT_TRUE(fault("").failed);
    EXPECT_TRUE(fault("loss 0%").failed);
    EXPECT_TRUE(fault("loss 101%").failed);
}

TEST(FaultText, SaysWhatIsOn) {
    EXPECT_EQ(fault_text({}, 0), "");
    const PortFaultSettings both{
        .loss_ppm = 10'000, .corrupt_ppm = 1'000, .delay = Interval::microseconds(10), .seed = 1};
    EXPECT_EQ(fault_text(both, 0x18),
              "loss 1%, corrupt 0.1%, delay 10us, pause-storm 3, pause-storm 4");
}

}  // namespace
}  // namespace weir

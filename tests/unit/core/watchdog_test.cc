// SPDX-License-Identifier: BSD-3-Clause
// A23: the PFC watchdog in virtual time. Detection and restoration take 200 ms, a look at the
// queues every 100 ms; the first is at the rig's start.
#include "dataplane/core/watchdog.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "dataplane/core/pfc.h"
#include "tests/unit/core/switch_rig.h"

namespace weir {
namespace {

constexpr const char* kTwoPorts = R"(
switch: { name: rig }
ports:
  - { name: a, device: "net_null0" }
  - { name: b, device: "net_null1" }
)";

constexpr Interval kDetection = Interval::milliseconds(200);
constexpr Interval kPoll = Interval::milliseconds(100);
constexpr Interval kInstant = Interval::picoseconds(1);
constexpr Interval kStep = Interval::milliseconds(10);

void make_watched(CompiledTables& tables, WatchdogAction action) {
    for (PortId port = 0; port < 2; ++port) {
        tables.ports[port].pfc_priorities = 0xff;
        // A quantum at 1 Gb/s is 512 ns: 62,500 of them are 32 ms.
        tables.ports[port].speed_bps = 1'000'000'000;
        for (Priority priority = 0; priority < kPriorities; ++priority) {
            tables.groups[group_of(port, priority)] = {.headroom_bytes = 100'000,
                                                       .xon_offset_bytes = 2'000,
                                                       .shared_limit_bytes = 5'000,
                                                       .dynamic = false,
                                                       .lossless = true};
        }
    }
    tables.tables.watchdog = {.action = action, .enabled = true};
}

class Watched : public ::testing::Test {
  protected:
    explicit Watched(WatchdogAction action)
        : rig(kTwoPorts, [=](CompiledTables& tables) { make_watched(tables, action); }) {
        rig.tick();
        begin = rig.now;
    }
    Watched() : Watched(WatchdogAction::Drop) {}

    static Octets data(Priority priority = 3) {
        return udp({.dscp = static_cast<std::uint8_t>(priority << 3), .bytes = 1'000});
    }
    // The peer of port 1 pauses `priorities` for 32 ms; or lets them go.
    void pause(std::uint16_t quanta = 62'500, std::uint8_t priorities = 1u << 3) {
        PfcTimes times{priorities, {}};
        times.quanta.fill(quanta);
        Octets frame(60);
        write_pfc_frame(std::span<std::uint8_t, kPfcFrameBytes>(frame), {0x0a00'0000'0077}, times);
        rig.receive(1, {frame});
    }
    void pause_until(Time end, std::uint8_t priorities = 1u << 3) {
        for (; rig.now < end; advance_to(std::min(rig.now + kStep, end))) pause(62'500, priorities);
    }
    void advance_to(Time instant) {
        rig.now = instant;
        rig.tick();
    }
    // Time goes on, nobody pauses.
    void quiet_until(Time end) {
        while (rig.now < end) advance_to(std::min(rig.now + kStep, end));
    }
    std::uint64_t detected(Priority priority = 3) {
        return rig.shard->counters(1).storms_detected[priority].read();
    }
    std::uint64_t restored(Priority priority = 3) {
        return rig.shard->counters(1).storms_restored[priority].read();
    }
    // A storm, detected just now.
    void storm() {
        rig.receive(0, {data()});
        advance_to(begin + kPoll);
        pause_until(begin + kPoll + kDetection);
        ASSERT_EQ(detected(), 1u);
    }

    SwitchRig rig;
    Time begin;
};

class WatchdogDrops : public Watched {};
class WatchdogForwards : public Watched {
  protected:
    WatchdogForwards() : Watched(WatchdogAction::Forward) {}
};
class WatchdogAlerts : public Watched {
  protected:
    WatchdogAlerts() : Watched(WatchdogAction::Alert) {}
};

// Paused, with a frame, just before a look: detected 200 ms later, not a picosecond earlier.
TEST_F(WatchdogDrops, DetectsAStormOfTheDetectionTime) {
    rig.receive(0, {data()});
    pause();
    advance_to(begin + kPoll);  // seen with a frame from here on
    pause_until(begin + kPoll + kDetection - kInstant);
    EXPECT_EQ(detected(), 0u);
    pause();
    advance_to(begin + kPoll + kDetection);
    EXPECT_EQ(detected(), 1u);
    ASSERT_EQ(rig.events.size(), 1u);
    EXPECT_EQ(rig.events[0].kind, EventKind::StormDetected);
    EXPECT_EQ(rig.events[0].port, 1);
    EXPECT_EQ(rig.events[0].priority, 3);
    EXPECT_EQ(rig.events[0].at, begin + kPoll + kDetection);
}

// Both begin just after a look, so the queue is first seen to hold a frame 100 ms later: a storm of
// detection + poll = 300 ms is detected whenever it begins.
TEST_F(WatchdogDrops, DetectsWithinDetectionAndPoll) {
    rig.now = begin + kInstant;
    rig.receive(0, {data()});
    pause_until(begin + kInstant + kDetection + kPoll);
    EXPECT_EQ(detected(), 1u);
}

// One picosecond less than 200 ms, by XON and by expiry, wherever it begins between two looks.
TEST_F(WatchdogDrops, AShorterStormIsNone) {
    rig.receive(0, {data()});
    for (int i = 0; i < 10; ++i) {
        rig.now = rig.now + Interval::milliseconds(7 * i);
        const Time start = rig.now;
        pause();
        rig.tick();
        pause_until(start + kDetection - kInstant);
        pause(0);
        rig.tick();
        quiet_until(rig.now + Interval::milliseconds(110));
    }
    EXPECT_EQ(detected(), 0u);
    // 6 x 32 ms and 15,624 quanta: 192 ms and 7.999488 ms make 199.999488 ms; then it runs out.
    advance_to(rig.now + kPoll);
    for (int i = 0; i < 6; ++i) {
        pause();
        advance_to(rig.now + Interval::milliseconds(32));
    }
    pause(15'624);
    quiet_until(rig.now + kPoll);
    EXPECT_EQ(detected(), 0u);
}

// The look at 200 ms comes 0.5 ms after the pause ended, which is no gap yet, but the pause lasted
// 199.5 ms: renewed six times after 30 of its 32 ms, so that each look finds it there and the last
// is due when it would be a storm; and 38,086 quanta of 512 ns (19.500032 ms).
TEST_F(WatchdogDrops, TheTimeSinceThePauseEndedDoesNotCount) {
    rig.receive(0, {data()});
    advance_to(begin + kPoll);
    for (int i = 0; i < 6; ++i) {
        pause();
        advance_to(rig.now + Interval::milliseconds(30));
    }
    pause(38'086);
    advance_to(begin + kPoll + kDetection);
    EXPECT_EQ(detected(), 0u);
}

TEST_F(WatchdogDrops, NoTrafficNoStorm) {
    pause_until(begin + Interval::seconds(5));
    EXPECT_EQ(detected(), 0u);
    // A frame that has just come has not been stuck for long, however long the pause.
    rig.receive(0, {data()});
    pause_until(rig.now + kDetection - kInstant);
    EXPECT_EQ(detected(), 0u);
}

// Paused for half the detection time and not for the other half; the device takes nothing either.
TEST_F(WatchdogDrops, HalfLengthBurstsAreNoStorm) {
    rig.receive(0, {data()});
    for (int i = 0; i < 20; ++i) {
        pause_until(rig.now + kDetection / 2);
        pause(0);
        quiet_until(rig.now + kDetection / 2);
    }
    EXPECT_EQ(detected(), 0u);
    EXPECT_EQ(rig.all_drops(), 0u);
}

// A peer that refreshes late: pauses of 32 ms with gaps of 1 ms between them are one storm (six of
// them and five gaps end 197 ms after the first began, the seventh reaches 200 ms); 1 ps more, and
// there is none.
TEST_F(WatchdogDrops, PausesWithSmallGapsAreOne) {
    for (const bool late : {true, false}) {
        SCOPED_TRACE(late);
        rig.receive(0, {data()});
        advance_to(rig.now + kPoll);
        for (int i = 0; i < 10; ++i) {
            pause();
            advance_to(rig.now + Interval::milliseconds(33) + (late ? kInstant : Interval{}));
        }
        EXPECT_EQ(detected(), late ? 0u : 1u);
        (void)rig.sent(1);
        quiet_until(rig.now + kPoll);
    }
}

// One frame leaves in a gap of every 190 ms: the peer is slow, it does not storm.
TEST_F(WatchdogDrops, AQueueThatSendsDoesNotStorm) {
    rig.receive(0, std::vector<Octets>(30, data()));
    (void)rig.sent(0);
    for (int i = 0; i < 20; ++i) {
        pause_until(rig.now + Interval::milliseconds(190));
        pause(0);
        EXPECT_EQ(rig.offer_and_take(1, 1, 1).size(), 1u);
    }
    EXPECT_EQ(detected(), 0u);
}

// The queue's frames and new ones are dropped and counted; other priorities, and what comes from
// the stormed port in the same priority, go on.
TEST_F(WatchdogDrops, DropsThatQueueAlone) {
    storm();
    EXPECT_EQ(rig.drops(1, DropReason::PauseStorm), 1u);
    rig.receive(0, {data(), data(), data(4)});
    EXPECT_EQ(rig.drops(1, DropReason::PauseStorm), 3u);
    EXPECT_EQ(rig.shard->counters(1).storm_drops[3].read(), 3u);
    EXPECT_EQ(rig.shard->counters(1).queue_drops[3].read(), 3u);
    EXPECT_EQ(rig.shard->counters(1).queue_drops[4].read(), 0u);
    EXPECT_EQ(rig.all_drops(), 3u);
    EXPECT_EQ(rig.sent(1).size(), 1u);
    rig.receive(1, {udp({.destination = {0x0a00'0000'0001}, .source = {0x0a00'0000'0002}})});
    EXPECT_EQ(rig.sent(0).size(), 1u);
    EXPECT_EQ(rig.all_drops(), 3u);
    EXPECT_EQ(rig.group(0, 3).held(), 0u);
}

// Ten frames pass the threshold of 5,000 bytes and pause the sender; the storm lets it go, and
// 1,000 more frames do not pause it again.
TEST_F(WatchdogDrops, DoesNotPauseUpstream) {
    rig.receive(0, std::vector<Octets>(10, data()));
    EXPECT_EQ(rig.shard->counters(0).pauses_sent[3].read(), 1u);
    advance_to(begin + kPoll);
    const std::uint64_t told = rig.shard->counters(0).pauses_sent[3].read();
    pause_until(begin + kPoll + kDetection);
    EXPECT_EQ(rig.shard->counters(0).resumes_sent[3].read(), 1u);
    EXPECT_EQ(rig.drops(1, DropReason::PauseStorm), 10u);
    const std::uint64_t pauses = rig.shard->counters(0).pauses_sent[3].read();
    EXPECT_GE(pauses, told);  // refreshes, until it was detected
    for (int i = 0; i < 1'000; ++i) rig.receive(0, std::vector<Octets>(32, data()));
    EXPECT_EQ(rig.shard->counters(0).pauses_sent[3].read(), pauses);
    EXPECT_EQ(rig.shard->counters(0).resumes_sent[3].read(), 1u);
    EXPECT_EQ(rig.group(0, 3).shared_bytes_max, 5'000u) << "nothing was held for it";
}

// 500 frames in the queue, of which one call frees 192 (kFreedMax): the rest follows at once.
TEST_F(WatchdogDrops, EmptiesALongQueueCallByCall) {
    rig.reload(kTwoPorts, [](CompiledTables& tables) {
        make_watched(tables, WatchdogAction::Drop);
        tables.groups[group_of(0, 3)].headroom_bytes = 1'000'000;
    });
    for (int i = 0; i < 500; ++i) rig.receive(0, {data()});
    rig.tick();
    pause_until(begin + kDetection);
    EXPECT_EQ(detected(), 1u);
    EXPECT_EQ(rig.drops(1, DropReason::PauseStorm), 192u);
    EXPECT_LE(rig.shard->next_deadline(), rig.now);
    rig.tick();
    rig.tick();
    EXPECT_EQ(rig.drops(1, DropReason::PauseStorm), 500u);
    EXPECT_GT(rig.shard->next_deadline(), rig.now);
    EXPECT_EQ(rig.group(0, 3).held(), 0u);
}

// 200 ms without a pause, counted from its end, and not from the last of 19 frames that say
// "resume".
TEST_F(WatchdogDrops, AResumeStormRestores) {
    storm();
    pause(0);
    const Time end = rig.now;
    for (int i = 0; i < 19; ++i) {
        advance_to(rig.now + kStep);
        pause(0);
    }
    advance_to(end + kDetection - kInstant);
    EXPECT_EQ(restored(), 0u);
    advance_to(end + kDetection);
    EXPECT_EQ(restored(), 1u);
    EXPECT_EQ(rig.events.back().kind, EventKind::StormRestored);
    EXPECT_EQ(rig.events.back().at, end + kDetection);
    rig.receive(0, {data()});
    EXPECT_EQ(rig.sent(1).size(), 1u);
}

// One PFC frame of 32 ms every 150 ms: 118 ms without a pause are never 200.
TEST_F(WatchdogDrops, RareLongPausesDoNotRestore) {
    storm();
    for (int i = 0; i < 20; ++i) {
        pause();
        quiet_until(rig.now + Interval::milliseconds(150));
    }
    EXPECT_EQ(restored(), 0u);
}

// All priorities for 5 s, in one PFC frame: one storm each, and one end.
TEST_F(WatchdogDrops, AllPrioritiesAtOnceDoNotFlap) {
    for (Priority priority = 0; priority < kPriorities; ++priority)
        rig.receive(0, {data(priority)});
    pause_until(begin + Interval::seconds(5), 0xff);
    for (Priority priority = 0; priority < kPriorities; ++priority) {
        EXPECT_EQ(detected(priority), 1u);
        EXPECT_EQ(restored(priority), 0u);
    }
    pause(0, 0xff);
    quiet_until(rig.now + Interval::seconds(5));
    for (Priority priority = 0; priority < kPriorities; ++priority) {
        EXPECT_EQ(detected(priority), 1u);
        EXPECT_EQ(restored(priority), 1u);
        EXPECT_EQ(rig.shard->counters(1).storm_drops[priority].read(), 1u);
    }
}

TEST_F(WatchdogDrops, ALossyPriorityIsNotWatched) {
    rig.reload(kTwoPorts, [](CompiledTables& tables) {
        make_watched(tables, WatchdogAction::Drop);
        tables.ports[1].pfc_priorities = 0xf7;
    });
    rig.receive(0, {data()});
    pause_until(begin + Interval::seconds(1));
    EXPECT_EQ(detected(), 0u);
    EXPECT_EQ(rig.sent(1).size(), 1u);
}

// Without the watchdog a new table, or another action, ends the storm and its drops.
TEST_F(WatchdogDrops, AReloadEndsWhatItNoLongerWants) {
    storm();
    rig.reload(kTwoPorts, [](CompiledTables& t) { make_watched(t, WatchdogAction::Drop); });
    EXPECT_EQ(restored(), 0u);
    rig.receive(0, {data()});
    EXPECT_EQ(rig.drops(1, DropReason::PauseStorm), 2u);
    rig.reload(kTwoPorts, [](CompiledTables& t) { make_watched(t, WatchdogAction::Alert); });
    EXPECT_EQ(restored(), 1u);
    rig.receive(0, {data()});
    EXPECT_EQ(rig.drops(1, DropReason::PauseStorm), 2u);
    pause(0);
    EXPECT_EQ(rig.sent(1).size(), 1u);
}

TEST_F(WatchdogForwards, SendsWhileThePeerPauses) {
    storm();
    EXPECT_EQ(rig.sent(1).size(), 1u);
    pause();
    rig.receive(0, {data()});
    EXPECT_EQ(rig.sent(1).size(), 1u);
    EXPECT_EQ(rig.all_drops(), 0u);
    quiet_until(rig.now + Interval::milliseconds(32) + kDetection);
    EXPECT_EQ(restored(), 1u);
    pause();
    rig.receive(0, {data()});
    EXPECT_TRUE(rig.sent(1).empty()) << "pauses count again";
}

TEST_F(WatchdogAlerts, TellsAndDoesNothing) {
    storm();
    EXPECT_EQ(rig.events.size(), 1u);
    EXPECT_TRUE(rig.sent(1).empty());
    EXPECT_EQ(rig.all_drops(), 0u);
    pause(0);
    EXPECT_EQ(rig.sent(1).size(), 1u);
    quiet_until(rig.now + kDetection);
    EXPECT_EQ(restored(), 1u);
}

// A routed flow that the router remembers: its frames are dropped before they are held, and go
// again afterwards.
TEST(WatchdogRouted, RememberedFlowsAreDroppedToo) {
    SwitchRig rig(R"(
switch: { name: rig }
ports:
  - { name: p0, device: "net_null0", addresses: [10.1.0.1/24] }
  - { name: p1, device: "net_null1", addresses: [10.3.0.1/24] }
routes:
  - { prefix: 10.2.0.0/24, via: [10.3.0.2] }
neighbors:
  - { address: 10.3.0.2, mac: "0a:00:00:00:03:02" }
)",
                  [](CompiledTables& tables) { make_watched(tables, WatchdogAction::Drop); });
    const Octets frame = udp({});
    rig.receive(0, {frame, frame});
    EXPECT_EQ(rig.sent(1).size(), 2u);
    const auto pause = [&](std::uint16_t quanta) {
        Octets bytes(60);
        write_pfc_frame(std::span<std::uint8_t, kPfcFrameBytes>(bytes), {1},
                        {0x08, {0, 0, 0, quanta, 0, 0, 0, 0}});
        rig.receive(1, {bytes});
    };
    rig.receive(0, {frame});
    for (int i = 0; i < 30; ++i) {
        pause(62'500);
        rig.tick();
        rig.pass(kStep);
    }
    EXPECT_EQ(rig.shard->counters(1).storms_detected[3].read(), 1u);
    rig.shard->clear_watermarks();
    for (int i = 0; i < 10; ++i) rig.receive(0, std::vector<Octets>(32, frame));
    EXPECT_EQ(rig.drops(1, DropReason::PauseStorm), 321u);
    EXPECT_EQ(rig.group(0, 3).shared_bytes_max, 0u);
    pause(0);
    for (int i = 0; i < 30; ++i) {
        rig.pass(kStep);
        rig.tick();
    }
    rig.receive(0, {frame, frame});
    EXPECT_EQ(rig.sent(1).size(), 2u);
}

}  // namespace
}  // namespace weir

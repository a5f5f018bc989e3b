// SPDX-License-Identifier: BSD-3-Clause
// What the commands about buffer, pauses and queues print, to the letter.
#include <gtest/gtest.h>

#include "config/value_text.h"
#include "tools/weir/console/command_table.h"

namespace weir {
namespace {

PortView port_view(PortId id, const char* name, std::uint8_t lossless) {
    PortView port;
    port.id = id;
    port.name = name;
    port.table.pfc_priorities = lossless;
    return port;
}

BufferProfile lossless_profile() {
    BufferProfile profile;
    profile.reserve_bytes = 8'400;
    profile.headroom_bytes = 100'000;
    profile.lossless = true;
    return profile;
}

// Port 0 has priority 3 lossless, port 2 nothing; nothing has happened yet.
Snapshot two_ports() {
    Snapshot snapshot;
    snapshot.ports = {port_view(0, "host0", bit_of(3)), port_view(2, "up", 0)};
    for (const PortView& port : snapshot.ports) {
        for (Priority p = 0; p < kPriorities; ++p) {
            GroupView& group = snapshot.groups.emplace_back();
            group.port = port.id;
            group.priority = p;
            group.threshold_bytes = 1'000'000;
            if (port.id == 0 && p == 3) group.profile = lossless_profile();
        }
    }
    snapshot.pool.bytes = 1'000'000;
    return snapshot;
}

GroupView& group_at(Snapshot& snapshot, std::size_t port_place, Priority priority) {
    return snapshot.groups[port_place * kPriorities + priority];
}

QueueView& add_queue(Snapshot& snapshot, PortId port, unsigned queue) {
    QueueView& view = snapshot.queues.emplace_back();
    view.port = port;
    view.queue = queue;
    return view;
}

std::string run(std::string_view line, const Snapshot& snapshot) {
    const auto match = weir_commands().match(line, snapshot.names());
    if (match.command == nullptr) return "not understood: " + match.problem;
    return match.command->run(match.arguments, snapshot).text;
}

TEST(ShowPfc, LosslessPrioritiesAndThoseThatWereEverPaused) {
    Snapshot snapshot = two_ports();
    PortCounts& counts = snapshot.ports[0].counts;
    counts.pauses_sent[3] = 12;
    counts.resumes_sent[3] = 11;
    counts.pfc_frames_sent = 23;
    counts.link_pauses_received = 4;
    group_at(snapshot, 0, 3).pausing = true;
    // 83,886 ns and 80 ps: rounded down to thousandths of a microsecond.
    group_at(snapshot, 0, 3).peer_pause_left = Interval{83'886'080};
    snapshot.ports[1].counts.pauses_received[5] = 1;
    EXPECT_EQ(run("show pfc", snapshot),
              "  port       priority  pfc  we pause  peer pauses  pauses_sent  resumes_sent"
              "  pauses_received  resumes_received\n"
              "  0 (host0)         3  on   yes         83.886 us           12            11"
              "                0                 0\n"
              "  2 (up)            5  off  no                 no            0             0"
              "                1                 0\n"
              "  port       pfc_frames_sent  pfc_frames_received  link_pauses_received\n"
              "  0 (host0)               23                    0                     4\n");
}

TEST(ShowPfc, APauseThatIsOverAndOneThatIsIgnored) {
    Snapshot snapshot = two_ports();
    group_at(snapshot, 0, 3).peer_pause_left = Interval{-1};
    EXPECT_NE(run("show pfc", snapshot).find("no                 no"), std::string::npos);
    group_at(snapshot, 0, 3).peer_pause_left = Interval{1'000'000};
    group_at(snapshot, 0, 3).pause_ignored = true;
    group_at(snapshot, 0, 3).pausing = true;
    group_at(snapshot, 0, 3).ring_guarded = true;
    EXPECT_NE(run("show pfc", snapshot).find("  on   yes, RX ring  "), std::string::npos);
    EXPECT_NE(run("show pfc", snapshot).find("  1.000 us, ignored  "), std::string::npos);
    group_at(snapshot, 0, 3).forced = true;
    EXPECT_NE(run("show pfc", snapshot).find("  on   yes, forced  "), std::string::npos);
}

TEST(ShowPfc, ANamedPortShowsAllEight) {
    const std::string text = run("show pfc port up", two_ports());
    // Two titles, eight priorities, one line of frames.
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 11);
    EXPECT_EQ(text.find("host0"), std::string::npos);
}

TEST(ShowPfc, NothingIsLossless) {
    Snapshot snapshot = two_ports();
    snapshot.ports[0].table.pfc_priorities = 0;
    group_at(snapshot, 0, 3).profile = {};
    EXPECT_EQ(run("show pfc", snapshot), "no priority is lossless\n");
}

TEST(ShowBuffer, ReserveThenSharedThenHeadroom) {
    Snapshot snapshot = two_ports();
    snapshot.pool.used_bytes = 41'600;
    snapshot.pool.used_bytes_max = 60'000;
    snapshot.pool.used_frames = 60;
    GroupView& group = group_at(snapshot, 0, 3);
    // 50,000 B held: 8,400 are the reserve, 41,600 shared; 10,000 B of headroom besides.
    group.held.bytes = 50'000;
    group.held.headroom_bytes = 10'000;
    group.held.shared_bytes_max = 41'700;
    group.held.headroom_bytes_max = 20'000;
    group.held.frames = 60;
    group.threshold_bytes = 41'500;
    group_at(snapshot, 1, 0).held.shared_bytes_max = 1'082;
    EXPECT_EQ(run("show buffer", snapshot),
              "shared pool: 41600 of 1000000 bytes, at most 60000; frames: 60\n"
              "  port       priority  kind           reserve          shared  shared_max"
              "         headroom  headroom_max  frames\n"
              "  0 (host0)         3  lossless  8400 of 8400  41600 of 41500       41700"
              "  10000 of 100000         20000      60\n"
              "  2 (up)            0  lossy           0 of 0    0 of 1000000        1082"
              "           0 of 0             0       0\n");
}

TEST(ShowBuffer, LimitsInFramesAreShownWhereThereAreAny) {
    Snapshot snapshot = two_ports();
    snapshot.pool.used_frames = 60;
    snapshot.pool.frames = 12'000;
    group_at(snapshot, 0, 3).held.frames = 60;
    group_at(snapshot, 0, 3).threshold_frames = 11'940;
    const std::string text = run("show buffer port host0", snapshot);
    EXPECT_EQ(text.substr(0, text.find('\n')),
              "shared pool: 0 of 1000000 bytes, at most 0; frames: 60 of 12000");
    EXPECT_NE(text.find("  60 of 11940\n"), std::string::npos);
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 10);
}

TEST(ShowQueue, WhatWaitsWasSentAndDropped) {
    Snapshot snapshot = two_ports();
    EXPECT_EQ(run("show queue", snapshot), "no queue has held a frame\n");
    for (const unsigned queue : {0u, 3u, 4u, kOwnQueue, kUrgentQueue}) {
        add_queue(snapshot, 0, queue).bytes_max = queue >= kPriorities ? 60 : 0;
    }
    add_queue(snapshot, 2, 7);
    QueueView& waiting = snapshot.queues[1];
    waiting.frames = 2;
    waiting.bytes = 2'164;
    waiting.bytes_max = 33'542;
    waiting.weight = 20;
    snapshot.queues[2].weight = 1;
    snapshot.ports[0].counts.sent_by_priority[3] = 1'000;
    snapshot.ports[0].counts.queue_drops[4] = 5;
    EXPECT_EQ(run("show queue", snapshot),
              "  port        queue  scheduler    frames  bytes  bytes_max  sent  dropped\n"
              "  0 (host0)       3  weight 20         2   2164      33542  1000        0\n"
              "  0 (host0)       4  weight 1          0      0          0     0        5\n"
              "  0 (host0)     own  before data       0      0         60     -        -\n"
              "  0 (host0)  urgent  before all        0      0         60     -        -\n");
    snapshot.ports[1].tx_ring = 256;
    const std::string up =
        "  port    queue  scheduler  frames  bytes  bytes_max  sent  dropped\n"
        "  2 (up)      7  strict          0      0          0     0        0\n";
    EXPECT_EQ(run("show queue port up", snapshot),
              up + "in the device: its driver cannot tell how many frames, at most 256\n");
    snapshot.ports[1].in_device = 12;
    EXPECT_EQ(run("show queue port up", snapshot), up + "in the device: 12 frames, at most 256\n");
}

TEST(ShowEcn, ProfilesAndOwnMarks) {
    Snapshot snapshot = two_ports();
    EXPECT_EQ(run("show ecn", snapshot), "no queue marks\n");
    add_queue(snapshot, 0, 2);
    add_queue(snapshot, 0, 3);
    add_queue(snapshot, 2, 3);
    snapshot.queues[1].ecn = {.kmin = 100'000, .kmax = 400'000, .pmax = {50'000}};
    snapshot.ports[0].counts.marked[3] = 17;
    snapshot.ports[0].counts.sent_by_priority[3] = 1'000;
    snapshot.ports[1].counts.marked[3] = 1;  // before its marking was turned off
    EXPECT_EQ(run("show ecn", snapshot),
              "  port       queue   kmin   kmax  pmax  marked  sent\n"
              "  0 (host0)      3  100KB  400KB    5%      17  1000\n"
              "  2 (up)         3    off    off   off       1     0\n");
    EXPECT_EQ(run("show ecn port 0", snapshot),
              "  port       queue   kmin   kmax  pmax  marked  sent\n"
              "  0 (host0)      3  100KB  400KB    5%      17  1000\n");
}

TEST(ShowWatchdog, RuleAndStorms) {
    Snapshot snapshot = two_ports();
    EXPECT_EQ(run("show watchdog", snapshot), "watchdog: off\n");
    snapshot.watchdog.emplace();
    GroupView& group = group_at(snapshot, 0, 3);
    group.storming = true;
    snapshot.ports[0].counts.storms_detected[3] = 2;
    snapshot.ports[0].counts.storms_restored[3] = 1;
    snapshot.ports[0].counts.storm_drops[3] = 500;
    const std::string rule =
        "watchdog: drop after 200ms, until 200ms without a pause, looking every 100ms\n";
    const std::string titles =
        "  port       queue  state                      storms_detected  storms_restored"
        "  storm_drops\n";
    EXPECT_EQ(run("show watchdog", snapshot),
              rule + titles +
                  "  0 (host0)      3  storm, frames are dropped                2"
                  "                1          500\n");
    group.storm_action = WatchdogAction::Forward;
    EXPECT_NE(run("show watchdog", snapshot).find("  storm, pauses are ignored  "),
              std::string::npos);
    group.storm_action = WatchdogAction::Alert;
    EXPECT_NE(run("show watchdog", snapshot).find("  storm  "), std::string::npos);
    group.storming = false;
    EXPECT_NE(run("show watchdog", snapshot).find("  ok  "), std::string::npos);
    EXPECT_EQ(run("show watchdog port up", snapshot), rule);
}

TEST(ShowBalance, PortsTheirSumAndWhatIsHeld) {
    Snapshot snapshot = two_ports();
    EXPECT_EQ(run("show balance", snapshot), "error: the workers did not meet; try again\n");
    snapshot.balance.emplace();
    snapshot.balance->ports = {{.received = 1'000, .sent = 0, .dropped = 10},
                               {.received = 0, .sent = 950, .dropped = 5}};
    snapshot.balance->held_frames = 35;
    snapshot.balance->held_bytes = 37'870;
    EXPECT_EQ(run("show balance", snapshot),
              "  port       received  sent  dropped\n"
              "  0 (host0)      1000     0       10\n"
              "  2 (up)            0   950        5\n"
              "  all            1000   950       15\n"
              "held: 35 frames, 37870 bytes\n");
}

TEST(ShowHooks, RuleAndMovedFrames) {
    Snapshot snapshot = two_ports();
    EXPECT_EQ(run("show hooks", snapshot), "hooks: off\n");
    snapshot.hooks.emplace();
    snapshot.hooks->uplinks = {"host0", "up"};
    snapshot.hooks->moves[3] = {.first = {.priority = 4, .dscp = 34},
                                .second = {.priority = 1, .dscp = 10}};
    const std::string rule = "hooks: " + show(*snapshot.hooks) + "\n";
    EXPECT_EQ(run("show hooks", snapshot), rule);
    snapshot.ports[0].counts.hooked_first[3] = 2'000;
    snapshot.ports[1].counts.hooked_second[4] = 7;
    EXPECT_EQ(run("show hooks", snapshot),
              rule +
                  "  port       priority  hooked_first  hooked_second\n"
                  "  0 (host0)         3          2000              0\n"
                  "  2 (up)            4             0              7\n");
    EXPECT_EQ(run("show hooks port up", snapshot),
              rule +
                  "  port    priority  hooked_first  hooked_second\n"
                  "  2 (up)         4             0              7\n");
}

}  // namespace
}  // namespace weir

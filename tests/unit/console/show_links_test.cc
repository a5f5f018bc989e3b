// SPDX-License-Identifier: BSD-3-Clause
// What the commands about links print, to the letter, and what they ask for.
#include <gtest/gtest.h>

#include "tools/weir/console/command_table.h"

namespace weir {
namespace {

Snapshot two_links() {
    Snapshot snapshot;
    for (const auto& [id, name] : {std::pair{PortId{0}, "up1"}, std::pair{PortId{1}, "up2"}}) {
        PortView port;
        port.id = id;
        port.name = name;
        port.device = "ring:a";
        port.usable = true;
        port.device_link = true;
        port.table.speed_bps = 25'000'000'000;
        snapshot.ports.push_back(port);
    }
    LinkView& up = snapshot.links.emplace_back();
    up.port = 0;
    up.watched = true;
    up.peer = IpAddress::v4(0x0a00'0002);
    up.state = up.peer_state = SessionState::Up;
    up.discriminator = 0x12ab'0001;
    up.peer_discriminator = 7;
    up.tx_interval = Interval::microseconds(100);
    up.detection_time = Interval::microseconds(300);
    up.counters.packets_sent = 12;
    up.counters.packets_received = 11;
    up.counters.discards[static_cast<unsigned>(BfdDiscard::TtlWrong)] = 2;
    up.arrivals = 10;
    up.arrival_min = Interval::microseconds(75);
    up.arrival_p50 = Interval::microseconds(88);
    up.arrival_p99 = Interval::microseconds(99);
    up.arrival_max = Interval::microseconds(130);
    LinkView& lost = snapshot.links.emplace_back();
    lost.port = 1;
    lost.watched = true;
    lost.use = LinkUse::SessionDown;
    lost.peer = IpAddress::v4(0x0a00'0102);
    lost.last_down = Diagnostic::NeighborSignaledDown;
    lost.last_peer_down = Diagnostic::DetectionTimeExpired;
    lost.counters.flaps = 3;
    lost.down_for = Interval::microseconds(1'500);
    return snapshot;
}

Reply run(std::string_view line, const Snapshot& snapshot) {
    const auto match = weir_commands().match(line, snapshot.names());
    if (match.command == nullptr) return Reply::error("not understood: " + match.problem);
    return match.command->run(match.arguments, snapshot);
}

TEST(ShowLinks, OneLineASession) {
    EXPECT_EQ(run("show links", two_links()).text,
              "  port     state  device link  speed  device\n"
              "  0 (up1)  up     up           25G    ring:a\n"
              "  1 (up2)  up     up           25G    ring:a\n"
              "  port     peer      link          session  peer says  flaps          outage  "
              "last lost because\n"
              "  0 (up1)  10.0.0.2  usable        up       up             0            none\n"
              "  1 (up2)  10.0.1.2  session down  down     down           3  since 1.500 ms  "
              "neighbor signaled down (peer: detection time expired)\n");
}

TEST(ShowLinks, AllOfOne) {
    const std::string text = run("show links up1", two_links()).text;
    EXPECT_EQ(text.find("up2"), std::string::npos);
    EXPECT_NE(text.find("  discriminators      ours 0x12ab0001, peer's 0x00000007\n"
                        "  diagnostics         ours none, peer's none\n"
                        "  we send every       100.000 us\n"
                        "  lost after          300.000 us of silence\n"
                        "  packets             sent 12, received 11, not sent (MAC unknown) 0\n"
                        "  between arrivals    min 75.000 us, p50 88.000 us, p99 99.000 us, "
                        "max 130.000 us\n"
                        "  discarded           ttl wrong 2\n"
                        "  own stalls          0\n"
                        "  flap penalty        0\n"),
              std::string::npos)
        << text;
}

TEST(ShowLinks, HoldDownSaysHowLongStill) {
    Snapshot snapshot = two_links();
    snapshot.links[1].use = LinkUse::HeldDown;
    snapshot.links[1].held_for = Interval::milliseconds(400);
    snapshot.links[1].state = SessionState::Up;
    EXPECT_NE(run("show links", snapshot).text.find("held down, 400.000 ms left"),
              std::string::npos);
}

TEST(SetLink, AsksForWhatItSays) {
    const Snapshot snapshot = two_links();
    const Reply down = run("set link up2 down", snapshot);
    EXPECT_EQ(down.request.act, Act::LinkDown);
    EXPECT_EQ(down.request.port, 1);
    EXPECT_EQ(run("set link 1 up", snapshot).request.act, Act::LinkUp);
    const Reply silent = run("set link up2 silent-drop", snapshot);
    EXPECT_EQ(silent.request.act, Act::SetFault);
    EXPECT_TRUE(silent.request.fault.silent);
    EXPECT_TRUE(silent.request.fault.any());
    EXPECT_FALSE(run("set link up2 none", snapshot).request.fault.any());
    EXPECT_TRUE(run("set link up2 sideways", snapshot).failed);
}

}  // namespace
}  // namespace weir

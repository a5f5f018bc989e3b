// SPDX-License-Identifier: BSD-3-Clause
// What each command prints, to the letter, for a switch that is written down here.
#include <gtest/gtest.h>

#include "tools/weir/console/command_table.h"

namespace weir {
namespace {

MacAddress mac(std::uint64_t last) {
    return {0x0200'0000'0000u | last};
}

PortView routed_port() {
    PortView port;
    port.id = 0;
    port.name = "host0";
    port.device = "net_af_packet0,iface=v0";
    port.driver = "net_af_packet";
    port.addresses = {"10.0.0.1/24", "fd00::1/64"};
    port.table.mac = mac(1);
    port.table.speed_bps = 25'000'000'000;
    port.table.mode = PortMode::Routed;
    port.usable = true;
    port.device_link = true;
    port.device_decides = false;
    port.core = 1;
    port.rx_ring = 512;
    port.tx_ring = 256;
    port.counts.received_frames = 3'000'000;
    port.counts.received_bytes = 3'246'000'000;
    port.counts.received_roce_frames = 2'999'999;
    port.counts.sent_frames = 7;
    port.counts.sent_bytes = 420;
    port.counts.drops[static_cast<unsigned>(DropReason::NoRoute)] = 4;
    port.counts.drops[static_cast<unsigned>(DropReason::TtlExpired)] = 1;
    port.lately = Interval::milliseconds(500);
    port.recently.received_frames = 1'500'000;
    port.recently.received_bytes = 1'623'000'000;
    return port;
}

PortView bridged_port() {
    PortView port;
    port.id = 2;
    port.name = "up";
    port.device = "0000:03:00.0";
    port.vlans = "10, 20";
    port.notes = {"PAUSE frames do not reach us: net_x keeps them"};
    port.table.mac = mac(2);
    port.table.mode = PortMode::Bridged;
    port.table.native_vlan = 5;
    port.table.trust = Trust::Pcp;
    port.table.default_priority = 3;
    port.table.speed_bps = 0;
    port.stopped = true;
    port.core = 2;
    return port;
}

Snapshot two_ports() {
    Snapshot snapshot;
    snapshot.name = "leaf";
    snapshot.ports = {routed_port(), bridged_port()};
    return snapshot;
}

std::string run(std::string_view line, const Snapshot& snapshot) {
    const auto match = weir_commands().match(line, snapshot.names());
    if (match.command == nullptr) return "not understood: " + match.problem;
    return match.command->run(match.arguments, snapshot).text;
}

TEST(Show, PortStats) {
    // 1,500,000 frames in 0.5 s are 3 Mpps; 1,623,000,000 B x 8 / 0.5 s = 25,968 Mbps.
    EXPECT_EQ(run("show port stats 0", two_ports()), R"(
  ######## statistics of port 0 (host0) ########
  received  frames: 3000000              bytes: 3246000000           roce_frames: 2999999
  sent      frames: 7                    bytes: 420                  refused_frames: 0
  dropped   frames: 5
  device    missed: 0                    errors: 0                    no_memory: 0
  over the last 0.500 s
  received         3.000 Mpps      25968.000 Mbps
  sent             0.000 Mpps          0.000 Mbps
)");
}

TEST(Show, PortStatsOfAPortThatIsDownBeforeAnyTimeHasPassed) {
    const Snapshot snapshot = two_ports();
    EXPECT_EQ(run("show port stats up", snapshot), R"(
  ######## statistics of port 2 (up), down ########
  received  frames: 0                    bytes: 0                    roce_frames: 0
  sent      frames: 0                    bytes: 0                    refused_frames: 0
  dropped   frames: 0
  device    missed: 0                    errors: 0                    no_memory: 0
)");
}

TEST(Show, AllPortsAreThePortsInOrder) {
    const Snapshot snapshot = two_ports();
    EXPECT_EQ(run("show port stats all", snapshot),
              run("show port stats 0", snapshot) + run("show port stats 2", snapshot));
    EXPECT_EQ(run("show port info all", snapshot),
              run("show port info 0", snapshot) + run("show port info 2", snapshot));
}

TEST(Show, PortInfoOfARoutedPort) {
    EXPECT_EQ(run("show port info 0", two_ports()), R"(
  port 0 (host0)
    state:            up
    device:           net_af_packet0,iface=v0, driver net_af_packet
    device link:      up (this driver always says so)
    MAC address:      02:00:00:00:00:01
    speed:            25G
    mode:             routed
    address:          10.0.0.1/24
    address:          fd00::1/64
    longest frame:    4200 B without FCS
    priority from:    DSCP, otherwise 0
    worker:           core 1
    rings:            512 RX, 256 TX descriptors
)");
}

TEST(Show, PortInfoOfAStoppedBridgedPort) {
    EXPECT_EQ(run("show port info 2", two_ports()), R"(
  port 2 (up)
    state:            stopped
    device:           0000:03:00.0
    device link:      down
    MAC address:      02:00:00:00:00:02
    speed:            unknown
    mode:             bridged, VLAN 5 untagged, tagged 10, 20
    longest frame:    4200 B without FCS
    priority from:    PCP, otherwise 3
    worker:           core 2
    rings:            0 RX, 0 TX descriptors
    note:             PAUSE frames do not reach us: net_x keeps them
)");
}

TEST(Show, Drops) {
    EXPECT_EQ(run("show drops", two_ports()),
              "  port       reason       frames\n"
              "  0 (host0)  TTL expired       1\n"
              "  0 (host0)  no route          4\n"
              "  all                          5\n");
    EXPECT_EQ(run("show drops", {}), "no frame was dropped\n");
}

TEST(Show, Links) {
    EXPECT_EQ(run("show links", two_ports()),
              "  port       state    device link  speed    device\n"
              "  0 (host0)  up       up (always)  25G      net_af_packet0,iface=v0\n"
              "  2 (up)     stopped  down         unknown  0000:03:00.0\n");
}

Snapshot with_routes() {
    Snapshot snapshot = two_ports();
    const auto v4 = [](std::uint32_t address, unsigned length) {
        return IpPrefix{IpAddress::v4(address), static_cast<std::uint8_t>(96 + length)};
    };
    snapshot.routes = {
        {.prefix = v4(0, 0),
         .kind = RouteKind::NextHops,
         .next_hops =
             {{.port = 0, .gateway = IpAddress::v4(0x0a00'0002), .usable = true, .resolved = true},
              {.port = 0, .gateway = IpAddress::v4(0x0a00'0003), .usable = true},
              {.port = 2, .gateway = IpAddress::v4(0x0a00'0104)}}},
        {.prefix = v4(0x0a00'0000, 24), .kind = RouteKind::Connected, .port = 0, .next_hops = {}},
        {.prefix = v4(0x0a00'0001, 32), .kind = RouteKind::Local, .port = 0, .next_hops = {}},
        {.prefix = v4(0xc000'0200, 24), .kind = RouteKind::Blackhole, .next_hops = {}},
        {.prefix = {{0xfd00'0000'0000'0000, 0}, 64},
         .kind = RouteKind::Connected,
         .port = 0,
         .next_hops = {}}};
    return snapshot;
}

TEST(Show, Routes) {
    EXPECT_EQ(run("show routes", with_routes()),
              "  prefix        kind         via\n"
              "  0.0.0.0/0     next hops    10.0.0.2 port 0 (host0)\n"
              "                             10.0.0.3 port 0 (host0) (MAC unknown)\n"
              "                             10.0.1.4 port 2 (up) (not usable)\n"
              "  10.0.0.0/24   connected    port 0 (host0)\n"
              "  10.0.0.1/32   own address  port 0 (host0)\n"
              "  192.0.2.0/24  blackhole\n"
              "  fd00::/64     connected    port 0 (host0)\n");
    EXPECT_EQ(run("show routes", {}), "no route\n");
}

TEST(Show, RoutesInsideOfAndAroundAPrefix) {
    EXPECT_EQ(run("show routes 192.0.2.7", with_routes()),
              "  prefix        kind       via\n"
              "  0.0.0.0/0     next hops  10.0.0.2 port 0 (host0)\n"
              "                           10.0.0.3 port 0 (host0) (MAC unknown)\n"
              "                           10.0.1.4 port 2 (up) (not usable)\n"
              "  192.0.2.0/24  blackhole\n");
    EXPECT_EQ(run("show routes fd00::/16", with_routes()),
              "  prefix     kind       via\n"
              "  fd00::/64  connected  port 0 (host0)\n");
}

TEST(Show, Neighbors) {
    Snapshot snapshot = two_ports();
    EXPECT_EQ(run("show neighbors", snapshot), "no neighbor\n");
    snapshot.neighbors = {{.address = IpAddress::v4(0x0a00'0002),
                           .port = 0,
                           .state = NeighborState::Reachable,
                           .mac = mac(9),
                           .gateway = true},
                          {.address = {0xfd00'0000'0000'0000, 2},
                           .port = 0,
                           .state = NeighborState::Incomplete,
                           .waiting = 3}};
    EXPECT_EQ(run("show neighbors", snapshot),
              "  address   port       state       MAC address        gateway  frames waiting\n"
              "  10.0.0.2  0 (host0)  reachable   02:00:00:00:00:09  yes                   0\n"
              "  fd00::2   0 (host0)  incomplete  -                  no                    3\n");
}

TEST(Show, Macs) {
    Snapshot snapshot = two_ports();
    EXPECT_EQ(run("show mac", snapshot), "no MAC address\n");
    snapshot.macs = {{.mac = mac(3), .vlan = 1, .port = 2, .age_ms = 1500},
                     {.mac = mac(4), .vlan = 4094, .port = 7, .fixed = true}};
    EXPECT_EQ(run("show mac", snapshot),
              "  MAC address        VLAN  port    seen ago\n"
              "  02:00:00:00:00:03     1  2 (up)   1.500 s\n"
              "  02:00:00:00:00:04  4094  7         static\n");
}

TEST(Show, Workers) {
    Snapshot snapshot;
    snapshot.mbufs = 16'384;
    snapshot.mbufs_in_use = 512;
    snapshot.lost_event_lines = 3;
    // 255 us of 1 ms are 25.5 %.
    snapshot.workers = {{.core = 1,
                         .turns = 1000,
                         .busy_ps = 255'000'000,
                         .total_ps = 1'000'000'000,
                         .longest_turn_ps = 41'250'000,
                         .received_frames = 7,
                         .sent_frames = 6,
                         .ports = {"a:host0", "a:up"}},
                        {.core = 2, .ports = {}}};
    EXPECT_EQ(run("show workers", snapshot),
              "  core  turns  busy %  longest turn us  received_frames  sent_frames"
              "  lost_events  lost_messages  ports\n"
              "     1   1000  25.500           41.250                7            6"
              "            0              0  a:host0 a:up\n"
              "     2      0       -            0.000                0            0"
              "            0              0\n"
              "  frame buffers in use: 512 of 16384\n"
              "  lost event lines: 3\n");
}

TEST(Show, Switches) {
    Snapshot snapshot;
    snapshot.switches = {{"leaf1", "a.yaml", 3, 4, 2}, {"spine", "b.yaml", 1, 16, 16}};
    EXPECT_EQ(run("show switches", snapshot),
              "  switch  ports  up  generation  file\n"
              "  leaf1       4   2           3  a.yaml\n"
              "  spine      16  16           1  b.yaml\n");
}

TEST(Show, ConfigIsTheTextInUse) {
    Snapshot snapshot;
    snapshot.config = "switch:\n  name: leaf\n";
    EXPECT_EQ(run("show config", snapshot), "switch:\n  name: leaf\n");
}

Request request(std::string_view line, const Snapshot& snapshot) {
    const auto match = weir_commands().match(line, snapshot.names());
    EXPECT_NE(match.command, nullptr) << match.problem;
    if (match.command == nullptr) return {};
    const Reply reply = match.command->run(match.arguments, snapshot);
    EXPECT_FALSE(reply.failed);
    return reply.request;
}

TEST(Acting, CommandsAskTheControlLoopToAct) {
    Snapshot snapshot = two_ports();
    snapshot.switches = {{"leaf", "a.yaml", 1, 2, 1}};
    EXPECT_EQ(request("clear stats", snapshot).act, Act::ClearStats);
    EXPECT_EQ(request("quit", snapshot).act, Act::Quit);
    EXPECT_EQ(request("reload", snapshot).act, Act::Reload);
    EXPECT_EQ(request("reload", snapshot).name, "");
    EXPECT_EQ(request("load \"my file.yaml\"", snapshot).act, Act::Reload);
    EXPECT_EQ(request("load \"my file.yaml\"", snapshot).name, "my file.yaml");
    EXPECT_EQ(request("use leaf", snapshot).act, Act::Use);
    EXPECT_EQ(request("use leaf", snapshot).name, "leaf");
    EXPECT_EQ(request("port stop up", snapshot).act, Act::StopPort);
    EXPECT_EQ(request("port stop up", snapshot).port, 2);
    EXPECT_EQ(request("port start 0", snapshot).act, Act::StartPort);
    EXPECT_EQ(request("port start 0", snapshot).port, 0);
    EXPECT_EQ(request("show drops", snapshot).act, Act::None);
}

}  // namespace
}  // namespace weir

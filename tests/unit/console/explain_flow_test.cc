// SPDX-License-Identifier: BSD-3-Clause
// The story that `explain flow` tells about what the core decided, to the letter.
#include "tools/weir/console/explain_flow.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

using Outcome = Explanation::Outcome;

PortView port_view(PortId id, const char* name, bool usable) {
    PortView port;
    port.id = id;
    port.name = name;
    port.usable = usable;
    port.core = 1;
    return port;
}

Snapshot switch_with_uplinks() {
    Snapshot snapshot;
    snapshot.ports = {port_view(0, "host", true), port_view(1, "up0", true),
                      port_view(2, "up1", false)};
    return snapshot;
}

ExplainedFlow routed_flow() {
    ExplainedFlow flow;
    flow.in_port = 0;
    flow.prefix = IpPrefix{IpAddress::v4(0x0a02'0000), 96 + 16};
    flow.members = {
        {.port = 1, .gateway = IpAddress::v4(0x0a00'0102), .usable = true, .resolved = true},
        {.port = 2, .gateway = IpAddress::v4(0x0a00'0202), .usable = false}};
    Explanation& steps = flow.steps;
    steps.routed_port = true;
    steps.parsed.kind = FrameKind::Ipv4;
    steps.parsed.protocol = 17;
    steps.parsed.ports = (49'152u << 16) | 4791u;
    steps.parsed.dest_qp = 17;
    steps.parsed.roce = true;
    steps.parsed.ttl = 64;
    steps.parsed.traffic_class = 26 << 2;
    steps.priority = 3;
    steps.route_index = 4;
    steps.route.kind = RouteKind::NextHops;
    steps.route.count = 2;
    steps.choice.hash = 0x0123'4567'89ab'cdef;
    steps.choice.member = 0;
    steps.choice.hop = {0, 1};
    steps.first_choice = 1;
    steps.outcome = Outcome::Routed;
    steps.out_port = 1;
    steps.neighbor_state = NeighborState::Reachable;
    steps.neighbor_address = IpAddress::v4(0x0a00'0102);
    steps.source_mac = {0x0200'0000'0001};
    steps.destination_mac = {0x0200'0000'0002};
    return flow;
}

std::string story(ExplainedFlow flow) {
    Snapshot snapshot = switch_with_uplinks();
    snapshot.flow = std::move(flow);
    const Reply reply = explain_flow({}, snapshot);
    EXPECT_FALSE(reply.failed);
    return reply.text;
}

TEST(ExplainFlow, AHookWaitsInTheQueueOfItsNewPriority) {
    ExplainedFlow flow = routed_flow();
    flow.steps.hook = Hook::First;
    flow.steps.move = {.priority = 4, .dscp = 34, .moves = true};
    const std::string text = story(flow);
    const std::string end =
        "  hook       the first, in and out by an uplink: queue 4, DSCP 34\n"
        "  egress     port 1 (up0), queue 4, worker on core 1\n";
    EXPECT_NE(text.find(end), std::string::npos) << text;
    flow.steps.hook = Hook::Second;
    EXPECT_NE(story(flow).find("  hook       the second, "), std::string::npos);
}

TEST(ExplainFlow, ARoutedFlowWhoseFirstChoiceIsDown) {
    EXPECT_EQ(story(routed_flow()),
              "  parse      IPv4, DSCP 26, TTL 64, UDP 49152 -> 4791, RoCEv2 to queue pair 17\n"
              "  priority   3, from DSCP 26\n"
              "  group      lossy: it may be dropped\n"
              "  route      10.2.0.0/16, next hops, 2 members\n"
              "  hash       0x0123456789abcdef names member 1\n"
              "    member 0 10.0.1.2 port 1 (up0)\n"
              "    member 1 10.0.2.2 port 2 (up1) (not usable)\n"
              "  path       member 0, since member 1 is not usable\n"
              "  neighbor   10.0.1.2, reachable\n"
              "  rewrite    02:00:00:00:00:01 -> 02:00:00:00:00:02, TTL 63\n"
              "  egress     port 1 (up0), queue 3, worker on core 1\n");
}

TEST(ExplainFlow, LosslessInAndOut) {
    Snapshot snapshot = switch_with_uplinks();
    snapshot.flow = routed_flow();  // of priority 3, from port 0 to port 1
    snapshot.ports[0].table.pfc_priorities = bit_of(3);
    snapshot.ports[1].table.pfc_priorities = bit_of(3);
    const std::string text = explain_flow({}, snapshot).text;
    EXPECT_NE(text.find("  group      lossless: port 0 (host) is paused before it is full\n"),
              std::string::npos);
    EXPECT_NE(
        text.find(
            "  egress     port 1 (up0), queue 3, obeys the peer's pauses, worker on core 1\n"),
        std::string::npos);
    snapshot.ports[0].table.pfc_priorities = bit_of(4);
    EXPECT_NE(explain_flow({}, snapshot).text.find("  group      lossy"), std::string::npos);
}

TEST(ExplainFlow, TheOnlyMemberNeedsNoHash) {
    ExplainedFlow flow = routed_flow();
    flow.members.resize(1);
    flow.steps.choice.hash = 0;
    flow.steps.choice.member = 0;
    flow.steps.first_choice = 0;
    flow.steps.neighbor_state = NeighborState::Incomplete;
    EXPECT_EQ(story(flow),
              "  parse      IPv4, DSCP 26, TTL 64, UDP 49152 -> 4791, RoCEv2 to queue pair 17\n"
              "  priority   3, from DSCP 26\n"
              "  group      lossy: it may be dropped\n"
              "  route      10.2.0.0/16, next hops, 1 member\n"
              "    member 0 10.0.1.2 port 1 (up0)\n"
              "  path       member 0\n"
              "  neighbor   10.0.1.2, incomplete\n"
              "  waiting    the frame waits until the neighbor has said its MAC address\n"
              "  egress     port 1 (up0), queue 3, worker on core 1\n");
}

TEST(ExplainFlow, NoUsableNextHop) {
    ExplainedFlow flow = routed_flow();
    flow.members[0].usable = false;
    flow.steps.choice.member = kNoMember;
    flow.steps.outcome = Outcome::Dropped;
    flow.steps.reason = DropReason::NoUsableNextHop;
    EXPECT_EQ(story(flow),
              "  parse      IPv4, DSCP 26, TTL 64, UDP 49152 -> 4791, RoCEv2 to queue pair 17\n"
              "  priority   3, from DSCP 26\n"
              "  group      lossy: it may be dropped\n"
              "  route      10.2.0.0/16, next hops, 2 members\n"
              "  hash       0x0123456789abcdef names member 1\n"
              "    member 0 10.0.1.2 port 1 (up0) (not usable)\n"
              "    member 1 10.0.2.2 port 2 (up1) (not usable)\n"
              "  dropped    no usable next hop\n");
}

TEST(ExplainFlow, NoRoute) {
    ExplainedFlow flow = routed_flow();
    flow.prefix.reset();
    flow.members.clear();
    flow.steps.route_index = kNoRouteIndex;
    flow.steps.route = {};
    flow.steps.outcome = Outcome::Dropped;
    flow.steps.reason = DropReason::NoRoute;
    flow.steps.parsed.roce = false;
    EXPECT_EQ(story(flow),
              "  parse      IPv4, DSCP 26, TTL 64, UDP 49152 -> 4791\n"
              "  priority   3, from DSCP 26\n"
              "  group      lossy: it may be dropped\n"
              "  dropped    no route\n");
}

ExplainedFlow bridged_flow() {
    ExplainedFlow flow;
    flow.in_port = 0;
    flow.steps.parsed.kind = FrameKind::Other;
    flow.steps.vlan = 10;
    flow.steps.vlan_member = true;
    return flow;
}

TEST(ExplainFlow, ABridgedFrameWithATag) {
    ExplainedFlow flow = bridged_flow();
    flow.tagged = true;
    flow.steps.parsed.tag = (5 << 13) | 10;
    flow.steps.priority = 5;
    flow.steps.outcome = Outcome::Bridged;
    flow.steps.out_port = 2;
    EXPECT_EQ(story(flow),
              "  parse      no IP\n"
              "  priority   5, from PCP 5\n"
              "  group      lossy: it may be dropped\n"
              "  bridge     VLAN 10\n"
              "  MAC        known on port 2 (up1)\n"
              "  egress     port 2 (up1), queue 5, worker on core 1; dropped there: port down\n");
}

TEST(ExplainFlow, AFloodedFrame) {
    ExplainedFlow flow = bridged_flow();
    flow.steps.outcome = Outcome::Flooded;
    flow.steps.flood_ports.add(1);
    flow.steps.flood_ports.add(2);
    EXPECT_EQ(story(flow),
              "  parse      no IP\n"
              "  priority   0, the port's default\n"
              "  group      lossy: it may be dropped\n"
              "  bridge     VLAN 10\n"
              "  MAC        unknown, or a group: to all ports of the VLAN\n"
              "  egress     port 1 (up0), queue 0, worker on core 1\n"
              "  egress     port 2 (up1), queue 0, worker on core 1; dropped there: port down\n");
}

TEST(ExplainFlow, AVlanThatThePortDoesNotCarry) {
    ExplainedFlow flow = bridged_flow();
    flow.steps.vlan_member = false;
    flow.steps.reason = DropReason::VlanNotMember;
    EXPECT_EQ(story(flow),
              "  parse      no IP\n"
              "  priority   0, the port's default\n"
              "  group      lossy: it may be dropped\n"
              "  bridge     VLAN 10, which the port does not carry\n"
              "  dropped    VLAN not member\n");
}

TEST(ExplainFlow, AFrameForTheSwitch) {
    ExplainedFlow flow = routed_flow();
    flow.prefix = IpPrefix{IpAddress::v4(0x0a00'0001), 128};
    flow.members.clear();
    flow.steps.route.kind = RouteKind::Local;
    flow.steps.outcome = Outcome::ForSwitch;
    EXPECT_EQ(story(flow),
              "  parse      IPv4, DSCP 26, TTL 64, UDP 49152 -> 4791, RoCEv2 to queue pair 17\n"
              "  priority   3, from DSCP 26\n"
              "  group      lossy: it may be dropped\n"
              "  route      10.0.0.1/32, own address\n"
              "  end        the switch itself takes it\n");
}

TEST(ExplainFlow, AWorkerThatDoesNotAnswer) {
    const Reply reply = explain_flow({}, switch_with_uplinks());
    EXPECT_TRUE(reply.failed);
    EXPECT_EQ(reply.text, "error: the worker did not answer; try again\n");
}

// A rule decides before the hash does, and says which of its ways.
TEST(ExplainFlow, ARuleOfThePathTables) {
    ExplainedFlow flow = routed_flow();
    flow.rule.match = PathMatch::DestQp;
    flow.rule.source = IpAddress::v4(0x0a00'0001);
    flow.rule.destination = IpAddress::v4(0x0a02'0005);
    flow.rule.detail = 17;
    flow.steps.choice.rule = 7;
    flow.steps.choice.place = 1;
    flow.steps.choice.member = kNoMember;
    const std::string by_rule = story(flow);
    EXPECT_NE(by_rule.find("  rule       7: 10.0.0.1 -> 10.2.0.5, queue pair 17\n"
                           "  path       backup 1, since the ways before it are not usable\n"
                           "  neighbor "),
              std::string::npos)
        << by_rule;
    flow.steps.choice.place = 0;
    flow.steps.choice.stays = true;
    flow.steps.choice.gap = Interval::microseconds(100);
    EXPECT_NE(story(flow).find("  path       primary\n"
                               "  stays      on its way until it pauses for 100us\n"),
              std::string::npos);
    flow.steps.choice.stays = false;
    flow.steps.choice.place = kNoPlace;
    flow.steps.choice.member = 0;
    const std::string by_hash = story(flow);
    EXPECT_NE(by_hash.find("  path       no way of the rule is usable; the hash chooses\n"
                           "  hash "),
              std::string::npos)
        << by_hash;
}

}  // namespace
}  // namespace weir

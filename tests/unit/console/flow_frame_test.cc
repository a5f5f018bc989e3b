// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/console/flow_frame.h"

#include <gtest/gtest.h>

#include "dataplane/core/parse.h"
#include "dataplane/core/protocols.h"
#include "dataplane/core/wire.h"
#include "tools/weir/console/command_table.h"

namespace weir {
namespace {

Snapshot two_ports() {
    Snapshot snapshot;
    snapshot.ports.resize(2);
    snapshot.ports[0].name = "up";
    snapshot.ports[0].table.mode = PortMode::Routed;
    snapshot.ports[0].table.mac = {0x0200'0000'0001};
    snapshot.ports[1].id = 1;
    snapshot.ports[1].name = "host";
    snapshot.ports[1].table.mode = PortMode::Bridged;
    return snapshot;
}

Reading<FlowFrame> make(std::string_view flow) {
    const Snapshot snapshot = two_ports();
    const std::string line = "explain flow in " + std::string(flow);
    const auto match = weir_commands().match(line, snapshot.names());
    EXPECT_NE(match.command, nullptr) << match.problem;
    if (match.command == nullptr) return Reading<FlowFrame>::bad(match.problem);
    return make_flow_frame(match.arguments, snapshot);
}

struct Read {
    Frame frame;
    Parsed parsed;
};

// What the frame path reads in it.
Read read(Reading<FlowFrame>& flow) {
    Read read;
    read.frame.data = flow.value->bytes.data();
    read.frame.length = flow.value->length;
    read.frame.readable = flow.value->length;
    read.parsed = parse(read.frame);
    return read;
}

TEST(FlowFrame, Ipv4IsARoceFrameToThePort) {
    auto flow = make("0 src 10.0.0.2 dst 10.0.1.2");
    ASSERT_TRUE(flow) << flow.problem;
    EXPECT_EQ(flow->length, 60);  // 14 + 20 + 8 + 12 + 4 = 58, padded
    const auto [frame, parsed] = read(flow);
    EXPECT_EQ(parsed.kind, FrameKind::Ipv4);
    EXPECT_TRUE(parsed.roce);
    EXPECT_EQ(parsed.dest_qp, 1u);
    EXPECT_EQ(parsed.ports, (49'152u << 16) | 4791u);
    EXPECT_EQ(parsed.ttl, 64);
    EXPECT_EQ(parsed.traffic_class, 0);
    EXPECT_EQ(read_mac(frame.data), MacAddress{0x0200'0000'0001});
    EXPECT_EQ(read_ipv4(frame.data + 26), IpAddress::v4(0x0a00'0002));
    EXPECT_EQ(read_ipv4(frame.data + 30), IpAddress::v4(0x0a00'0102));
}

TEST(FlowFrame, EveryPartCanBeSaid) {
    auto flow = make(
        "host src fd00::1 dst fd00::2 sport 7 dport 4791 qp 0x123456 dscp 26 vlan 5 pcp 3 "
        "mac-src 02:00:00:00:00:0a mac-dst 02:00:00:00:00:0b");
    ASSERT_TRUE(flow) << flow.problem;
    EXPECT_EQ(flow->length, 82);  // 14 + 4 + 40 + 8 + 12 + 4
    const auto [frame, parsed] = read(flow);
    EXPECT_EQ(parsed.kind, FrameKind::Ipv6);
    EXPECT_TRUE(parsed.roce);
    EXPECT_EQ(parsed.dest_qp, 0x12'3456u);
    EXPECT_EQ(parsed.ports, (7u << 16) | 4791u);
    EXPECT_EQ(parsed.traffic_class, 26 << 2);
    EXPECT_EQ(parsed.tag, (3 << 13) | 5);
    EXPECT_EQ(read_mac(frame.data), MacAddress{0x0200'0000'000b});
    EXPECT_EQ(read_mac(frame.data + 6), MacAddress{0x0200'0000'000a});
}

TEST(FlowFrame, AnotherUdpPortIsNoRoce) {
    auto flow = make("0 src 10.0.0.2 dst 10.0.1.2 dport 53");
    ASSERT_TRUE(flow) << flow.problem;
    EXPECT_FALSE(read(flow).parsed.roce);
}

TEST(FlowFrame, ABridgedPortNeedsADestinationMac) {
    EXPECT_EQ(make("1 src 10.0.0.2 dst 10.0.1.2").problem,
              "port host is bridged: add mac-dst, the MAC address the frame is for");
    EXPECT_TRUE(make("1 src 10.0.0.2 dst 10.0.1.2 mac-dst 02:00:00:00:00:0b"));
}

TEST(FlowFrame, AddressesAreOfOneKind) {
    EXPECT_EQ(make("0 src 10.0.0.2 dst fd00::1").problem,
              "src and dst are of one kind: both IPv4 or both IPv6");
}

TEST(FlowFrame, WithoutIpItIsAnyOtherFrame) {
    auto flow = make("1 mac-src 02:00:00:00:00:0a mac-dst 02:00:00:00:00:0b pcp 6");
    ASSERT_TRUE(flow) << flow.problem;
    EXPECT_EQ(flow->length, 60);
    const auto [frame, parsed] = read(flow);
    EXPECT_EQ(parsed.kind, FrameKind::Other);
    EXPECT_EQ(parsed.tag, 6 << 13);  // a priority tag: VID 0
}

}  // namespace
}  // namespace weir

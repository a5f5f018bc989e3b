// SPDX-License-Identifier: BSD-3-Clause
// IPv4 and IPv6 forwarding, through the shard.
#include <gtest/gtest.h>

#include "dataplane/core/explain.h"
#include "dataplane/core/wire.h"
#include "tests/unit/core/switch_rig.h"

namespace weir {
namespace {

constexpr const char* kRouter = R"(
switch: { name: rig }
ports:
  - { name: p0, device: "net_null0", addresses: [10.1.0.1/24, "2001:db8:1::1/64"] }
  - { name: p1, device: "net_null1", addresses: [10.3.0.1/24, "2001:db8:3::1/64"] }
  - { name: p2, device: "net_null2", addresses: [10.4.0.1/24], frame_bytes_max: 1518 }
routes:
  - { prefix: 10.2.0.0/24, via: [10.3.0.2] }
  - { prefix: 10.5.0.0/24, via: [10.3.0.2, 10.4.0.2] }
  - { prefix: 10.6.0.0/24, via: [10.4.0.2] }
  - { prefix: 10.7.0.0/24, blackhole: true }
  - { prefix: "2001:db8:2::/64", via: ["2001:db8:3::2"] }
neighbors:
  - { address: 10.3.0.2, mac: "0a:00:00:00:03:02" }
  - { address: 10.4.0.2, mac: "0a:00:00:00:04:02" }
  - { address: "2001:db8:3::2", mac: "0a:00:00:00:03:02" }
)";
constexpr MacAddress kHop1{0x0a00'0000'0302};

// The frame as the router must send it: MACs, TTL and checksum changed, nothing else.
Octets routed(const UdpFrame& fields, MacAddress hop, PortId port) {
    UdpFrame after = fields;
    after.destination = hop;
    after.source = {kPortMacs.value + port};
    --after.ttl;
    return udp(after);
}

TEST(Router, ChangesMacsTtlAndChecksumOnly) {
    SwitchRig rig(kRouter);
    for (std::uint16_t port = 0; port < 3'000;
         ++port) {  // many checksums, 0xffff's neighbors among them
        const UdpFrame fields{.to = 0x0a02'0000u + port % 250 + 1, .source_port = port};
        rig.receive(0, {udp(fields)});
        ASSERT_EQ(rig.sent(1), std::vector<Octets>{routed(fields, kHop1, 1)}) << port;
    }
}

// The checksum before is 0xfeff: adding 0x0100 gives 0xffff, which must become 0.
TEST(Router, ChecksumCornerOfOnesComplement) {
    SwitchRig rig(kRouter);
    unsigned corners = 0;
    for (std::uint32_t from = 0; from < 70'000 && corners == 0; ++from) {
        const UdpFrame fields{.from = 0x0a01'0000u + from};
        const Octets frame = udp(fields);
        if (read_be16(frame.data() + 24) != 0xfeff) continue;
        ++corners;
        rig.receive(0, {frame, frame});  // the long way, and the short one
        const Octets expected = routed(fields, kHop1, 1);
        EXPECT_EQ(read_be16(expected.data() + 24), 0);
        EXPECT_EQ(rig.sent(1), (std::vector<Octets>{expected, expected}));
    }
    EXPECT_EQ(corners, 1u);
}

TEST(Router, TtlOneEndsHereTtlTwoGoesOn) {
    SwitchRig rig(kRouter);
    rig.receive(0, {udp({.ttl = 1}), udp({.ttl = 0}), udp({.ttl = 2})});
    EXPECT_EQ(rig.drops(0, DropReason::TtlExpired), 2u);
    const std::vector<Octets> frames = rig.sent(1);
    ASSERT_EQ(frames.size(), 1u);
    EXPECT_EQ(frames[0][22], 1);
}

TEST(Router, RefusesWithAReason) {
    struct Case {
        UdpFrame fields;
        DropReason reason;
    };
    const std::vector<Case> cases = {
        {{.destination = {0x0a00'0000'0099}}, DropReason::DestinationMacNotOurs},
        {{.destination = kBroadcastMac}, DropReason::MulticastNotRouted},
        {{.to = 0x0a63'0001}, DropReason::NoRoute},
        {{.to = 0x0a07'0001}, DropReason::RouteIsBlackhole},
        {{.to = 0x0a03'00ff}, DropReason::RouteIsBlackhole},  // the subnet's broadcast address
        {{.from = 0x7f00'0001}, DropReason::AddressInvalid},
        {{.from = 0xe000'0001}, DropReason::AddressInvalid},
        {{.to = 0x7f00'0001}, DropReason::AddressInvalid},
        {{.to = 0x0000'0001}, DropReason::AddressInvalid},
        {{.to = 0xf000'0001}, DropReason::AddressInvalid},
        {{.to = 0xe000'0001}, DropReason::MulticastNotRouted},
        {{.tci = 20}, DropReason::VlanNotMember},
        {{.to = 0x0a01'0001}, DropReason::NoSuchService},
    };
    for (const Case& c : cases) {
        SwitchRig rig(kRouter);
        rig.receive(0, {udp(c.fields)});
        EXPECT_EQ(rig.drops(0, c.reason), 1u) << drop_reason_text(c.reason);
        EXPECT_EQ(rig.all_drops(), 1u) << drop_reason_text(c.reason);
        EXPECT_TRUE(rig.sent(1).empty());
        EXPECT_EQ(rig.group(0, 3).held(), 0u);
    }
}

TEST(Router, WrongChecksumIsDropped) {
    SwitchRig rig(kRouter);
    for (int at = 14; at < 34; ++at) {
        Octets frame = udp({});
        frame[static_cast<std::size_t>(at)] ^= 0x10;
        rig.receive(0, {udp({}), frame});  // the flow is known, but this frame is not right
    }
    // Version and lengths (bytes 14, 16, 17), the fragment word (20, 21) and the protocol have
    // reasons of their own or make another kind of frame; none of the 20 may leave.
    EXPECT_EQ(rig.sent(1).size(), 20u);
    EXPECT_EQ(rig.all_drops(), 20u);
    EXPECT_GE(rig.drops(0, DropReason::Ipv4ChecksumWrong), 16u);
}

TEST(Router, PriorityTagStays) {
    SwitchRig rig(kRouter);
    UdpFrame fields{.tci = 5 << 13};
    rig.receive(0, {udp(fields)});
    EXPECT_EQ(rig.sent(1), std::vector<Octets>{routed(fields, kHop1, 1)});
}

TEST(Router, TooLongForTheEgressPort) {
    SwitchRig rig(kRouter);
    rig.receive(0,
                {udp({.to = 0x0a06'0001, .bytes = 1'519}), udp({.to = 0x0a06'0001, .bytes = 1'518}),
                 udp({.to = 0x0a06'0001, .bytes = 1'519})});
    EXPECT_EQ(rig.drops(2, DropReason::FrameTooLongForPort), 2u);
    EXPECT_EQ(rig.sent(2).size(), 1u);
}

TEST(Router, OnlyTheFlowsOfALostNextHopMove) {
    SwitchRig rig(kRouter);
    std::vector<Octets> flows;
    for (std::uint16_t i = 0; i < 32; ++i) {
        flows.push_back(
            udp({.to = 0x0a05'0001, .source_port = static_cast<std::uint16_t>(50'000 + i)}));
    }
    const auto ports_of = [](const std::vector<Octets>& frames) {
        std::vector<std::uint16_t> ports;
        for (const Octets& frame : frames) ports.push_back(read_be16(frame.data() + 34));
        return ports;
    };
    rig.receive(0, flows);
    const auto by_1 = ports_of(rig.sent(1));
    const auto by_2 = ports_of(rig.sent(2));
    EXPECT_EQ(by_1.size() + by_2.size(), 32u);
    EXPECT_GT(by_1.size(), 5u);
    EXPECT_GT(by_2.size(), 5u);
    rig.set_up(2, false);
    rig.receive(0, flows);
    EXPECT_EQ(rig.sent(1).size(), 32u);
    rig.set_up(1, false);
    rig.receive(0, flows);
    EXPECT_EQ(rig.drops(0, DropReason::NoUsableNextHop), 32u);
    rig.set_up(1, true);
    rig.set_up(2, true);
    rig.receive(0, flows);
    EXPECT_EQ(ports_of(rig.sent(1)), by_1);
    EXPECT_EQ(ports_of(rig.sent(2)), by_2);
}

TEST(Router, Ipv6) {
    SwitchRig rig(kRouter);
    Octets frame(100);
    write_mac(frame.data(), kPortMacs);
    write_mac(frame.data() + 6, {0x0a00'0000'0001});
    write_be16(frame.data() + 12, 0x86dd);
    frame[14] = 0x60;
    write_be16(frame.data() + 18, 46);
    frame[20] = 17;
    frame[21] = 2;
    write_ipv6(frame.data() + 22, {0x2001'0db8'0001'0000, 2});
    write_ipv6(frame.data() + 38, {0x2001'0db8'0002'0000, 7});
    write_be16(frame.data() + 56, 4791);
    write_be16(frame.data() + 58, 46);
    Octets expected = frame;
    write_mac(expected.data(), kHop1);
    write_mac(expected.data() + 6, {kPortMacs.value + 1});
    expected[21] = 1;
    rig.receive(0, {frame});
    EXPECT_EQ(rig.sent(1), std::vector<Octets>{expected});
    frame[21] = 1;
    rig.receive(0, {frame});
    EXPECT_EQ(rig.drops(0, DropReason::TtlExpired), 1u);
    frame[21] = 2;
    frame[38] = 0xfe;
    frame[39] = 0x80;
    rig.receive(0, {frame});
    EXPECT_EQ(rig.drops(0, DropReason::AddressInvalid), 1u);
}

// A gateway that nobody configured a MAC for: frames wait, the switch asks, and the answer lets
// them go in order.
TEST(Router, FramesWaitForTheirNeighbor) {
    SwitchRig rig(R"(
switch: { name: rig }
ports:
  - { name: p0, device: "net_null0", addresses: [10.1.0.1/24] }
  - { name: p1, device: "net_null1", addresses: [10.3.0.1/24] }
routes:
  - { prefix: 10.2.0.0/24, via: [10.3.0.2] }
)");
    rig.tick();
    (void)rig.sent(1);
    for (std::uint16_t i = 0; i < 6; ++i) rig.receive(0, {udp({.source_port = i})});
    EXPECT_EQ(rig.drops(1, DropReason::NeighborQueueFull), 2u) << "four frames wait, no more";
    EXPECT_EQ(rig.group(0, 3).held(), 400u);
    Octets reply(60);
    write_mac(reply.data(), {kPortMacs.value + 1});
    write_mac(reply.data() + 6, kHop1);
    write_be16(reply.data() + 12, 0x0806);
    const std::uint8_t arp[] = {0, 1, 8, 0, 6, 4, 0, 2};
    std::copy(std::begin(arp), std::end(arp), reply.begin() + 14);
    write_mac(reply.data() + 22, kHop1);
    write_be32(reply.data() + 28, 0x0a03'0002);
    write_mac(reply.data() + 32, {kPortMacs.value + 1});
    write_be32(reply.data() + 38, 0x0a03'0001);
    rig.receive(1, {reply});
    const std::vector<Octets> frames = rig.sent(1);
    ASSERT_EQ(frames.size(), 4u);
    for (std::uint16_t i = 0; i < 4; ++i)
        EXPECT_EQ(frames[i], routed({.source_port = i}, kHop1, 1));
    EXPECT_EQ(rig.group(0, 3).held(), 0u);
    EXPECT_EQ(rig.frames_inside(), 0u);
}

TEST(Router, ExplanationAgreesWithWhatHappens) {
    SwitchRig rig(kRouter);
    for (std::uint16_t i = 0; i < 64; ++i) {
        Octets bytes = udp({.to = 0x0a05'0001, .source_port = i});
        const Frame frame{.data = bytes.data(), .length = 100, .readable = 100};
        const Explanation e = explain(*rig.shard, rig.now, 0, frame);
        ASSERT_EQ(e.outcome, Explanation::Outcome::Routed);
        EXPECT_EQ(e.priority, 3);
        rig.receive(0, {bytes});
        EXPECT_EQ(rig.sent(e.out_port).size(), 1u) << i;
    }
}

}  // namespace
}  // namespace weir

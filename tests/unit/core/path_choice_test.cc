// SPDX-License-Identifier: BSD-3-Clause
// Which rule a frame gets, which way of its path, and what is counted.
#include <gtest/gtest.h>

#include "dataplane/core/explain.h"
#include "tests/unit/core/path_rig.h"

namespace weir {
namespace {

// 10.1.0.2 -> 10.2.0.2, each rule with an uplink of its own.
constexpr const char* kRules = R"(
paths:
  - { source: 10.1.0.2, destination: 10.2.0.2, via: [{port: up2}, {port: up3}] }
  - { source: 10.1.0.2, destination: 10.2.0.2, source_port: 50000, via: [{port: up3}] }
  - { source: 10.1.0.2, destination: 10.2.0.2, dest_qp: 77, via: [{port: up4}] }
  - { ingress: down0, destination: 10.2.0.0/24, via: [{gateway: 10.3.1.2}, {port: up2}] }
)";

const PathCounts& counts(const SwitchRig& rig, std::uint32_t rule) {
    return rig.shard->state().path_counts[rule];
}

// Twice: the first frame of a flow goes the long way, the second the short one.
TEST(PathChoice, TheRuleThatSaysMostWins) {
    SwitchRig rig(four_uplinks(kRules));
    for (int frame = 0; frame < 2; ++frame) {
        EXPECT_EQ(way_of(rig, {}), 2) << "source and destination";
        EXPECT_EQ(way_of(rig, {.source_port = 50'000}), 3) << "with its source port";
        EXPECT_EQ(way_of(rig, {.source_port = 50'000, .dest_qp = 77}), 4) << "QP before port";
        EXPECT_EQ(way_of(rig, {.dest_qp = 77}), 4);
        EXPECT_EQ(way_of(rig, {.from = 0x0a01'0003}), 1) << "ingress and prefix";
        EXPECT_EQ(way_of(rig, {.from = 0x0a01'0003, .dest_qp = 77}), 1);
    }
    EXPECT_EQ(counts(rig, 0).frames.read(), 2u);
    EXPECT_EQ(counts(rig, 1).frames.read(), 2u);
    EXPECT_EQ(counts(rig, 2).frames.read(), 4u);
    EXPECT_EQ(counts(rig, 3).frames.read(), 4u);
    EXPECT_EQ(counts(rig, 3).bytes.read(), 400u);
    EXPECT_EQ(rig.all_drops(), 0u);
}

// Behind the prefix, or from another port: the hash, as a switch without rules has it.
TEST(PathChoice, WithoutARuleTheSelectorChooses) {
    SwitchRig rig(four_uplinks(kRules));
    SwitchRig plain(four_uplinks(""));
    for (std::uint16_t n = 0; n < 64; ++n) {
        const UdpFrame outside{.to = 0x0a02'0105, .source_port = n};
        EXPECT_EQ(way_of(rig, outside), way_of(plain, outside)) << n;
        const UdpFrame other_port{.from = 0x0a05'0002, .source_port = n};
        EXPECT_EQ(way_of(rig, other_port, 5), way_of(plain, other_port, 5)) << n;
    }
}

TEST(PathChoice, BackupsInOrderThenTheHashThenBack) {
    SwitchRig rig(four_uplinks(kRules));
    SwitchRig plain(four_uplinks(""));
    const UdpFrame flow{};
    EXPECT_EQ(way_of(rig, flow), 2);
    rig.set_up(2, false);
    EXPECT_EQ(way_of(rig, flow), 3);
    rig.set_up(3, false);
    plain.set_up(2, false);
    plain.set_up(3, false);
    EXPECT_EQ(way_of(rig, flow), way_of(plain, flow));
    rig.set_up(3, true);
    EXPECT_EQ(way_of(rig, flow), 3);
    rig.set_up(2, true);
    EXPECT_EQ(way_of(rig, flow), 2);
    EXPECT_EQ(counts(rig, 0).frames.read(), 5u);
    for (PortId port = 1; port <= 4; ++port) rig.set_up(port, false);
    EXPECT_EQ(way_of(rig, flow), kNoPort);
    EXPECT_EQ(rig.drops(0, DropReason::NoUsableNextHop), 1u);
}

// A link that carries our own frames and yet is not usable.
TEST(PathChoice, AnUnusableLinkIsNoWay) {
    SwitchRig rig(four_uplinks(kRules));
    rig.condition().set_link_usable(2, false);
    EXPECT_EQ(way_of(rig, {}), 3);
    rig.condition().set_link_usable(2, true);
    EXPECT_EQ(way_of(rig, {}), 2);
}

TEST(PathChoice, FramesThatAreNotPlainHaveRulesToo) {
    SwitchRig rig(four_uplinks(kRules));
    EXPECT_EQ(way_of(rig, {.destination_port = 9}), 2) << "no RoCEv2";
    EXPECT_EQ(way_of(rig, {.source_port = 50'000, .destination_port = 9, .dest_qp = 77}), 3)
        << "what stands at the QP's place is none";
    EXPECT_EQ(way_of(rig, {.tci = 0}), 2) << "tagged";
    EXPECT_EQ(counts(rig, 0).frames.read(), 2u);
    EXPECT_EQ(counts(rig, 0).bytes.read(), 204u);
}

// Queue pair 0 is a queue pair; a frame that is no RoCEv2 has none.
TEST(PathChoice, NoQueuePairIsNotQueuePairZero) {
    SwitchRig rig(four_uplinks(R"(
paths:
  - { source: 10.1.0.2, destination: 10.2.0.2, via: [{port: up2}] }
  - { source: 10.1.0.2, destination: 10.2.0.2, dest_qp: 0, via: [{port: up4}] }
)"));
    EXPECT_EQ(way_of(rig, {.dest_qp = 0}), 4);
    EXPECT_EQ(way_of(rig, {.destination_port = 9, .dest_qp = 0}), 2);
}

Octets ipv6_frame(std::uint64_t to) {
    Octets frame = udp({.bytes = 120});
    write_be16(frame.data() + 12, kEtherTypeIpv6);
    std::uint8_t* ip = frame.data() + 14;
    std::fill_n(ip, 40, std::uint8_t{0});
    ip[0] = 0x60;
    write_be16(ip + 4, 120 - 54);
    ip[6] = kProtocolUdp;
    ip[7] = 64;
    write_be64(ip + 8, 0x2001'0db8'0001'0000);
    write_be64(ip + 16, 2);
    write_be64(ip + 24, 0x2001'0db8'0002'0000);
    write_be64(ip + 32, to);
    write_be16(ip + 40, 50'000);
    write_be16(ip + 42, 9);
    write_be16(ip + 44, 120 - 54);
    return frame;
}

TEST(PathChoice, Ipv6) {
    SwitchRig rig(four_uplinks(R"(
paths:
  - { source: "2001:db8:1::2", destination: "2001:db8:2::5", via: [{port: up2}] }
  - { ingress: down0, destination: "2001:db8:2::/65", via: [{port: up1}] }
)"));
    for (int i = 0; i < 2; ++i) {
        rig.receive(0, {ipv6_frame(5)});
        EXPECT_EQ(left_by(rig).port, 2);
        rig.receive(0, {ipv6_frame(6)});
        EXPECT_EQ(left_by(rig).port, 1);
    }
    EXPECT_EQ(counts(rig, 0).frames.read(), 2u);
    EXPECT_EQ(counts(rig, 1).frames.read(), 2u);
}

TEST(PathChoice, ExplainSaysRuleAndPlace) {
    SwitchRig rig(four_uplinks(kRules));
    Octets bytes = udp({});
    Frame frame{.data = bytes.data(),
                .length = static_cast<std::uint16_t>(bytes.size()),
                .readable = static_cast<std::uint16_t>(bytes.size())};
    Explanation e = explain(*rig.shard, rig.now, 0, frame);
    EXPECT_EQ(e.choice.rule, 0u);
    EXPECT_EQ(e.choice.place, 0);
    EXPECT_EQ(e.out_port, 2);
    rig.set_up(2, false);
    rig.tick();
    e = explain(*rig.shard, rig.now, 0, frame);
    EXPECT_EQ(e.choice.place, 1);
    EXPECT_EQ(e.out_port, 3);
    rig.set_up(3, false);
    rig.tick();
    e = explain(*rig.shard, rig.now, 0, frame);
    EXPECT_EQ(e.choice.rule, 0u);
    EXPECT_EQ(e.choice.place, kNoPlace);
    EXPECT_NE(e.choice.member, kNoMember);
    EXPECT_EQ(counts(rig, 0).frames.read(), 0u);
}

// Numbers and counters stay with the rules; a number that changes hands begins at 0.
TEST(PathChoice, CountsFollowTheRuleThroughReloads) {
    SwitchRig rig(four_uplinks(R"(
paths:
  - { source: 10.1.0.2, destination: 10.2.0.2, via: [{port: up1}] }
  - { source: 10.1.0.2, destination: 10.2.0.3, via: [{port: up1}] }
)"));
    for (int i = 0; i < 3; ++i) (void)way_of(rig, {.to = 0x0a02'0002});
    for (int i = 0; i < 5; ++i) (void)way_of(rig, {.to = 0x0a02'0003});
    rig.reload(four_uplinks(R"(
paths:
  - { source: 10.1.0.2, destination: 10.2.0.9, via: [{port: up2}] }
  - { source: 10.1.0.2, destination: 10.2.0.3, via: [{port: up1}] }
)"));
    (void)way_of(rig, {.to = 0x0a02'0003});
    EXPECT_EQ(counts(rig, 1).frames.read(), 6u);
    EXPECT_EQ(rig.shard->tables().paths.rules[0].destination, IpAddress::v4(0x0a02'0009));
    EXPECT_EQ(way_of(rig, {.to = 0x0a02'0009}), 2);
    EXPECT_EQ(counts(rig, 0).frames.read(), 1u);
    EXPECT_EQ(counts(rig, 0).born.load(), 2u);
}

}  // namespace
}  // namespace weir

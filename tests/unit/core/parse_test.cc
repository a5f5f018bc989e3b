// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/parse.h"

#include <memory>

#include <gtest/gtest.h>

#include "dataplane/core/classify.h"
#include "dataplane/core/plain_roce.h"
#include "tests/unit/core/switch_rig.h"

namespace weir {
namespace {

// Parses from a heap block of just that size, so that a sanitizer sees a read beyond it.
struct Result {
    Frame frame;
    Parsed parsed;
    bool plain = false;
};
Result parse_bytes(const Octets& bytes, std::size_t readable, std::size_t length) {
    const auto block = std::make_unique<std::uint8_t[]>(readable);
    std::copy_n(bytes.begin(), readable, block.get());
    Result result;
    result.frame = {.data = block.get(),
                    .length = static_cast<std::uint16_t>(length),
                    .readable = static_cast<std::uint16_t>(readable)};
    result.parsed = parse(result.frame);
    result.plain = is_plain_roce(result.frame);
    result.frame.data = nullptr;
    return result;
}
Result parse_bytes(const Octets& bytes) {
    return parse_bytes(bytes, bytes.size(), bytes.size());
}

TEST(Parse, RoceOverIpv4) {
    const Result r =
        parse_bytes(udp({.source_port = 69, .dest_qp = 0xabcdef, .dscp = 26, .ecn = 2, .ttl = 9}));
    EXPECT_EQ(r.parsed.kind, FrameKind::Ipv4);
    EXPECT_TRUE(r.parsed.roce);
    EXPECT_TRUE(r.plain);
    EXPECT_EQ(r.parsed.dest_qp, 0xabcdefu);
    EXPECT_EQ(r.parsed.ports, (69u << 16) | 4791u);
    EXPECT_EQ(r.parsed.l3_offset, 14);
    EXPECT_EQ(r.parsed.l4_offset, 34);
    EXPECT_EQ(r.parsed.traffic_class, 26 << 2 | 2);
    EXPECT_EQ(r.parsed.ttl, 9);
    EXPECT_EQ(r.frame.flags, frame_flags::kIpv4);
}

TEST(Parse, TaggedFrame) {
    const Result r = parse_bytes(udp({.tci = 0x600a}));
    EXPECT_EQ(r.parsed.tag, 0x600a);
    EXPECT_EQ(r.parsed.l3_offset, 18);
    EXPECT_TRUE(r.parsed.roce);
    EXPECT_FALSE(r.plain);
    EXPECT_EQ(r.frame.flags, frame_flags::kIpv4 | frame_flags::kTagged);
}

// A source port proves nothing; RoCEv1 is another EtherType; 802.1ad's outer tag is not looked
// into.
TEST(Parse, WhatIsNotRoce) {
    EXPECT_FALSE(parse_bytes(udp({.source_port = 4791, .destination_port = 53})).parsed.roce);
    for (const unsigned type : {0x8915u, 0x88a8u, 0x0806u}) {
        Octets bytes = udp({});
        bytes[12] = static_cast<std::uint8_t>(type >> 8);
        bytes[13] = static_cast<std::uint8_t>(type);
        const Result r = parse_bytes(bytes);
        EXPECT_FALSE(r.parsed.roce);
        EXPECT_FALSE(r.plain);
        EXPECT_EQ(r.parsed.kind, type == 0x0806 ? FrameKind::Arp : FrameKind::Other);
    }
}

// Cut at every byte: the reason is that of the first header that is not whole. The IPv4 total
// length claims 86 bytes.
TEST(Parse, TruncatedAtEveryByte) {
    const Octets whole = udp({});
    for (std::size_t length = 0; length < whole.size(); ++length) {
        const Result r = parse_bytes(whole, length, length);
        ASSERT_EQ(r.parsed.kind, FrameKind::Malformed) << length;
        EXPECT_FALSE(r.plain);
        EXPECT_EQ(r.parsed.error,
                  length < 14 ? DropReason::EthernetTruncated : DropReason::Ipv4Truncated)
            << length;
    }
    const Octets tagged = udp({.tci = 3});
    EXPECT_EQ(parse_bytes(tagged, 17, 17).parsed.error, DropReason::VlanTagTruncated);
}

// The lab's frames carry headers only: all of them must be readable, nothing more.
TEST(Parse, ShortLabFrame) {
    const Octets whole = udp({.bytes = 1'000});
    const Result r = parse_bytes(whole, 54, 1'000);  // 14 + 20 + 8 + 12
    EXPECT_TRUE(r.parsed.roce);
    EXPECT_TRUE(r.plain);
    EXPECT_EQ(parse_bytes(whole, 53, 1'000).parsed.error, DropReason::BthTruncated);
    EXPECT_FALSE(parse_bytes(whole, 53, 1'000).plain);
}

struct Lie {
    std::size_t at;
    std::uint16_t value;
    DropReason reason;
};

// The frame is 100 bytes: IPv4 has 86, UDP 66. Each length one off the last that fits.
TEST(Parse, LengthsThatLie) {
    for (const Lie& lie :
         {Lie{16, 87, DropReason::Ipv4Truncated}, Lie{16, 19, DropReason::Ipv4HeaderInvalid},
          Lie{38, 67, DropReason::UdpTruncated}, Lie{38, 7, DropReason::UdpTruncated},
          Lie{38, 23, DropReason::BthTruncated}}) {
        Octets bytes = udp({});
        write_be16(bytes.data() + lie.at, lie.value);
        const Result r = parse_bytes(bytes);
        ASSERT_EQ(r.parsed.kind, FrameKind::Malformed) << lie.at << " " << lie.value;
        EXPECT_EQ(r.parsed.error, lie.reason) << lie.at << " " << lie.value;
        EXPECT_FALSE(r.plain);
    }
    Octets smallest = udp({});
    write_be16(smallest.data() + 38, 24);  // UDP 8 + BTH 12 + ICRC 4
    EXPECT_TRUE(parse_bytes(smallest).parsed.roce);
}

TEST(Parse, HeaderVersionAndWords) {
    for (const std::uint8_t first : std::vector<std::uint8_t>{0x35, 0x44, 0x65}) {
        Octets bytes = udp({});
        bytes[14] = first;
        EXPECT_EQ(parse_bytes(bytes).parsed.error, DropReason::Ipv4HeaderInvalid);
        EXPECT_FALSE(parse_bytes(bytes).plain);
    }
    Octets options = udp({});
    options[14] = 0x46;  // the UDP header is four bytes further on: its length is what stood behind
                         // the checksum
    write_be16(options.data() + 42, 62);
    EXPECT_EQ(parse_bytes(options).parsed.l4_offset, 38);
    EXPECT_FALSE(parse_bytes(options).plain);
}

TEST(Parse, FragmentsHaveNoPorts) {
    for (const std::uint16_t word : std::vector<std::uint16_t>{0x2000, 0x0001, 0x1fff}) {
        Octets bytes = udp({});
        write_be16(bytes.data() + 20, word);
        const Result r = parse_bytes(bytes);
        EXPECT_TRUE(r.parsed.fragment);
        EXPECT_EQ(r.parsed.ports, 0u);
        EXPECT_FALSE(r.parsed.roce);
        EXPECT_FALSE(r.plain);
    }
    Octets whole = udp({});
    write_be16(whole.data() + 20, 0x4000);  // don't fragment
    EXPECT_TRUE(parse_bytes(whole).plain);
}

TEST(Parse, GroupSourceIsRefused) {
    Octets bytes = udp({});
    bytes[6] |= 1;
    EXPECT_EQ(parse_bytes(bytes).parsed.error, DropReason::SourceMacInvalid);
    EXPECT_FALSE(parse_bytes(bytes).plain);
}

// What is plain is what parse() finds to be whole RoCEv2 behind a 20-byte header, over random
// damage to 20,000 frames.
TEST(Parse, PlainAgreesWithTheParser) {
    Prng prng(1);
    unsigned plain = 0;
    for (int i = 0; i < 20'000; ++i) {
        Octets bytes = udp({});
        for (unsigned n = prng.below(3); n > 0; --n) {
            bytes[prng.below(60)] = static_cast<std::uint8_t>(prng.next());
        }
        const Result r = parse_bytes(bytes);
        if (!r.plain) continue;
        ++plain;
        ASSERT_EQ(r.parsed.kind, FrameKind::Ipv4);
        ASSERT_TRUE(r.parsed.roce);
        ASSERT_FALSE(r.parsed.fragment);
        ASSERT_EQ(r.parsed.l3_offset, 14);
        ASSERT_EQ(r.parsed.l4_offset, 34);
    }
    EXPECT_GT(plain, 5'000u);
}

// A22.
TEST(Classify, TrustsDscpOrPcp) {
    PortTable port;
    PriorityMaps maps;
    for (unsigned i = 0; i < 64; ++i) maps.from_dscp[i] = static_cast<Priority>(i >> 3);
    for (unsigned i = 0; i < 8; ++i) maps.from_pcp[i] = static_cast<Priority>(7 - i);
    port.default_priority = 5;
    const auto priority = [&](const Octets& bytes) {
        const Result r = parse_bytes(bytes);
        return classify(port, maps, r.frame, r.parsed);
    };
    for (unsigned dscp = 0; dscp < 64; ++dscp) {
        EXPECT_EQ(priority(udp({.dscp = static_cast<std::uint8_t>(dscp)})), dscp >> 3);
    }
    Octets arp(60);
    arp[12] = 0x08;
    arp[13] = 0x06;
    EXPECT_EQ(priority(arp), 5);
    EXPECT_EQ(priority(udp({.dscp = 26, .tci = 1 << 13})), 3) << "DSCP is trusted, not the tag";
    port.trust = Trust::Pcp;
    for (unsigned pcp = 0; pcp < 8; ++pcp) {
        EXPECT_EQ(priority(udp({.dscp = 26, .tci = static_cast<int>(pcp << 13)})), 7 - pcp);
    }
    EXPECT_EQ(priority(udp({.dscp = 26})), 5) << "untagged has no PCP";
}

}  // namespace
}  // namespace weir

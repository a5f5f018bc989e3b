// SPDX-License-Identifier: BSD-3-Clause
// Echoes. The checksums in the bytes were computed apart from the code under test.
#include "dataplane/core/icmp.h"

#include <gtest/gtest.h>

#include "dataplane/core/checksum.h"
#include "dataplane/core/icmpv6.h"
#include "tests/unit/core_l3/l3_rig.h"

namespace weir {
namespace {

constexpr Time kNow{1'000'000'000'000};

// 192.0.2.50 to 192.0.2.1, DSCP 10, TTL 55, nine bytes of data.
constexpr std::string_view kEcho =
    "02 00 00 00 00 a0  02 00 00 00 00 b1  08 00"
    "45 28 00 25  ab cd 40 00  37 01 13 af  c0 00 02 32  c0 00 02 01"
    "08 00 eb 34  12 34 00 01  61 62 63 64 65 66 67 68 69";
constexpr std::string_view kEchoReply =
    "02 00 00 00 00 b1  02 00 00 00 00 a0  08 00"
    "45 28 00 25  ab cd 40 00  40 01 0a af  c0 00 02 01  c0 00 02 32"
    "00 00 f3 34  12 34 00 01  61 62 63 64 65 66 67 68 69";
constexpr std::string_view kEchoV6 =
    "02 00 00 00 00 a0  02 00 00 00 00 b1  86 dd"
    "60 00 00 00  00 11 3a 37"
    "20 01 0d b8 00 00 00 0a  00 00 00 00 00 00 00 50"
    "20 01 0d b8 00 00 00 0a  00 00 00 00 00 00 00 01"
    "80 00 17 12  12 34 00 01  61 62 63 64 65 66 67 68 69";
constexpr std::string_view kEchoReplyV6 =
    "02 00 00 00 00 b1  02 00 00 00 00 a0  86 dd"
    "60 00 00 00  00 11 3a 40"
    "20 01 0d b8 00 00 00 0a  00 00 00 00 00 00 00 01"
    "20 01 0d b8 00 00 00 0a  00 00 00 00 00 00 00 50"
    "81 00 16 12  12 34 00 01  61 62 63 64 65 66 67 68 69";
// fe80::ff:fe00:b1 to all nodes, and to fe80::ff:fe00:a0; both get the same reply.
constexpr std::string_view kEchoToAll =
    "33 33 00 00 00 01  02 00 00 00 00 b1  86 dd"
    "60 00 00 00  00 11 3a 40"
    "fe 80 00 00 00 00 00 00  00 00 00 ff fe 00 00 b1"
    "ff 02 00 00 00 00 00 00  00 00 00 00 00 00 00 01"
    "80 00 75 b3  12 34 00 01  61 62 63 64 65 66 67 68 69";
constexpr std::string_view kEchoLinkLocal =
    "02 00 00 00 00 a0  02 00 00 00 00 b1  86 dd"
    "60 00 00 00  00 11 3a 40"
    "fe 80 00 00 00 00 00 00  00 00 00 ff fe 00 00 b1"
    "fe 80 00 00 00 00 00 00  00 00 00 ff fe 00 00 a0"
    "80 00 76 96  12 34 00 01  61 62 63 64 65 66 67 68 69";
constexpr std::string_view kEchoReplyLinkLocal =
    "02 00 00 00 00 b1  02 00 00 00 00 a0  86 dd"
    "60 00 00 00  00 11 3a 40"
    "fe 80 00 00 00 00 00 00  00 00 00 ff fe 00 00 a0"
    "fe 80 00 00 00 00 00 00  00 00 00 ff fe 00 00 b1"
    "81 00 75 96  12 34 00 01  61 62 63 64 65 66 67 68 69";

constexpr std::size_t kIcmpV4 = 34;
constexpr std::size_t kIcmpV6 = 54;

class IcmpTest : public testing::Test {
  protected:
    void hear(const Octets& bytes, PortId port = 0) {
        Frame& frame = rig_.frame(bytes, port);
        const Parsed parsed = parse(frame);
        ASSERT_NE(parsed.kind, FrameKind::Malformed);
        local_heard(rig_.state, kNow, frame, parsed, rig_.out);
    }
    bool hear_on_link(const Octets& bytes) {
        Frame& frame = rig_.frame(bytes);
        const Parsed parsed = parse(frame);
        if (!is_link_local_echo(frame, parsed)) return false;
        link_local_echo_heard(rig_.state, frame, parsed, rig_.out);
        return true;
    }
    static Octets changed(std::string_view hex, std::size_t at, std::uint8_t value) {
        Octets bytes = octets(hex);
        bytes[at] = value;
        return bytes;
    }

    L3Rig rig_;
};

TEST_F(IcmpTest, TurnsAnEchoRequestIntoTheReply) {
    hear(octets(kEcho));
    EXPECT_EQ(rig_.sent(0), octets(kEchoReply));
    EXPECT_EQ(rig_.out.freed.size(), 0u);
    hear(octets(kEchoV6));
    EXPECT_EQ(rig_.sent(0), octets(kEchoReplyV6));
}

TEST_F(IcmpTest, AnswersAsDataOfTheRequestsPriority) {
    Frame& frame = rig_.frame(octets(kEcho));
    const Parsed parsed = parse(frame);
    frame.priority = 3;
    local_heard(rig_.state, kNow, frame, parsed, rig_.out);
    EXPECT_EQ(rig_.state.egress.queues().at(0, 3).frames, 1u);
    EXPECT_EQ(rig_.held_bytes(), 51u);
}

TEST_F(IcmpTest, LeavesPaddingAsItIs) {
    Octets request = octets(kEcho);
    request.resize(60, 0x77);
    Octets reply = octets(kEchoReply);
    reply.resize(60, 0x77);
    hear(request);
    EXPECT_EQ(rig_.sent(0), reply);
}

TEST_F(IcmpTest, RefusesAWrongChecksumOrCode) {
    hear(changed(kEcho, kIcmpV4 + 3, 0x35));
    hear(changed(kEcho, kIcmpV4 + 1, 0x01));
    hear(changed(kEchoV6, kIcmpV6 + 3, 0x13));
    hear(changed(kEchoV6, kIcmpV6 + 1, 0x01));
    EXPECT_EQ(rig_.drops(0, DropReason::IcmpMalformed), 4u);
    EXPECT_EQ(rig_.out.freed.size(), 4u);
    EXPECT_TRUE(rig_.sent(0).empty());
}

// 7 bytes, with a checksum that is right for them, where an echo's header has 8.
TEST_F(IcmpTest, RefusesATruncatedEcho) {
    Octets cut = changed(kEcho, 17, 27);
    write_be16(&cut[kIcmpV4 + 2], 0);
    write_be16(&cut[kIcmpV4 + 2], checksum_of(checksum_sum(&cut[kIcmpV4], 7)));
    hear(cut);
    cut = changed(kEchoV6, 19, 7);
    write_be16(&cut[kIcmpV6 + 2], 0);
    write_be16(&cut[kIcmpV6 + 2], icmpv6_checksum(&cut[14], 7));
    hear(cut);
    EXPECT_EQ(rig_.drops(0, DropReason::IcmpMalformed), 2u);
}

TEST_F(IcmpTest, RefusesAnEchoWhoseHeaderCannotBeRead) {
    Frame& frame = rig_.frame(octets(kEcho));
    frame.readable = kIcmpV4 + 7;
    const Parsed parsed = parse(frame);
    local_heard(rig_.state, kNow, frame, parsed, rig_.out);
    EXPECT_EQ(rig_.drops(0, DropReason::IcmpMalformed), 1u);
}

// The lab's frames may hold headers only: what cannot be read cannot be checked.
TEST_F(IcmpTest, AnswersAFrameWhoseDataIsNotThere) {
    Frame& frame = rig_.frame(octets(kEcho));
    frame.readable = kIcmpV4 + 8;
    const Parsed parsed = parse(frame);
    local_heard(rig_.state, kNow, frame, parsed, rig_.out);
    Octets reply = octets(kEchoReply);
    reply.resize(kIcmpV4 + 8);
    EXPECT_EQ(rig_.sent(0), reply);
}

TEST_F(IcmpTest, ConsumesOtherIcmp) {
    hear(changed(kEcho, kIcmpV4, 0));      // a reply
    hear(changed(kEcho, kIcmpV4, 3));      // an error
    hear(changed(kEchoV6, kIcmpV6, 143));  // multicast listener report
    EXPECT_EQ(rig_.drops(0, DropReason::ControlConsumed), 3u);
    EXPECT_EQ(rig_.out.own.size(), 0u);
}

TEST_F(IcmpTest, DoesNotAnswerFragments) {
    hear(changed(kEcho, 20, 0x20));  // more fragments
    EXPECT_EQ(rig_.drops(0, DropReason::NoSuchService), 1u);
    EXPECT_TRUE(rig_.sent(0).empty());
    EXPECT_EQ(rig_.out.own.size(), 0u);
}

TEST_F(IcmpTest, SaysThatThereIsNoUdpOrTcpPort) {
    for (const std::uint8_t protocol : {kProtocolUdp, kProtocolTcp}) {
        Octets bytes = changed(kEcho, 23, protocol);
        write_be16(&bytes[kIcmpV4 + 4], 17);  // UDP length: 37 - 20
        rig_.clear();
        hear(bytes);
        const Octets error = rig_.only_own(0);
        EXPECT_EQ(error.at(34), 3);
        EXPECT_EQ(error.at(35), 3);
    }
    rig_.clear();
    hear(changed(kEcho, 23, 47));
    EXPECT_EQ(rig_.out.own.size(), 0u);
    EXPECT_EQ(rig_.drops(0, DropReason::NoSuchService), 3u);
}

TEST_F(IcmpTest, AnswersOnTheLinkToItsLinkLocalAddressAndToAllNodes) {
    ASSERT_TRUE(hear_on_link(octets(kEchoLinkLocal)));
    EXPECT_EQ(rig_.sent(0), octets(kEchoReplyLinkLocal));
    ASSERT_TRUE(hear_on_link(octets(kEchoToAll)));
    EXPECT_EQ(rig_.sent(0), octets(kEchoReplyLinkLocal));
}

TEST_F(IcmpTest, LeavesOtherEchoesToTheRoutes) {
    EXPECT_FALSE(hear_on_link(octets(kEchoV6)));
    EXPECT_FALSE(hear_on_link(octets(kEcho)));
    EXPECT_FALSE(hear_on_link(changed(kEchoLinkLocal, kIcmpV6, 129)));
}

TEST_F(IcmpTest, RefusesOnTheLinkWhatIsNotForItOrNotFromANeighbor) {
    EXPECT_TRUE(hear_on_link(changed(kEchoLinkLocal, 53, 0xa1)));  // another's address
    EXPECT_TRUE(hear_on_link(changed(kEchoLinkLocal, 37, 0xa0)));  // from ourselves
    EXPECT_EQ(rig_.drops(0, DropReason::AddressInvalid), 2u);
    EXPECT_TRUE(hear_on_link(changed(kEchoLinkLocal, 5, 0xa1)));
    EXPECT_EQ(rig_.drops(0, DropReason::DestinationMacNotOurs), 1u);
    EXPECT_TRUE(hear_on_link(changed(kEchoLinkLocal, kIcmpV6 + 3, 0)));
    EXPECT_EQ(rig_.drops(0, DropReason::IcmpMalformed), 1u);
    EXPECT_TRUE(rig_.sent(0).empty());
}

TEST(Checksum, IsTheComplementOfTheSumOfWords) {
    // RFC 1071 section 3: 0001 f203 f4f5 f6f7 sum to ddf2.
    const Octets bytes = octets("00 01 f2 03 f4 f5 f6 f7");
    EXPECT_EQ(checksum_of(checksum_sum(bytes.data(), 8)), 0x220d);
    EXPECT_EQ(checksum_of(checksum_sum(bytes.data(), 2) + checksum_sum(&bytes[2], 6)), 0x220d);
    EXPECT_EQ(checksum_of(checksum_sum(bytes.data(), 6) + checksum_word(0xf6f7)), 0x220d);
    // An odd last byte stands for f600: the sum is ddf2 - 00f7 = dcfb.
    EXPECT_EQ(checksum_of(checksum_sum(bytes.data(), 7)), 0x2304);
    EXPECT_EQ(checksum_of(checksum_sum(bytes.data(), 0)), 0xffff);
}

// RFC 1624 section 4: the word 5555 becomes 3285 under the checksum dd2f.
TEST(Checksum, FollowsAChangedWord) {
    EXPECT_EQ(checksum_changed(0xdd2f, 0x5555, 0x3285), 0x0000);
    EXPECT_EQ(checksum_changed(0x1234, 0x4001, 0x4001), 0x1234);
}

}  // namespace
}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/neighbor_discovery.h"

#include <gtest/gtest.h>

#include "dataplane/core/icmpv6.h"
#include "dataplane/core/resolve.h"
#include "tests/unit/core_l3/l3_rig.h"

namespace weir {
namespace {

constexpr Time kNow{1'000'000'000'000};

// 2001:db8:0:a::50 asks for 2001:db8:0:a::1 and says its MAC. The checksums in this file were
// computed apart from the code under test.
constexpr std::string_view kSolicitation =
    "33 33 ff 00 00 01  02 00 00 00 00 b1  86 dd"
    "60 00 00 00  00 20 3a ff"
    "20 01 0d b8 00 00 00 0a  00 00 00 00 00 00 00 50"
    "ff 02 00 00 00 00 00 00  00 00 00 01 ff 00 00 01"
    "87 00 1b 16  00 00 00 00"
    "20 01 0d b8 00 00 00 0a  00 00 00 00 00 00 00 01"
    "01 01 02 00 00 00 00 b1";

constexpr std::string_view kAdvertisement =
    "02 00 00 00 00 b1  02 00 00 00 00 a0  86 dd"
    "6c 00 00 00  00 20 3a ff"
    "20 01 0d b8 00 00 00 0a  00 00 00 00 00 00 00 01"
    "20 01 0d b8 00 00 00 0a  00 00 00 00 00 00 00 50"
    "88 00 09 68  e0 00 00 00"
    "20 01 0d b8 00 00 00 0a  00 00 00 00 00 00 00 01"
    "02 01 02 00 00 00 00 a0";

// 2001:db8:0:a::50 says its MAC to us: solicited, override.
constexpr std::string_view kHostAdvertisement =
    "02 00 00 00 00 a0  02 00 00 00 00 b1  86 dd"
    "60 00 00 00  00 20 3a ff"
    "20 01 0d b8 00 00 00 0a  00 00 00 00 00 00 00 50"
    "20 01 0d b8 00 00 00 0a  00 00 00 00 00 00 00 01"
    "88 00 89 08  60 00 00 00"
    "20 01 0d b8 00 00 00 0a  00 00 00 00 00 00 00 50"
    "02 01 02 00 00 00 00 b1";

constexpr std::size_t kIp = 14;
constexpr std::size_t kMessage = kIp + 40;

class NeighborDiscoveryTest : public testing::Test {
  protected:
    void hear(Octets bytes, PortId port = 0) {
        Frame& frame = rig_.frame(std::move(bytes), port);
        const Parsed parsed = parse(frame);
        ASSERT_TRUE(is_neighbor_discovery(frame, parsed));
        neighbor_discovery_heard(rig_.state, kNow, frame, parsed, rig_.out);
    }
    // `hex` with bytes replaced from `at` on and the checksum made right again.
    static Octets changed(std::string_view hex, std::size_t at, std::string_view with) {
        Octets bytes = octets(hex);
        const Octets patch = octets(with);
        std::copy(patch.begin(), patch.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
        return with_checksum(bytes);
    }
    static Octets with_checksum(Octets bytes) {
        write_be16(&bytes[kMessage + 2], 0);
        const auto length = static_cast<std::uint16_t>(bytes.size() - kMessage);
        write_be16(&bytes[kIp + 4], length);
        write_be16(&bytes[kMessage + 2], icmpv6_checksum(&bytes[kIp], length));
        return bytes;
    }
    void expect_malformed(const Octets& bytes, const char* why) {
        SCOPED_TRACE(why);
        const std::uint64_t before = rig_.drops(0, DropReason::NeighborDiscoveryMalformed);
        rig_.clear();
        hear(bytes);
        EXPECT_EQ(rig_.drops(0, DropReason::NeighborDiscoveryMalformed), before + 1);
        EXPECT_EQ(rig_.out.own.size(), 0u);
        EXPECT_EQ(rig_.out.freed.size(), 1u);
        EXPECT_EQ(rig_.state.neighbors.size(), 0u);
    }
    std::uint32_t know_host() {
        const std::uint32_t slot = rig_.state.neighbors.find_or_add(0, kHostV6);
        neighbor_heard(rig_.state, kNow, slot, kHostMac, rig_.out);
        rig_.clear();
        return slot;
    }
    MacAddress mac_of_host() {
        return read_mac(rig_.state.neighbors.at(rig_.slot_of(kHostV6)).rewrite.data());
    }

    L3Rig rig_;
};

TEST(LinkLocalAddress, IsMadeOfTheMac) {
    // RFC 4291 appendix A: the universal/local bit is inverted, ff:fe goes between.
    EXPECT_EQ(link_local_of({0x3456'789a'bcde}),
              (IpAddress{0xfe80'0000'0000'0000, 0x3656'78ff'fe9a'bcde}));
    EXPECT_EQ(link_local_of(kPort0Mac), (IpAddress{0xfe80'0000'0000'0000, 0x0000'00ff'fe00'00a0}));
    EXPECT_TRUE(link_local_of(kPort0Mac).is_link_local());
}

TEST(SolicitedNode, IsTheGroupOfTheLast24Bits) {
    const IpAddress group = solicited_node_of({0x4037'0000'0000'0000, 0x0001'0800'200e'8c6c});
    EXPECT_EQ(group, (IpAddress{0xff02'0000'0000'0000, 0x0000'0001'ff0e'8c6c}));  // RFC 4291 2.7.1
    EXPECT_EQ(multicast_mac_of(group).value, 0x3333'ff0e'8c6cu);
}

TEST_F(NeighborDiscoveryTest, AnswersASolicitationAndRemembersWhoAsked) {
    hear(octets(kSolicitation));
    EXPECT_EQ(rig_.only_own(0), octets(kAdvertisement));
    EXPECT_EQ(rig_.drops(0, DropReason::ControlConsumed), 1u);
    EXPECT_EQ(rig_.state_of(kHostV6), NeighborState::Reachable);
    EXPECT_EQ(mac_of_host(), kHostMac);
    EXPECT_EQ(rig_.state.neighbors.deadline(rig_.slot_of(kHostV6)), kNow + kNeighborDelay)
        << "that it heard us is not known yet";
}

TEST_F(NeighborDiscoveryTest, DoesNotDisturbWhatItKnowsWhenAKnownNeighborAsks) {
    const std::uint32_t slot = know_host();
    const auto deadline = rig_.state.neighbors.deadline(slot);
    hear(octets(kSolicitation));
    EXPECT_EQ(rig_.state.neighbors.deadline(slot), deadline);
    EXPECT_EQ(rig_.out.own.size(), 1u);
    EXPECT_EQ(rig_.out.events.size(), 0u);
}

TEST_F(NeighborDiscoveryTest, AnswersForItsLinkLocalAddress) {
    Octets asked = changed(kSolicitation, kMessage + 8, "fe80 0000 0000 0000 0000 00ff fe00 00a0");
    hear(asked);
    Octets answer = octets(kAdvertisement);
    const Octets own = octets("fe80 0000 0000 0000 0000 00ff fe00 00a0");
    std::copy(own.begin(), own.end(), answer.begin() + kIp + 8);
    std::copy(own.begin(), own.end(), answer.begin() + kMessage + 8);
    EXPECT_EQ(rig_.only_own(0), with_checksum(answer));
}

TEST_F(NeighborDiscoveryTest, AnswersAUnicastSolicitationWithoutAnOptionToTheFramesSource) {
    Octets asked = octets(kSolicitation);
    asked.resize(kMessage + 24);
    const Octets to_us = octets("02 00 00 00 00 a0");
    std::copy(to_us.begin(), to_us.end(), asked.begin());
    hear(with_checksum(asked));
    EXPECT_EQ(rig_.only_own(0), octets(kAdvertisement));
    EXPECT_EQ(rig_.state.neighbors.size(), 0u) << "it said no MAC";
}

// A host that checks for duplicates (Linux adds a nonce option, RFC 7527): everybody is told.
TEST_F(NeighborDiscoveryTest, DefendsItsAddressAgainstADuplicate) {
    hear(
        octets("33 33 ff 00 00 01  02 00 00 00 00 b1  86 dd"
               "60 00 00 00  00 20 3a ff"
               "00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00"
               "ff 02 00 00 00 00 00 00  00 00 00 01 ff 00 00 01"
               "87 00 53 ec  00 00 00 00"
               "20 01 0d b8 00 00 00 0a  00 00 00 00 00 00 00 01"
               "0e 01 a1 a2 a3 a4 a5 a6"));
    EXPECT_EQ(rig_.only_own(0), octets("33 33 00 00 00 01  02 00 00 00 00 a0  86 dd"
                                       "6c 00 00 00  00 20 3a ff"
                                       "20 01 0d b8 00 00 00 0a  00 00 00 00 00 00 00 01"
                                       "ff 02 00 00 00 00 00 00  00 00 00 00 00 00 00 01"
                                       "88 00 78 77  a0 00 00 00"
                                       "20 01 0d b8 00 00 00 0a  00 00 00 00 00 00 00 01"
                                       "02 01 02 00 00 00 00 a0"));
    EXPECT_EQ(rig_.state.neighbors.size(), 0u);
}

TEST_F(NeighborDiscoveryTest, DoesNotAnswerForOthersNorToOthers) {
    hear(changed(kSolicitation, kMessage + 8, "2001 0db8 0000 000a 0000 0000 0000 0002"));
    hear(changed(kSolicitation, kIp + 8, "2001 0db8 0000 000b 0000 0000 0000 0050"));
    EXPECT_EQ(rig_.out.own.size(), 0u);
    EXPECT_EQ(rig_.drops(0, DropReason::ControlConsumed), 2u);
    EXPECT_EQ(rig_.state.neighbors.size(), 0u);
}

TEST_F(NeighborDiscoveryTest, IgnoresAFrameForAnotherMac) {
    hear(changed(kSolicitation, 0, "02 00 00 00 00 c0"));
    EXPECT_EQ(rig_.drops(0, DropReason::DestinationMacNotOurs), 1u);
    EXPECT_EQ(rig_.out.own.size(), 0u);
}

// RFC 4861 7.1.1.
TEST_F(NeighborDiscoveryTest, RefusesMalformedSolicitations) {
    expect_malformed(changed(kSolicitation, kIp + 7, "fe"), "hop limit 254");
    expect_malformed(changed(kSolicitation, kMessage + 1, "01"), "code 1");
    Octets wrong = octets(kSolicitation);
    wrong[kMessage + 3] ^= 1;
    expect_malformed(wrong, "checksum");
    expect_malformed(changed(kSolicitation, kMessage + 8, "ff"), "target is a group");
    expect_malformed(changed(kSolicitation, kMessage + 25, "00"), "option of length 0");
    expect_malformed(changed(kSolicitation, kMessage + 25, "02"), "option longer than the message");
    expect_malformed(changed(kSolicitation, kMessage + 26, "03"), "group MAC");
    Octets cut = octets(kSolicitation);
    cut.resize(kMessage + 23);
    expect_malformed(with_checksum(cut), "23 bytes");
    cut = octets(kSolicitation);
    cut.resize(kMessage + 25);
    expect_malformed(with_checksum(cut), "half of an option's header");
    constexpr std::string_view kNobody = "0000 0000 0000 0000 0000 0000 0000 0000";
    expect_malformed(changed(kSolicitation, kIp + 8, kNobody), "MAC option without a source");
    cut = changed(kSolicitation, kIp + 8, kNobody);
    cut.resize(kMessage + 24);
    cut[kIp + 24 + 15] = 0x02;
    expect_malformed(with_checksum(cut), "without a source, not to the solicited-node group");
}

TEST_F(NeighborDiscoveryTest, RefusesWhatTheFrameDoesNotHold) {
    Frame& frame = rig_.frame(octets(kSolicitation));
    const Parsed parsed = parse(frame);
    frame.readable = kMessage + 31;
    neighbor_discovery_heard(rig_.state, kNow, frame, parsed, rig_.out);
    EXPECT_EQ(rig_.drops(0, DropReason::NeighborDiscoveryMalformed), 1u);
}

// RFC 4861 7.1.2.
TEST_F(NeighborDiscoveryTest, RefusesMalformedAdvertisements) {
    expect_malformed(changed(kHostAdvertisement, kIp + 7, "40"), "hop limit 64");
    expect_malformed(changed(kHostAdvertisement, kMessage + 8, "ff"), "target is a group");
    expect_malformed(
        changed(kHostAdvertisement, kIp + 24, "ff02 0000 0000 0000 0000 0000 0000 0001"),
        "solicited, but to all nodes");
    Octets cut = octets(kHostAdvertisement);
    cut.resize(kMessage + 23);
    expect_malformed(with_checksum(cut), "23 bytes");
}

TEST_F(NeighborDiscoveryTest, TakesTheAdvertisementItAskedFor) {
    ASSERT_NE(rig_.state.neighbors.find_or_add(0, kHostV6), kNoNeighbor);
    hear(octets(kHostAdvertisement));
    EXPECT_EQ(rig_.state_of(kHostV6), NeighborState::Reachable);
    EXPECT_EQ(mac_of_host(), kHostMac);
    EXPECT_GE(rig_.state.neighbors.deadline(rig_.slot_of(kHostV6)).value() - kNow,
              Interval::seconds(15));
    EXPECT_EQ(rig_.drops(0, DropReason::ControlConsumed), 1u);
}

TEST_F(NeighborDiscoveryTest, IgnoresAdvertisementsOfStrangersAndWithoutAMac) {
    hear(octets(kHostAdvertisement));
    EXPECT_EQ(rig_.state.neighbors.size(), 0u);
    ASSERT_NE(rig_.state.neighbors.find_or_add(0, kHostV6), kNoNeighbor);
    Octets without = octets(kHostAdvertisement);
    without.resize(kMessage + 24);
    hear(with_checksum(without));
    EXPECT_EQ(rig_.state_of(kHostV6), NeighborState::Incomplete);
}

TEST_F(NeighborDiscoveryTest, IsConfirmedByASolicitedAdvertisementWithoutAMac) {
    const std::uint32_t slot = know_host();
    rig_.state.neighbors.at(slot).state = NeighborState::Probing;
    Octets without = octets(kHostAdvertisement);
    without.resize(kMessage + 24);
    hear(with_checksum(without));
    EXPECT_EQ(rig_.state_of(kHostV6), NeighborState::Reachable);
    EXPECT_EQ(mac_of_host(), kHostMac);
}

// Not solicited, override, another MAC: taken, and verified after five seconds.
TEST_F(NeighborDiscoveryTest, FollowsAnUnsolicitedAdvertisementThatOverrides) {
    know_host();
    Octets moved = changed(kHostAdvertisement, kMessage + 4, "20");
    moved[kMessage + 31] = 0xb2;
    hear(with_checksum(moved));
    EXPECT_EQ(mac_of_host(), kOtherMac);
    EXPECT_EQ(rig_.state.neighbors.deadline(rig_.slot_of(kHostV6)), kNow + kNeighborDelay);
}

// Not override, another MAC: the known one stays, and is probed at once.
TEST_F(NeighborDiscoveryTest, DoubtsButKeepsWhatItKnowsOnAClaimWithoutOverride) {
    know_host();
    Octets claim = changed(kHostAdvertisement, kMessage + 4, "40");
    claim[kMessage + 31] = 0xb2;
    hear(with_checksum(claim));
    EXPECT_EQ(mac_of_host(), kHostMac);
    tick_neighbors(rig_.state, kNow, rig_.out);
    EXPECT_EQ(rig_.state_of(kHostV6), NeighborState::Probing);
    EXPECT_EQ(rig_.out.own.size(), 1u);
}

TEST_F(NeighborDiscoveryTest, IsNotDisturbedByAnUnsolicitedAdvertisementOfTheSameMac) {
    const std::uint32_t slot = know_host();
    const auto deadline = rig_.state.neighbors.deadline(slot);
    hear(changed(kHostAdvertisement, kMessage + 4, "20"));
    EXPECT_EQ(rig_.state.neighbors.deadline(slot), deadline);
}

TEST_F(NeighborDiscoveryTest, ConsumesRouterMessagesAndRedirects) {
    for (const std::string_view type : {"85", "86", "89"}) {
        hear(changed(kSolicitation, kMessage, type));
    }
    EXPECT_EQ(rig_.drops(0, DropReason::ControlConsumed), 3u);
    EXPECT_EQ(rig_.out.own.size(), 0u);
    EXPECT_EQ(rig_.state.neighbors.size(), 0u);
}

TEST_F(NeighborDiscoveryTest, IsNotMistakenForOtherIcmp) {
    for (const std::string_view type : {"84", "8a", "80"}) {
        Frame& frame = rig_.frame(changed(kSolicitation, kMessage, type));
        const Parsed parsed = parse(frame);
        EXPECT_FALSE(is_neighbor_discovery(frame, parsed)) << type;
    }
    Frame& cut = rig_.frame(octets(kSolicitation));
    const Parsed parsed = parse(cut);
    cut.readable = kMessage;
    EXPECT_FALSE(is_neighbor_discovery(cut, parsed)) << "no byte of it can be read";
}

TEST_F(NeighborDiscoveryTest, AsksTheSolicitedNodeGroupForAnUnknownNeighbor) {
    const std::uint32_t slot = rig_.state.neighbors.find_or_add(0, kHostV6);
    send_neighbor_solicitation(rig_.state, rig_.state.neighbors.at(slot), rig_.out);
    EXPECT_EQ(rig_.only_own(0), octets("33 33 ff 00 00 50  02 00 00 00 00 a0  86 dd"
                                       "6c 00 00 00  00 20 3a ff"
                                       "20 01 0d b8 00 00 00 0a  00 00 00 00 00 00 00 01"
                                       "ff 02 00 00 00 00 00 00  00 00 00 01 ff 00 00 50"
                                       "87 00 1a d8  00 00 00 00"
                                       "20 01 0d b8 00 00 00 0a  00 00 00 00 00 00 00 50"
                                       "01 01 02 00 00 00 00 a0"));
}

TEST_F(NeighborDiscoveryTest, AsksAKnownNeighborItself) {
    const std::uint32_t slot = know_host();
    send_neighbor_solicitation(rig_.state, rig_.state.neighbors.at(slot), rig_.out);
    EXPECT_EQ(rig_.only_own(0), octets("02 00 00 00 00 b1  02 00 00 00 00 a0  86 dd"
                                       "6c 00 00 00  00 20 3a ff"
                                       "20 01 0d b8 00 00 00 0a  00 00 00 00 00 00 00 01"
                                       "20 01 0d b8 00 00 00 0a  00 00 00 00 00 00 00 50"
                                       "87 00 eb 19  00 00 00 00"
                                       "20 01 0d b8 00 00 00 0a  00 00 00 00 00 00 00 50"
                                       "01 01 02 00 00 00 00 a0"));
}

TEST_F(NeighborDiscoveryTest, AsksFromItsLinkLocalAddressForALinkLocalNeighbor) {
    const std::uint32_t slot =
        rig_.state.neighbors.find_or_add(0, {0xfe80'0000'0000'0000, 0x0000'00ff'fe00'00b1});
    send_neighbor_solicitation(rig_.state, rig_.state.neighbors.at(slot), rig_.out);
    EXPECT_EQ(rig_.only_own(0), octets("33 33 ff 00 00 b1  02 00 00 00 00 a0  86 dd"
                                       "6c 00 00 00  00 20 3a ff"
                                       "fe 80 00 00 00 00 00 00  00 00 00 ff fe 00 00 a0"
                                       "ff 02 00 00 00 00 00 00  00 00 00 01 ff 00 00 b1"
                                       "87 00 79 fb  00 00 00 00"
                                       "fe 80 00 00 00 00 00 00  00 00 00 ff fe 00 00 b1"
                                       "01 01 02 00 00 00 00 a0"));
}

}  // namespace
}  // namespace weir

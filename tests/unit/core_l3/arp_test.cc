// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/arp.h"

#include <gtest/gtest.h>

#include "tests/unit/core_l3/l3_rig.h"

namespace weir {
namespace {

constexpr Time kNow{1'000'000'000'000};

// 192.0.2.50 asks 192.0.2.1; 18 bytes of padding that are not zero.
constexpr std::string_view kRequest =
    "ff ff ff ff ff ff  02 00 00 00 00 b1  08 06"
    "00 01  08 00  06 04  00 01"
    "02 00 00 00 00 b1  c0 00 02 32"
    "00 00 00 00 00 00  c0 00 02 01"
    "55 55 55 55 55 55 55 55 55 55 55 55 55 55 55 55 55 55";

constexpr std::string_view kReplyToIt =
    "02 00 00 00 00 b1  02 00 00 00 00 a0  08 06"
    "00 01  08 00  06 04  00 02"
    "02 00 00 00 00 a0  c0 00 02 01"
    "02 00 00 00 00 b1  c0 00 02 32"
    "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00";

class ArpTest : public testing::Test {
  protected:
    Frame& hear(Octets bytes, PortId port = 0) {
        Frame& frame = rig_.frame(std::move(bytes), port);
        const Parsed parsed = parse(frame);
        arp_heard(rig_.state, kNow, frame, parsed, rig_.out);
        return frame;
    }
    // The request with one byte changed.
    static Octets request_with(std::size_t at, std::uint8_t value) {
        Octets bytes = octets(kRequest);
        bytes[at] = value;
        return bytes;
    }
    void expect_dropped(DropReason reason) {
        EXPECT_EQ(rig_.drops(0, reason), 1u);
        EXPECT_EQ(rig_.out.freed.size(), 1u);
        EXPECT_TRUE(rig_.sent(0).empty());
        EXPECT_EQ(rig_.out.own.size(), 0u);
    }

    L3Rig rig_;
};

TEST_F(ArpTest, TurnsARequestForOurAddressIntoTheReply) {
    hear(octets(kRequest));
    EXPECT_EQ(rig_.sent(0), octets(kReplyToIt));
    EXPECT_EQ(rig_.out.freed.size(), 0u) << "the frame itself goes back";
    EXPECT_EQ(rig_.state_of(kHost), NeighborState::Reachable);
    const auto& rewrite = rig_.state.neighbors.at(rig_.slot_of(kHost)).rewrite;
    EXPECT_EQ(Octets(rewrite.begin(), rewrite.end()),
              octets("02 00 00 00 00 b1  02 00 00 00 00 a0"));
}

TEST_F(ArpTest, SendsTheReplyBeforeAllData) {
    hear(octets(kRequest));
    EXPECT_EQ(rig_.state.egress.queues().at(0, kOwnQueue).frames, 1u);
}

TEST_F(ArpTest, KeepsAPriorityTagAndItsPlace) {
    Octets tagged = octets(kRequest);
    const Octets tag = octets("81 00 e0 00");
    tagged.insert(tagged.begin() + 12, tag.begin(), tag.end());
    Octets reply = octets(kReplyToIt);
    reply.insert(reply.begin() + 12, tag.begin(), tag.end());
    hear(tagged);
    EXPECT_EQ(rig_.sent(0), reply);
}

TEST_F(ArpTest, AnswersUnpaddedRequestsOfVirtualDevicesInTheirLength) {
    Octets request = octets(kRequest);
    request.resize(42);
    Octets reply = octets(kReplyToIt);
    reply.resize(42);
    hear(request);
    EXPECT_EQ(rig_.sent(0), reply);
}

TEST_F(ArpTest, RefusesATruncatedFrame) {
    Octets request = octets(kRequest);
    request.resize(41);  // 14 + 28 are needed
    hear(request);
    expect_dropped(DropReason::ArpMalformed);
}

TEST_F(ArpTest, RefusesOtherHardwareProtocolsAndLengths) {
    for (const std::size_t at : {14u, 15u, 16u, 17u, 18u, 19u}) hear(request_with(at, 0x77));
    EXPECT_EQ(rig_.drops(0, DropReason::ArpMalformed), 6u);
    EXPECT_EQ(rig_.state.neighbors.size(), 0u);
}

TEST_F(ArpTest, RefusesASenderWithAGroupOrNoMac) {
    hear(request_with(22, 0x03));
    Octets none = octets(kRequest);
    std::fill_n(none.begin() + 22, 6, std::uint8_t{0});
    hear(none);
    EXPECT_EQ(rig_.drops(0, DropReason::ArpMalformed), 2u);
}

TEST_F(ArpTest, IgnoresAFrameForAnotherMac) {
    Octets request = octets(kRequest);
    std::copy_n(octets("02 00 00 00 00 c0").begin(), 6, request.begin());
    hear(request);
    expect_dropped(DropReason::DestinationMacNotOurs);
    EXPECT_EQ(rig_.state.neighbors.size(), 0u);
}

TEST_F(ArpTest, DoesNotAnswerForAnotherAddressNorAddWhoAsks) {
    hear(request_with(41, 0x63));  // for 192.0.2.99
    expect_dropped(DropReason::ControlConsumed);
    EXPECT_EQ(rig_.state.neighbors.size(), 0u);
}

TEST_F(ArpTest, DoesNotAnswerForAnAddressOfAnotherPort) {
    hear(octets(kRequest), 1);
    EXPECT_EQ(rig_.drops(1, DropReason::ControlConsumed), 1u);
    EXPECT_TRUE(rig_.sent(1).empty());
}

TEST_F(ArpTest, DoesNotAnswerASenderOutsideTheSubnet) {
    hear(request_with(30, 0x03));  // from 192.0.3.50
    expect_dropped(DropReason::ControlConsumed);
    EXPECT_EQ(rig_.state.neighbors.size(), 0u);
}

TEST_F(ArpTest, DoesNotAnswerTheSubnetItselfItsBroadcastOrOurOwnAddress) {
    hear(request_with(31, 0x00));
    hear(request_with(31, 0xff));
    hear(request_with(31, 0x01));
    EXPECT_EQ(rig_.drops(0, DropReason::ControlConsumed), 3u);
    EXPECT_EQ(rig_.state.neighbors.size(), 0u);
}

TEST_F(ArpTest, AnswersAProbeForOurAddressWithoutLearning) {
    Octets probe = octets(kRequest);
    std::fill_n(probe.begin() + 28, 4, std::uint8_t{0});
    hear(probe);
    Octets reply = octets(kReplyToIt);
    std::fill_n(reply.begin() + 38, 4, std::uint8_t{0});
    EXPECT_EQ(rig_.sent(0), reply);
    EXPECT_EQ(rig_.state.neighbors.size(), 0u);
}

// An announcement (sender = target) of an address that nobody asked for is not remembered; of one
// that is known, it changes the MAC.
TEST_F(ArpTest, TakesAnnouncementsOfKnownNeighborsOnly) {
    Octets announcement = request_with(41, 0x32);
    hear(announcement);
    EXPECT_EQ(rig_.state.neighbors.size(), 0u);
    hear(octets(kRequest));
    rig_.clear();
    announcement[27] = 0xb2;
    hear(announcement);
    EXPECT_EQ(rig_.state.neighbors.at(rig_.slot_of(kHost)).rewrite[5], 0xb2);
    ASSERT_EQ(rig_.out.events.size(), 1u);
    const Event& event = rig_.out.events.all()[0];
    EXPECT_EQ(event.kind, EventKind::NeighborResolved);
    EXPECT_EQ(event.mac, kOtherMac);
    EXPECT_EQ(event.address, kHost);
    EXPECT_EQ(event.port, 0);
    EXPECT_EQ(event.at, kNow);
}

TEST_F(ArpTest, TakesRepliesToWhatWasAskedAndIgnoresOthers) {
    constexpr std::string_view kReply =
        "02 00 00 00 00 a0  02 00 00 00 00 b1  08 06"
        "00 01  08 00  06 04  00 02"
        "02 00 00 00 00 b1  c0 00 02 32"
        "02 00 00 00 00 a0  c0 00 02 01";
    hear(octets(kReply));
    EXPECT_EQ(rig_.state.neighbors.size(), 0u);
    ASSERT_NE(rig_.state.neighbors.find_or_add(0, kHost), kNoNeighbor);
    hear(octets(kReply));
    EXPECT_EQ(rig_.state_of(kHost), NeighborState::Reachable);
    EXPECT_EQ(rig_.drops(0, DropReason::ControlConsumed), 2u);
}

TEST_F(ArpTest, IgnoresOtherOperations) {
    ASSERT_NE(rig_.state.neighbors.find_or_add(0, kHost), kNoNeighbor);
    hear(request_with(21, 0x03));  // reverse ARP
    expect_dropped(DropReason::ControlConsumed);
    EXPECT_EQ(rig_.state_of(kHost), NeighborState::Incomplete);
}

TEST_F(ArpTest, AsksEverybodyForAnUnknownNeighborAndAKnownOneItself) {
    const std::uint32_t slot = rig_.state.neighbors.find_or_add(0, kHost);
    Neighbor& neighbor = rig_.state.neighbors.at(slot);
    send_arp_request(rig_.state, neighbor, rig_.out);
    EXPECT_EQ(rig_.only_own(0), octets("ff ff ff ff ff ff  02 00 00 00 00 a0  08 06"
                                       "00 01  08 00  06 04  00 01"
                                       "02 00 00 00 00 a0  c0 00 02 01"
                                       "00 00 00 00 00 00  c0 00 02 32"
                                       "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"));
    hear(octets(kRequest));
    rig_.clear();
    send_arp_request(rig_.state, neighbor, rig_.out);
    EXPECT_EQ(rig_.only_own(0), octets("02 00 00 00 00 b1  02 00 00 00 00 a0  08 06"
                                       "00 01  08 00  06 04  00 01"
                                       "02 00 00 00 00 a0  c0 00 02 01"
                                       "02 00 00 00 00 b1  c0 00 02 32"
                                       "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"));
}

}  // namespace
}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
// What a session makes of packets and of silence.
#include <array>

#include <gtest/gtest.h>

#include "tests/unit/links/link_session_case.h"

namespace weir {
namespace {

// RFC 5880 6.8.6, the reception of each state in each.
TEST_F(LinkSessionTest, FollowsTheStateMachine) {
    using enum SessionState;
    struct Case {
        SessionState from, heard, to;
    };
    for (const Case& c : {Case{Down, AdminDown, Down},
                          {Down, Down, Init},
                          {Down, Init, Up},
                          {Down, Up, Down},
                          {Init, AdminDown, Down},
                          {Init, Down, Init},
                          {Init, Init, Up},
                          {Init, Up, Up},
                          {Up, AdminDown, Down},
                          {Up, Down, Down},
                          {Up, Init, Up},
                          {Up, Up, Up},
                          {AdminDown, AdminDown, AdminDown},
                          {AdminDown, Down, AdminDown},
                          {AdminDown, Init, AdminDown},
                          {AdminDown, Up, AdminDown}}) {
        begin();
        if (c.from == Init) hear(says(Down));
        if (c.from == Up) hear(says(Init));
        if (c.from == AdminDown) session.administer(now, true);
        ASSERT_EQ(session.state(), c.from);
        hear(says(c.heard));
        EXPECT_EQ(session.state(), c.to) << int(c.from) << " hears " << int(c.heard);
        if (c.from != Down && c.from != AdminDown && c.to == Down) {
            EXPECT_EQ(session.diagnostic(), Diagnostic::NeighborSignaledDown);
        }
    }
}

TEST_F(LinkSessionTest, TwoOfThemComeUp) {
    begin();
    LinkSession other;
    other.begin(now, {}, kTheirs, 8, false);
    for (int turn = 0; turn < 4; ++turn) {
        while (session.due(now)) {
            ASSERT_EQ(other.hear(now, session.take_packet(now)), BfdDiscard::kCount);
        }
        while (other.due(now)) {
            ASSERT_EQ(session.hear(now, other.take_packet(now)), BfdDiscard::kCount);
        }
        pass(kUs);
    }
    EXPECT_EQ(session.state(), SessionState::Up);
    EXPECT_EQ(other.state(), SessionState::Up);
    EXPECT_FALSE(session.polling());  // both polls were answered at once
    EXPECT_FALSE(other.polling());
    EXPECT_EQ(session.tx_interval(), kUs * 100);
    EXPECT_EQ(session.detection_time(), kUs * 300);
}

// 3 x max(required_min_rx 100 us, the peer's desired 100 us) = 300 us after the last packet, to the
// picosecond.
TEST_F(LinkSessionTest, IsLostAtExactlyTheDetectionTime) {
    bring_up();
    const Time heard = now;
    ASSERT_EQ(session.detection_time(), kUs * 300);
    now = heard + kUs * 300 - Interval::picoseconds(1);
    session.expire(now);
    EXPECT_EQ(session.state(), SessionState::Up);
    now = heard + kUs * 300;
    session.expire(now);
    EXPECT_EQ(session.state(), SessionState::Down);
    EXPECT_EQ(session.diagnostic(), Diagnostic::DetectionTimeExpired);
    EXPECT_EQ(session.peer_discriminator(), 0u);
    const BfdPacket told = take();
    EXPECT_EQ(told.state, SessionState::Down);
    EXPECT_EQ(told.diagnostic, Diagnostic::DetectionTimeExpired);
    EXPECT_EQ(told.your_discriminator, 0u);
}

TEST_F(LinkSessionTest, PassiveOnesWaitForThePeer) {
    begin({.passive = true});
    pass(Interval::seconds(5));
    EXPECT_FALSE(session.due(now));
    BfdPacket first = says(SessionState::Down);
    first.your_discriminator = 0;
    hear(first);
    EXPECT_EQ(take().your_discriminator, kTheirs);
    pass(kUs * 300);  // 3 x 100 us of silence: it has gone
    session.expire(now);
    pass(Interval::seconds(5));
    EXPECT_FALSE(session.due(now));
}

TEST_F(LinkSessionTest, AdminDownIsToldAndStays) {
    bring_up();
    session.administer(now, true);
    const BfdPacket told = take();
    EXPECT_EQ(told.state, SessionState::AdminDown);
    EXPECT_EQ(told.diagnostic, Diagnostic::AdministrativelyDown);
    EXPECT_EQ(told.desired_min_tx_us, 1'000'000u);
    hear(says(SessionState::Down));
    pass(Interval::seconds(2));
    session.expire(now);
    EXPECT_EQ(session.state(), SessionState::AdminDown);
    EXPECT_EQ(session.diagnostic(), Diagnostic::AdministrativelyDown);
    session.administer(now, false);
    EXPECT_EQ(session.state(), SessionState::Down);
    EXPECT_EQ(session.diagnostic(), Diagnostic::None);
}

TEST_F(LinkSessionTest, DiscardsPacketsForOthers) {
    bring_up();
    BfdPacket other = says(SessionState::Down);
    other.your_discriminator = kOurs + 1;
    EXPECT_EQ(session.hear(now, other), BfdDiscard::YourDiscriminatorUnknown);
    other.your_discriminator = 0;
    other.state = SessionState::Up;
    EXPECT_EQ(session.hear(now, other), BfdDiscard::YourDiscriminatorZero);
    other.state = SessionState::Init;
    EXPECT_EQ(session.hear(now, other), BfdDiscard::YourDiscriminatorZero);
    other = says(SessionState::Down);
    other.authenticated = true;
    EXPECT_EQ(session.hear(now, other), BfdDiscard::Authenticated);
    EXPECT_EQ(session.state(), SessionState::Up);
}

// 10,000 packets with another key do not keep a session alive, nor take it down.
TEST_F(LinkSessionTest, DiscardedPacketsCountForNothing) {
    bring_up();
    const Time heard = now;
    BfdPacket forged = says(SessionState::Down);
    for (std::uint32_t i = 1; i <= 10'000; ++i) {
        forged.your_discriminator = kOurs + i;
        ASSERT_NE(session.hear(now, forged), BfdDiscard::kCount);
    }
    EXPECT_EQ(session.state(), SessionState::Up);
    now = heard + kUs * 300;
    session.expire(now);
    EXPECT_EQ(session.state(), SessionState::Down);
}

// A peer that has started again knows nothing of us.
TEST_F(LinkSessionTest, GoesDownWithAPeerThatBeginsAnew) {
    bring_up();
    BfdPacket fresh = says(SessionState::Down);
    fresh.your_discriminator = 0;
    fresh.my_discriminator = kTheirs + 1;
    hear(fresh);
    EXPECT_EQ(session.state(), SessionState::Down);
    EXPECT_EQ(session.diagnostic(), Diagnostic::NeighborSignaledDown);
    EXPECT_EQ(take().your_discriminator, kTheirs + 1);
}

TEST_F(LinkSessionTest, PathDownEndsItAndOnlyWhenThereIsSomethingToEnd) {
    begin();
    session.fail(now, Diagnostic::PathDown);
    EXPECT_EQ(session.diagnostic(), Diagnostic::None);
    bring_up();
    session.fail(now, Diagnostic::PathDown);
    EXPECT_EQ(session.state(), SessionState::Down);
    EXPECT_EQ(session.diagnostic(), Diagnostic::PathDown);
}

// Away for 301 us, a picosecond more than the detection time of 300 us would do: lost 300 + 301 us
// after the last packet. Away for exactly 300 us is no stall.
TEST_F(LinkSessionTest, AStallOfOursIsNoSilenceOfThePeer) {
    bring_up();
    const Time heard = now;
    now = heard + kUs * 300;
    EXPECT_FALSE(session.stalled(now, kUs * 300));
    now = heard + kUs * 301;
    EXPECT_TRUE(session.stalled(now, kUs * 301));
    session.expire(now);
    EXPECT_EQ(session.state(), SessionState::Up);
    now = heard + kUs * 601 - Interval::picoseconds(1);
    session.expire(now);
    EXPECT_EQ(session.state(), SessionState::Up);
    now = heard + kUs * 601;
    session.expire(now);
    EXPECT_EQ(session.state(), SessionState::Down);
}

TEST_F(LinkSessionTest, AStallThatAPacketEndedExtendsNothing) {
    bring_up();
    pass(kUs * 1'000);
    hear(says(SessionState::Up));  // it waited in the ring
    EXPECT_FALSE(session.stalled(now, kUs * 1'000));
    pass(kUs * 300);
    session.expire(now);
    EXPECT_EQ(session.state(), SessionState::Down);
}

// kStallsMax = 3 extensions, then silence is silence: stalls of 400 us at 400, 800 and 1,200 us put
// the end off to 300 + 3 x 400 = 1,500 us.
TEST_F(LinkSessionTest, StallsWithoutEndDoNotHideALoss) {
    bring_up();
    const Time heard = now;
    for (int i = 1; i <= 3; ++i) {
        now = heard + kUs * 400 * i;
        EXPECT_TRUE(session.stalled(now, kUs * 400));
        session.expire(now);
        ASSERT_EQ(session.state(), SessionState::Up);
    }
    now = heard + kUs * 1'600;
    EXPECT_FALSE(session.stalled(now, kUs * 400));
    session.expire(now);
    EXPECT_EQ(session.state(), SessionState::Down);
}

// Packets that two other routers sent (nDPI's test capture), in their order: Down, the other's
// Init, Up. Both had discriminator 1, 1 s both ways, multiplier 3, echo 0.5 s.
TEST_F(LinkSessionTest, ComesUpWithCapturedPackets) {
    constexpr std::array<std::uint8_t, kBfdBytes> kDown = {
        0x20, 0x40, 3,    0x18, 0, 0,    0,    1,    0, 0,    0,    0,
        0,    0x0f, 0x42, 0x40, 0, 0x0f, 0x42, 0x40, 0, 0x07, 0xa1, 0x20};
    session.begin(now, {}, 1, 7, false);
    BfdPacket packet;
    ASSERT_EQ(read_bfd(kDown, packet), BfdDiscard::kCount);
    EXPECT_EQ(packet.required_min_echo_rx_us, 500'000u);
    hear(packet);
    EXPECT_EQ(session.state(), SessionState::Init);
    EXPECT_EQ(session.detection_time(), Interval::seconds(3));
    auto next = kDown;
    next[1] = 0x80;
    next[11] = 1;
    ASSERT_EQ(read_bfd(next, packet), BfdDiscard::kCount);
    hear(packet);
    EXPECT_EQ(session.state(), SessionState::Up);
    next[1] = 0xc0;
    ASSERT_EQ(read_bfd(next, packet), BfdDiscard::kCount);
    hear(packet);
    EXPECT_EQ(session.state(), SessionState::Up);
    EXPECT_EQ(session.tx_interval(), Interval::seconds(1));
}

// As tcpdump's test capture has it: Down, A bit, meticulous keyed SHA1 (type 5), 52 bytes.
TEST_F(LinkSessionTest, RefusesACapturedPacketWithSha1) {
    std::array<std::uint8_t, 52> bytes = {
        0x20, 0x44, 5, 0x34, 0, 0, 0,    1, 0, 0, 0, 0, 0, 0x0f, 0x42, 0x40, 0, 0x0f, 0x42,
        0x40, 0,    0, 0,    0, 5, 0x1c, 2, 0, 0, 0, 0, 5, 1,    2,    3,    4, 5,    6};
    begin();
    BfdPacket packet;
    ASSERT_EQ(read_bfd(bytes, packet), BfdDiscard::kCount);
    EXPECT_EQ(session.hear(now, packet), BfdDiscard::Authenticated);
    EXPECT_EQ(session.state(), SessionState::Down);
}

}  // namespace
}  // namespace weir

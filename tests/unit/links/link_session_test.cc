// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/link_session.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

constexpr Time kStart{5'000'000'000'000};
constexpr std::uint32_t kOurs = 0x1111;
constexpr std::uint32_t kTheirs = 0x2222;
constexpr Interval kUs = Interval::microseconds(1);

class SessionTest : public testing::Test {
  protected:
    void begin(const SessionSettings& settings = {}, std::uint64_t seed = 7) {
        session.begin(now, settings, kOurs, seed, false);
    }
    // What the peer says: to us, in microseconds.
    [[nodiscard]] static BfdPacket says(SessionState state) {
        return {.state = state,
                .detect_mult = 3,
                .my_discriminator = kTheirs,
                .your_discriminator = kOurs,
                .desired_min_tx_us = 100,
                .required_min_rx_us = 100};
    }
    void hear(const BfdPacket& packet) { EXPECT_EQ(session.hear(now, packet), BfdDiscard::kCount); }
    [[nodiscard]] BfdPacket take() {
        EXPECT_TRUE(session.due(now));
        return session.take_packet(now);
    }
    void drain() {
        while (session.due(now)) (void)session.take_packet(now);
    }
    void bring_up(const SessionSettings& settings = {}) {
        begin(settings);
        hear(says(SessionState::Init));
        drain();
        BfdPacket answer = says(SessionState::Up);
        answer.final = true;
        hear(answer);
        drain();
        ASSERT_EQ(session.state(), SessionState::Up);
        ASSERT_FALSE(session.polling());
    }
    void pass(Interval span) { now = now + span; }

    Time now = kStart;
    LinkSession session;
};

// RFC 5880 6.8.6, the reception of each state in each.
TEST_F(SessionTest, FollowsTheStateMachine) {
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

TEST_F(SessionTest, TwoOfThemComeUp) {
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

// 6.8.3: not Up, no faster than once a second.
TEST_F(SessionTest, StartsSlowly) {
    begin();
    BfdPacket first = take();
    EXPECT_EQ(first.desired_min_tx_us, 1'000'000u);
    EXPECT_EQ(first.required_min_rx_us, 100u);
    EXPECT_EQ(first.your_discriminator, 0u);
    EXPECT_FALSE(first.poll);
    const Time next = session.next_deadline(now);
    EXPECT_GT(next - now, Interval::milliseconds(750) - kUs);
    EXPECT_LE(next - now, Interval::seconds(1));
    now = next - Interval::picoseconds(1);
    EXPECT_FALSE(session.due(now));
    now = next;
    EXPECT_TRUE(session.due(now));
}

// 3 x max(required_min_rx 100 us, the peer's desired 100 us) = 300 us after the last packet, to the
// picosecond.
TEST_F(SessionTest, IsLostAtExactlyTheDetectionTime) {
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

// The peer's multiplier 5 and its 400 us: max(100, 400) x 5 = 2,000 us. Ours (3) does not count.
TEST_F(SessionTest, TakesTheDetectionTimeFromThePeer) {
    bring_up();
    BfdPacket slower = says(SessionState::Up);
    slower.detect_mult = 5;
    slower.desired_min_tx_us = 400;
    hear(slower);
    EXPECT_EQ(session.detection_time(), kUs * 2'000);
}

// 65,536 draws: the interval of 100 us less 0 to 25 %.
TEST_F(SessionTest, JitterTakesOffUpToAQuarter) {
    bring_up();
    Interval least = kUs * 1'000;
    Interval most{};
    for (int i = 0; i < 65'536; ++i) {
        now = session.next_deadline(now);
        hear(says(SessionState::Up));
        (void)take();
        const Interval gap = session.next_deadline(now) - now;
        least = std::min(least, gap);
        most = std::max(most, gap);
    }
    EXPECT_GE(least, kUs * 75);
    EXPECT_LT(least, Interval::nanoseconds(75'100));
    EXPECT_LE(most, kUs * 100);
    EXPECT_GT(most, Interval::nanoseconds(99'900));
}

// With a multiplier of 1 between 75 % and 90 % (6.8.7).
TEST_F(SessionTest, JitterOfAMultiplierOfOneTakesOffATenthAtLeast) {
    bring_up({.detect_mult = 1});
    Interval least = kUs * 1'000;
    Interval most{};
    for (int i = 0; i < 65'536; ++i) {
        now = session.next_deadline(now);
        hear(says(SessionState::Up));
        EXPECT_EQ(take().detect_mult, 1);
        const Interval gap = session.next_deadline(now) - now;
        least = std::min(least, gap);
        most = std::max(most, gap);
    }
    EXPECT_GE(least, kUs * 75);
    EXPECT_LT(least, Interval::nanoseconds(75'100));
    EXPECT_LE(most, kUs * 90);
    EXPECT_GT(most, Interval::nanoseconds(89'900));
}

TEST_F(SessionTest, TheSameSeedDrawsTheSameJitter) {
    begin({}, 9);
    (void)take();
    const Time first = session.next_deadline(now);
    begin({}, 9);
    (void)take();
    EXPECT_EQ(session.next_deadline(now), first);
}

// Upon Up the interval falls from 1 s to 100 us: a poll sequence, ended by the first F (6.8.3).
TEST_F(SessionTest, PollsWhenItComesUp) {
    begin();
    drain();
    hear(says(SessionState::Init));
    const BfdPacket polls = take();
    EXPECT_TRUE(polls.poll);
    EXPECT_EQ(polls.state, SessionState::Up);
    EXPECT_EQ(polls.desired_min_tx_us, 100u);
    now = session.next_deadline(now);
    EXPECT_TRUE(take().poll);  // until it is answered
    BfdPacket answer = says(SessionState::Up);
    answer.final = true;
    hear(answer);
    now = session.next_deadline(now);
    EXPECT_FALSE(take().poll);
}

// A final that nobody asked for changes nothing.
TEST_F(SessionTest, AnswersAPollAtOnceAndNeverPollsInTheAnswer) {
    bring_up();
    ASSERT_FALSE(session.due(now));
    const Time next = session.next_deadline(now);
    BfdPacket poll = says(SessionState::Up);
    poll.poll = true;
    hear(poll);
    const BfdPacket answer = take();
    EXPECT_TRUE(answer.final);
    EXPECT_FALSE(answer.poll);
    EXPECT_FALSE(session.due(now));               // once
    EXPECT_EQ(session.next_deadline(now), next);  // beside the periodic ones
    session.change(now, {.desired_min_tx = kUs * 200});
    hear(poll);
    const BfdPacket second = take();
    EXPECT_TRUE(second.final);
    EXPECT_FALSE(second.poll);
    EXPECT_TRUE(take().poll);
}

// Slower only when the peer has agreed: it would miss packets meanwhile (6.8.3).
TEST_F(SessionTest, SendsSlowerAfterThePoll) {
    bring_up();
    session.change(now, {.desired_min_tx = kUs * 500});
    EXPECT_EQ(session.tx_interval(), kUs * 100);
    const BfdPacket poll = take();
    EXPECT_TRUE(poll.poll);
    EXPECT_EQ(poll.desired_min_tx_us, 500u);
    BfdPacket answer = says(SessionState::Up);
    hear(answer);
    EXPECT_EQ(session.tx_interval(), kUs * 100);  // no F
    answer.final = true;
    hear(answer);
    EXPECT_EQ(session.tx_interval(), kUs * 500);
}

TEST_F(SessionTest, SendsFasterAtOnce) {
    bring_up({.desired_min_tx = kUs * 500});
    EXPECT_EQ(session.tx_interval(), kUs * 500);
    session.change(now, {.desired_min_tx = kUs * 200});
    EXPECT_EQ(session.tx_interval(), kUs * 200);
    EXPECT_TRUE(take().poll);
}

// A shorter detection time only when the peer has agreed to send faster: 3 x 500 us until then. The
// peer wants to send every 100 us.
TEST_F(SessionTest, ExpectsFasterPacketsAfterThePoll) {
    bring_up({.required_min_rx = kUs * 500});
    EXPECT_EQ(session.detection_time(), kUs * 1'500);
    session.change(now, {.required_min_rx = kUs * 200});
    EXPECT_EQ(session.detection_time(), kUs * 1'500);
    BfdPacket answer = says(SessionState::Up);
    answer.final = true;
    hear(answer);
    EXPECT_EQ(session.detection_time(), kUs * 600);
    session.change(now, {.required_min_rx = kUs * 300});  // longer: at once
    EXPECT_EQ(session.detection_time(), kUs * 900);
}

// The answer may be to the poll before the second change.
TEST_F(SessionTest, PollsAgainForAChangeDuringAPoll) {
    bring_up();
    session.change(now, {.desired_min_tx = kUs * 500});
    (void)take();
    session.change(now, {.desired_min_tx = kUs * 900});
    BfdPacket answer = says(SessionState::Up);
    answer.final = true;
    hear(answer);
    EXPECT_TRUE(session.polling());
    EXPECT_EQ(session.tx_interval(), kUs * 100);
    EXPECT_TRUE(take().poll);
    hear(answer);
    EXPECT_FALSE(session.polling());
    EXPECT_EQ(session.tx_interval(), kUs * 900);
}

// Told with the next packet, which leaves at once; no poll sequence (6.8.12).
TEST_F(SessionTest, ChangesTheMultiplierAtOnce) {
    bring_up();
    ASSERT_FALSE(session.due(now));
    session.change(now, {.detect_mult = 9});
    const BfdPacket packet = take();
    EXPECT_EQ(packet.detect_mult, 9);
    EXPECT_FALSE(packet.poll);
    EXPECT_EQ(session.state(), SessionState::Up);
}

// The interval is that of the slower one: max(100 us, the peer's 700 us).
TEST_F(SessionTest, SendsNoFasterThanThePeerWants) {
    bring_up();
    BfdPacket slow = says(SessionState::Up);
    slow.required_min_rx_us = 700;
    hear(slow);
    EXPECT_EQ(session.tx_interval(), kUs * 700);
    // 6.8.3: shorter again counts from the last packet, which lies further back than 100 us.
    pass(kUs * 250);
    hear(says(SessionState::Up));
    EXPECT_TRUE(session.due(now));
}

TEST_F(SessionTest, SaysNothingPeriodicallyToAPeerThatWantsNothing) {
    bring_up();
    BfdPacket silent = says(SessionState::Up);
    silent.required_min_rx_us = 0;
    hear(silent);
    pass(Interval::seconds(10));
    EXPECT_FALSE(session.due(now));
    EXPECT_GE(session.next_deadline(now - kUs * 10'000'000), now - kUs * 10'000'000);
    silent.poll = true;
    hear(silent);
    EXPECT_TRUE(take().final);  // an answer is not periodic
    EXPECT_FALSE(session.due(now));
    hear(says(SessionState::Up));
    EXPECT_TRUE(session.due(now));
}

// 6.6: the peer is in demand mode, both are Up: silence, broken by a poll sequence only.
TEST_F(SessionTest, RespectsAPeerInDemandMode) {
    bring_up();
    BfdPacket demand = says(SessionState::Up);
    demand.demand = true;
    hear(demand);
    pass(kUs * 200);
    EXPECT_FALSE(session.due(now));
    session.change(now, {.desired_min_tx = kUs * 500});
    EXPECT_TRUE(take().poll);
}

TEST_F(SessionTest, PassiveOnesWaitForThePeer) {
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

TEST_F(SessionTest, AdminDownIsToldAndStays) {
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

TEST_F(SessionTest, DiscardsPacketsForOthers) {
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
TEST_F(SessionTest, DiscardedPacketsCountForNothing) {
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
TEST_F(SessionTest, GoesDownWithAPeerThatBeginsAnew) {
    bring_up();
    BfdPacket fresh = says(SessionState::Down);
    fresh.your_discriminator = 0;
    fresh.my_discriminator = kTheirs + 1;
    hear(fresh);
    EXPECT_EQ(session.state(), SessionState::Down);
    EXPECT_EQ(session.diagnostic(), Diagnostic::NeighborSignaledDown);
    EXPECT_EQ(take().your_discriminator, kTheirs + 1);
}

TEST_F(SessionTest, PathDownEndsItAndOnlyWhenThereIsSomethingToEnd) {
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
TEST_F(SessionTest, AStallOfOursIsNoSilenceOfThePeer) {
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

TEST_F(SessionTest, AStallThatAPacketEndedExtendsNothing) {
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
TEST_F(SessionTest, StallsWithoutEndDoNotHideALoss) {
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

// The largest numbers that fit on the wire: 2^32 - 1 us x 255 = 12.7 days.
TEST_F(SessionTest, LargestIntervalsDoNotOverflow) {
    begin();
    BfdPacket huge = says(SessionState::Init);
    huge.desired_min_tx_us = huge.required_min_rx_us = 0xffff'ffff;
    huge.detect_mult = 255;
    hear(huge);
    EXPECT_EQ(session.detection_time().ps, 4'294'967'295ll * 255 * 1'000'000);
    drain();
    const Interval gap = session.next_deadline(now) - now;
    EXPECT_GE(gap.ps, 4'294'967'295ll * 750'000);
    EXPECT_LE(gap.ps, 4'294'967'295ll * 1'000'000);
}

}  // namespace
}  // namespace weir

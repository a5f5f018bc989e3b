// SPDX-License-Identifier: BSD-3-Clause
// When a session speaks, and what it agrees on with its peer: RFC 5880 sections 6.8.2 to 6.8.7.
#include <gtest/gtest.h>

#include "tests/unit/links/link_session_case.h"

namespace weir {
namespace {

// 6.8.3: not Up, no faster than once a second.
TEST_F(LinkSessionTest, StartsSlowly) {
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

// The peer's multiplier 5 and its 400 us: max(100, 400) x 5 = 2,000 us. Ours (3) does not count.
TEST_F(LinkSessionTest, TakesTheDetectionTimeFromThePeer) {
    bring_up();
    BfdPacket slower = says(SessionState::Up);
    slower.detect_mult = 5;
    slower.desired_min_tx_us = 400;
    hear(slower);
    EXPECT_EQ(session.detection_time(), kUs * 2'000);
}

// 65,536 draws: the interval of 100 us less 0 to 25 %.
TEST_F(LinkSessionTest, JitterTakesOffUpToAQuarter) {
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
TEST_F(LinkSessionTest, JitterOfAMultiplierOfOneTakesOffATenthAtLeast) {
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

TEST_F(LinkSessionTest, TheSameSeedDrawsTheSameJitter) {
    begin({}, 9);
    (void)take();
    const Time first = session.next_deadline(now);
    begin({}, 9);
    (void)take();
    EXPECT_EQ(session.next_deadline(now), first);
}

// Upon Up the interval falls from 1 s to 100 us: a poll sequence, ended by the first F (6.8.3).
TEST_F(LinkSessionTest, PollsWhenItComesUp) {
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
TEST_F(LinkSessionTest, AnswersAPollAtOnceAndNeverPollsInTheAnswer) {
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
TEST_F(LinkSessionTest, SendsSlowerAfterThePoll) {
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

TEST_F(LinkSessionTest, SendsFasterAtOnce) {
    bring_up({.desired_min_tx = kUs * 500});
    EXPECT_EQ(session.tx_interval(), kUs * 500);
    session.change(now, {.desired_min_tx = kUs * 200});
    EXPECT_EQ(session.tx_interval(), kUs * 200);
    EXPECT_TRUE(take().poll);
}

// A shorter detection time only when the peer has agreed to send faster: 3 x 500 us until then. The
// peer wants to send every 100 us.
TEST_F(LinkSessionTest, ExpectsFasterPacketsAfterThePoll) {
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
TEST_F(LinkSessionTest, PollsAgainForAChangeDuringAPoll) {
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
TEST_F(LinkSessionTest, ChangesTheMultiplierAtOnce) {
    bring_up();
    ASSERT_FALSE(session.due(now));
    session.change(now, {.detect_mult = 9});
    const BfdPacket packet = take();
    EXPECT_EQ(packet.detect_mult, 9);
    EXPECT_FALSE(packet.poll);
    EXPECT_EQ(session.state(), SessionState::Up);
}

// The interval is that of the slower one: max(100 us, the peer's 700 us).
TEST_F(LinkSessionTest, SendsNoFasterThanThePeerWants) {
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

TEST_F(LinkSessionTest, SaysNothingPeriodicallyToAPeerThatWantsNothing) {
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
TEST_F(LinkSessionTest, RespectsAPeerInDemandMode) {
    bring_up();
    BfdPacket demand = says(SessionState::Up);
    demand.demand = true;
    hear(demand);
    pass(kUs * 200);
    EXPECT_FALSE(session.due(now));
    session.change(now, {.desired_min_tx = kUs * 500});
    EXPECT_TRUE(take().poll);
}

// The largest numbers that fit on the wire: 2^32 - 1 us x 255 = 12.7 days.
TEST_F(LinkSessionTest, LargestIntervalsDoNotOverflow) {
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

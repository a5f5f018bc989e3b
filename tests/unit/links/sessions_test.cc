// SPDX-License-Identifier: BSD-3-Clause
// Links of two switches in virtual time.
#include "dataplane/core/sessions.h"

#include <array>

#include <gtest/gtest.h>

#include "dataplane/core/checksum.h"
#include "tests/unit/links/link_pair.h"

namespace weir {
namespace {

constexpr Interval kUs = Interval::microseconds(1);

std::uint64_t discards(const Link& link, BfdDiscard discard) {
    return link.counters.discards[static_cast<unsigned>(discard)];
}

// Port 1 of a says to port 2 of b, over IPv4: Ethernet 14, IP 20, UDP 8, BFD 24.
constexpr std::size_t kIp = 14;
constexpr std::size_t kUdp = 34;
constexpr std::size_t kBfd = 42;

// The checksum of UDP is left out (0), that of IPv4 made anew.
Octets changed(Octets frame, std::size_t at, std::uint8_t value) {
    frame[at] = value;
    write_be16(&frame[kUdp + 6], 0);
    write_be16(&frame[kIp + 10], 0);
    write_be16(&frame[kIp + 10], checksum_of(checksum_sum(&frame[kIp], 20)));
    return frame;
}

TEST(Sessions, ComeUpAndMakeTheLinkUsable) {
    LinkPair pair;
    EXPECT_FALSE(pair.usable_a());  // required, and never Up
    EXPECT_EQ(pair.link_a().use, LinkUse::NeverUp);
    pair.run(Interval::milliseconds(10));
    EXPECT_EQ(pair.link_a().session.state(), SessionState::Up);
    EXPECT_EQ(pair.link_b().session.state(), SessionState::Up);
    EXPECT_TRUE(pair.usable_a());  // the first time without a hold-down
    EXPECT_TRUE(pair.usable_b());
    EXPECT_FALSE(pair.link_a().session.polling());
    EXPECT_EQ(pair.link_a().session.tx_interval(), kUs * 100);
    EXPECT_EQ(pair.event(pair.a, EventKind::SessionUp).port, LinkPair::kPortA);
}

// TTL 255, CS6 (48 << 2 = 0xc0), UDP 49,153 -> 3,784, at the front of all queues.
TEST(Sessions, SendWhatRfc5881Asks) {
    LinkPair pair;
    pair.come_up();
    const Octets& frame = pair.last_to_b;
    ASSERT_EQ(frame.size(), 66u);
    EXPECT_EQ(read_mac(frame.data()).value, 0x0200'0000'0002u);
    EXPECT_EQ(read_mac(&frame[6]).value, 0x0200'0000'0001u);
    EXPECT_EQ(frame[kIp], 0x45);
    EXPECT_EQ(frame[kIp + 1], 0xc0);
    EXPECT_EQ(frame[kIp + 8], 255);
    EXPECT_TRUE(ipv4_header_right(&frame[kIp]));
    EXPECT_EQ(read_be16(&frame[kUdp]), 49'152 + LinkPair::kPortA);
    EXPECT_EQ(read_be16(&frame[kUdp + 2]), 3'784);
    EXPECT_EQ(read_be16(&frame[kUdp + 4]), 32);
    EXPECT_EQ(discards(pair.link_b(), BfdDiscard::ChecksumWrong), 0u);
    BfdPacket packet;
    ASSERT_EQ(read_bfd(std::span(frame).subspan(kBfd), packet), BfdDiscard::kCount);
    EXPECT_EQ(packet.state, SessionState::Up);
}

TEST(Sessions, WorkOverIpv6) {
    LinkPair pair("", true);
    pair.come_up();
    const Octets& frame = pair.last_to_b;
    ASSERT_EQ(frame.size(), 86u);
    EXPECT_EQ(read_be32(&frame[14]), 0x6c00'0000u);  // version 6, traffic class 0xc0
    EXPECT_EQ(frame[14 + 7], 255);
    EXPECT_NE(read_be16(&frame[54 + 6]), 0);
    EXPECT_EQ(discards(pair.link_b(), BfdDiscard::ChecksumWrong), 0u);
    Octets bad = frame;
    bad[54 + 7] ^= 1;
    pair.b.receive(LinkPair::kPortB, {bad});
    write_be16(&bad[54 + 6], 0);  // IPv6 does not allow to leave it out
    pair.b.receive(LinkPair::kPortB, {bad});
    EXPECT_EQ(discards(pair.link_b(), BfdDiscard::ChecksumWrong), 2u);
}

// Silence with the device up: lost exactly 300 us after the last packet arrived, on both sides.
TEST(Sessions, NoticeASilentCut) {
    LinkPair pair;
    pair.come_up();
    pair.cut_to_a = pair.cut_to_b = true;
    pair.run(Interval::milliseconds(2));
    for (auto* rig : {&pair.a, &pair.b}) {
        const Link& link = rig == &pair.a ? pair.link_a() : pair.link_b();
        const Event down = LinkPair::event(*rig, EventKind::SessionDown);
        EXPECT_EQ(down.at - link.heard_at, kUs * 300);
        EXPECT_EQ(down.number & 0xff, 1u);  // detection time expired
        EXPECT_EQ(LinkPair::event(*rig, EventKind::LinkLost).at, down.at);
        EXPECT_EQ(link.use, LinkUse::SessionDown);
        EXPECT_EQ(link.counters.flaps, 1u);
    }
    EXPECT_FALSE(pair.usable_a());
    EXPECT_FALSE(pair.usable_b());
}

// b hears nothing and says so; a hears that, 1 us later.
TEST(Sessions, NoticeAFailureOfOneDirection) {
    LinkPair pair;
    pair.come_up();
    pair.cut_to_b = true;
    pair.run(Interval::milliseconds(2));
    const Event at_b = LinkPair::event(pair.b, EventKind::SessionDown);
    const Event at_a = LinkPair::event(pair.a, EventKind::SessionDown);
    EXPECT_EQ(at_b.number & 0xff, 1u);
    EXPECT_EQ(at_a.number, 3u | 1u << 8);  // neighbor signaled down; the peer: time expired
    EXPECT_EQ(at_a.at - at_b.at, LinkPair::kDelay);
    EXPECT_FALSE(pair.usable_a());
}

// Up again as soon as the slow packets meet; used again exactly 1 s after that.
TEST(Sessions, HoldARecoveredLinkDown) {
    LinkPair pair;
    pair.come_up();
    pair.cut_to_a = pair.cut_to_b = true;
    pair.run(Interval::milliseconds(50));
    pair.cut_to_a = pair.cut_to_b = false;
    pair.a.events.clear();
    pair.run(Interval::seconds(4));
    const Time up = LinkPair::event(pair.a, EventKind::SessionUp).at;
    EXPECT_EQ(LinkPair::event(pair.a, EventKind::LinkUsable).at - up, Interval::seconds(1));
    EXPECT_TRUE(pair.usable_a());
    EXPECT_EQ(pair.link_a().last_outage, up - pair.link_a().down_at);
}

// Four flaps: 4 x 1,000 less what decays in between is above 3,000; half-life 60 s, so the link is
// held down for more than a minute. The hold-down alone would be 10 ms.
TEST(Sessions, DampALinkThatFlaps) {
    LinkPair pair("hold_down: 10ms, damping: 60s");
    pair.come_up();
    for (int flap = 0; flap < 4; ++flap) {
        EXPECT_TRUE(pair.usable_a()) << flap;
        pair.cut_to_a = pair.cut_to_b = true;
        pair.run(Interval::milliseconds(1));
        pair.cut_to_a = pair.cut_to_b = false;
        pair.run(Interval::seconds(2));
        ASSERT_EQ(pair.link_a().session.state(), SessionState::Up);
    }
    EXPECT_EQ(pair.link_a().use, LinkUse::HeldDown);
    pair.run(Interval::seconds(60));
    EXPECT_FALSE(pair.usable_a());
    pair.run(Interval::seconds(70));  // 4,000 to 1,000 are two half-lives
    EXPECT_TRUE(pair.usable_a());
}

TEST(Sessions, ObeyTheOperatorOnBothSides) {
    LinkPair pair("hold_down: 0s");
    pair.come_up();
    pair.operate(pair.a, LinkPair::kPortA, true);
    EXPECT_FALSE(pair.usable_a());
    pair.run(Interval::milliseconds(1));
    EXPECT_FALSE(pair.usable_b());
    const Link& b = pair.link_b();
    EXPECT_EQ(b.last_down, Diagnostic::NeighborSignaledDown);
    EXPECT_EQ(b.last_peer_down, Diagnostic::AdministrativelyDown);
    EXPECT_EQ(b.damping.penalty(pair.now(), Interval::seconds(5)), 0u);  // nobody's fault
    pair.run(Interval::seconds(3));
    EXPECT_EQ(pair.link_a().use, LinkUse::DownByOperator);
    pair.operate(pair.a, LinkPair::kPortA, false);
    pair.run(Interval::seconds(4));
    EXPECT_TRUE(pair.usable_a());
    EXPECT_TRUE(pair.usable_b());
}

TEST(Sessions, AnOperatorNeedsNoSession) {
    LinkPair pair("none");
    EXPECT_TRUE(pair.usable_a());
    pair.operate(pair.a, LinkPair::kPortA, true);
    EXPECT_FALSE(pair.usable_a());
    pair.operate(pair.a, LinkPair::kPortA, false);
    EXPECT_TRUE(pair.usable_a());
}

TEST(Sessions, FollowTheDevice) {
    LinkPair pair("hold_down: 0s");
    pair.come_up();
    pair.a.set_up(LinkPair::kPortA, false);
    EXPECT_EQ(pair.link_a().session.state(), SessionState::Down);
    EXPECT_EQ(pair.link_a().last_down, Diagnostic::PathDown);
    pair.run(Interval::milliseconds(1));
    EXPECT_EQ(pair.link_b().last_down, Diagnostic::DetectionTimeExpired);
    pair.a.set_up(LinkPair::kPortA, true);
    pair.run(Interval::seconds(3));
    EXPECT_TRUE(pair.usable_a());
    EXPECT_TRUE(pair.usable_b());
}

TEST(Sessions, ALinkThatIsNotRequiredIsUsedBeforeItsSession) {
    LinkPair pair("required: false");
    pair.cut_to_a = pair.cut_to_b = true;
    pair.run(Interval::seconds(3));
    EXPECT_TRUE(pair.usable_a());
    pair.cut_to_a = pair.cut_to_b = false;
    pair.run(Interval::seconds(3));
    pair.come_up();
    pair.cut_to_a = pair.cut_to_b = true;
    pair.run(Interval::milliseconds(1));
    EXPECT_FALSE(pair.usable_a());  // once Up, it counts
}

// New timers by a poll sequence, while the session stays Up: 100 us x 3 to 2 ms x 5, and back.
TEST(Sessions, ChangeTimersWithoutAnOutage) {
    LinkPair pair;
    pair.come_up();
    const std::string slow = "desired_min_tx: 2ms, required_min_rx: 2ms, detect_mult: 5";
    pair.a.reload(LinkPair::yaml_a(slow));
    pair.run(Interval::milliseconds(20));
    EXPECT_FALSE(pair.link_a().session.polling());
    EXPECT_EQ(pair.link_a().session.tx_interval(), kUs * 2'000);
    EXPECT_EQ(pair.link_b().session.tx_interval(), kUs * 2'000);  // what a can hear
    EXPECT_EQ(pair.link_b().session.detection_time(), kUs * 10'000);
    pair.b.reload(LinkPair::yaml_b("detect_mult: 7"));
    pair.run(Interval::milliseconds(20));
    EXPECT_EQ(pair.link_a().session.detection_time(), kUs * 14'000);
    pair.a.reload(LinkPair::yaml_a(""));
    pair.run(Interval::milliseconds(50));
    EXPECT_EQ(pair.link_a().session.tx_interval(), kUs * 100);
    EXPECT_EQ(pair.link_b().session.detection_time(), kUs * 300);
    EXPECT_EQ(pair.link_a().counters.flaps, 0u);
    EXPECT_EQ(pair.link_b().counters.flaps, 0u);
}

TEST(Sessions, EndAndBeginWithTheConfiguration) {
    LinkPair pair;
    pair.come_up();
    const std::uint32_t before = pair.link_a().session.discriminator();
    pair.a.reload(LinkPair::yaml_a("none"));
    EXPECT_TRUE(pair.usable_a());
    EXPECT_FALSE(pair.link_a().watched);
    pair.run(Interval::milliseconds(1));
    EXPECT_FALSE(pair.usable_b());
    pair.a.reload(LinkPair::yaml_a("hold_down: 0s"));
    EXPECT_FALSE(pair.usable_a());
    EXPECT_NE(pair.link_a().session.discriminator(), before);
    pair.run(Interval::seconds(4));
    EXPECT_TRUE(pair.usable_a());
    EXPECT_TRUE(pair.usable_b());
}

TEST(Sessions, RefuseWhatIsNotThePeers) {
    LinkPair pair;
    pair.come_up();
    const Octets good = changed(pair.last_to_b, kIp + 1, 0xc0);
    const auto refused = [&](const Octets& frame, BfdDiscard discard) {
        const std::uint64_t before = discards(pair.link_b(), discard);
        pair.b.receive(LinkPair::kPortB, {frame});
        EXPECT_EQ(discards(pair.link_b(), discard), before + 1) << static_cast<unsigned>(discard);
    };
    refused(changed(good, kIp + 8, 254), BfdDiscard::TtlWrong);
    refused(changed(good, kIp + 15, 9), BfdDiscard::NotThePeer);
    refused(changed(good, kBfd, 0x40), BfdDiscard::VersionUnknown);
    refused(changed(good, kBfd + 3, 25), BfdDiscard::LengthWrong);
    refused(changed(good, kBfd + 2, 0), BfdDiscard::DetectMultZero);
    refused(changed(good, kBfd + 1, 0xc1), BfdDiscard::Multipoint);
    refused(changed(good, kBfd + 11, static_cast<std::uint8_t>(good[kBfd + 11] + 1)),
            BfdDiscard::YourDiscriminatorUnknown);
    Octets bad = pair.last_to_b;
    bad[kUdp + 7] ^= 1;
    refused(bad, BfdDiscard::ChecksumWrong);
    Octets zero = good;
    write_be32(&zero[kBfd + 4], 0);
    refused(zero, BfdDiscard::MyDiscriminatorZero);
    zero = good;
    write_be32(&zero[kBfd + 8], 0);
    refused(zero, BfdDiscard::YourDiscriminatorZero);
    Octets shorter = good;
    write_be16(&shorter[kUdp + 4], 31);  // a datagram of 8 + 23
    refused(shorter, BfdDiscard::Truncated);
    EXPECT_EQ(pair.b.drops(LinkPair::kPortB, DropReason::SessionPacketRefused), 11u);
    EXPECT_EQ(pair.link_b().session.state(), SessionState::Up);
}

// Type 4 (SHA1), length 28: as captured from routers that authenticate.
TEST(Sessions, RefuseAuthenticationThatIsNotConfigured) {
    LinkPair pair;
    pair.come_up();
    Octets frame = changed(pair.last_to_b, kBfd + 1, 0xc4);
    frame.resize(frame.size() + 28);
    frame[kBfd + 24] = 4;
    frame[kBfd + 25] = 28;
    frame[kBfd + 3] = 52;
    write_be16(&frame[kUdp + 4], 8 + 52);
    write_be16(&frame[kIp + 2], 20 + 8 + 52);
    pair.b.receive(LinkPair::kPortB, {changed(frame, kBfd + 3, 52)});
    EXPECT_EQ(discards(pair.link_b(), BfdDiscard::Authenticated), 1u);
    EXPECT_EQ(pair.link_b().session.state(), SessionState::Up);
}

// Echo 3785, multihop 4784, micro-BFD 6784: not for a session over one hop. The peer is silent
// otherwise, and so they do not keep it up.
TEST(Sessions, AreNotFedByOtherKindsOfBfd) {
    LinkPair pair;
    pair.come_up();
    const Octets good = changed(pair.last_to_b, kIp + 1, 0xc0);
    pair.cut_to_b = true;
    const std::uint64_t received = pair.link_b().counters.packets_received;
    for (const std::uint16_t port : std::array<std::uint16_t, 3>{3785, 4784, 6784}) {
        Octets frame = good;
        write_be16(&frame[kUdp + 2], port);
        pair.b.receive(LinkPair::kPortB, {frame});
    }
    EXPECT_EQ(pair.link_b().counters.packets_received, received);
    EXPECT_EQ(pair.b.drops(LinkPair::kPortB, DropReason::NoSuchService), 3u);
    pair.run(kUs * 301);
    EXPECT_EQ(pair.link_b().session.state(), SessionState::Down);
}

// 100,000 forged packets within one detection time: each is refused, the session stays, and it is
// the peer's own packets that keep it.
TEST(Sessions, StandAFlood) {
    LinkPair pair;
    pair.come_up();
    const Octets good = changed(pair.last_to_b, kIp + 1, 0xc0);
    for (int i = 0; i < 100; ++i) {
        std::vector<Octets> burst(1'000, good);
        for (std::size_t n = 0; n < burst.size(); ++n) {
            write_be32(&burst[n][kBfd + 8], static_cast<std::uint32_t>(n + 1));
        }
        pair.b.receive(LinkPair::kPortB, burst);
        pair.run(kUs * 3);
    }
    EXPECT_EQ(discards(pair.link_b(), BfdDiscard::YourDiscriminatorUnknown), 100'000u);
    EXPECT_EQ(pair.link_b().counters.flaps, 0u);
    EXPECT_EQ(pair.link_b().session.state(), SessionState::Up);
}

// Polls are answered once per turn, so that a flood of them cannot fill the queue of own frames.
TEST(Sessions, AnswerABurstOfPollsOnce) {
    LinkPair pair;
    pair.come_up();
    const Octets poll = changed(pair.last_to_b, kBfd + 1, 0xe0);  // Up, P
    (void)pair.b.sent(LinkPair::kPortB);
    pair.b.receive(LinkPair::kPortB, std::vector<Octets>(20, poll));
    pair.b.shard->send_session_packets(pair.b.now, *pair.b.effects);
    pair.b.tick();
    const std::vector<Octets> answers = pair.b.sent(LinkPair::kPortB);
    ASSERT_EQ(answers.size(), 1u);
    EXPECT_EQ(answers[0][kBfd + 1], 0xd0);  // Up, F
    EXPECT_EQ(pair.b.all_drops(), pair.b.drops(LinkPair::kPortB, DropReason::ControlConsumed));
}

TEST(Sessions, MeasureThePeersPackets) {
    LinkPair pair;
    pair.come_up();
    pair.run(Interval::milliseconds(500));
    const IntervalHistogram& arrivals = pair.link_a().arrivals;
    EXPECT_GT(arrivals.count(), 5'000u);  // 500 ms / 100 us
    EXPECT_LT(arrivals.count(), 6'700u);  // / 75 us
    EXPECT_GE(arrivals.quantile(500), kUs * 80);
    EXPECT_LE(arrivals.quantile(500), kUs * 100);
}

// The peer's packet waited in the ring while we were away, or was lost there: 500 us away with a
// detection time of 300 us is no failure of the peer.
TEST(Sessions, OwnStallsAreNotThePeers) {
    LinkPair pair;
    pair.come_up();
    SwitchRig& a = pair.a;
    a.now = a.now + kUs * 500;
    a.shard->stalled(a.now, kUs * 500);
    a.tick();
    EXPECT_EQ(pair.link_a().session.state(), SessionState::Up);
    EXPECT_EQ(pair.link_a().counters.stalls, 1u);
    a.now = a.now + kUs * 300;
    a.tick();
    EXPECT_EQ(pair.link_a().session.state(), SessionState::Down);
}

}  // namespace
}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
// Loss and repetition between two ends.
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/roce/virtual_wire.h"
#include "tools/roce/wire.h"

namespace weir::roce {
namespace {

using Psns = std::vector<std::uint32_t>;

WorkRequest send_of(std::uint64_t bytes, std::uint64_t id = 0) {
    return {.id = id, .operation = Operation::Send, .bytes = bytes};
}

Fate lost() {
    return {};
}
Fate arrives() {
    return {Interval{}};
}

// The `n`-th frame (from 0) that leaves `end` is lost, once.
auto lose_nth_from(unsigned end, unsigned n) {
    return [end, n, count = 0u](const Seen& seen, std::size_t) mutable {
        return seen.from == end && count++ == n ? lost() : arrives();
    };
}

// Mirrors a capture between two Soft-RoCE hosts: six SENDs of 8,192 B at MTU 1024 from PSN 4876421,
// the twelfth frame lost. ACK of the first message, NAK of 4876432 with MSN 1, everything from
// there on again in the middle of the message, one ACK for each message.
TEST(GoBackN, RepeatsFromTheLostPsnAsSoftRoceDoes) {
    const QpProfile profile{.mtu_bytes = 1024};
    VirtualWire wire;
    wire.connect(profile, 4'876'421);
    wire.fate = lose_nth_from(0, 11);
    for (unsigned i = 0; i < 6; ++i) wire.post(send_of(8192, i));
    wire.run();

    Psns expected;
    for (std::uint32_t psn = 4'876'421; psn <= 4'876'468; ++psn) expected.push_back(psn);
    const std::vector<Seen> sent = wire.seen_from(0);
    // How many leave before the NAK is there depends on the link; what matters is that the second
    // round begins at the lost PSN and goes to the end.
    const Psns psns = wire.psns_from(0);
    std::size_t back = 1;
    while (back < psns.size() && psns[back] == psns[back - 1] + 1) ++back;
    ASSERT_LT(back, psns.size());
    EXPECT_EQ(psns[back], 4'876'432u);
    EXPECT_EQ(sent[back].frame.bth.opcode, Opcode::SendMiddle);
    EXPECT_EQ(Psns(psns.begin() + static_cast<std::ptrdiff_t>(back), psns.end()),
              Psns(expected.begin() + 11, expected.end()));

    struct Ack {
        std::uint32_t psn;
        unsigned syndrome;
        std::uint32_t msn;
        bool operator==(const Ack&) const = default;
    };
    std::vector<Ack> acks;
    for (const Seen& one : wire.seen_from(1)) {
        acks.push_back({one.frame.bth.psn, one.frame.aeth.syndrome, one.frame.aeth.msn});
    }
    const std::vector<Ack> captured{
        {4'876'428, 0x1f, 1}, {4'876'432, 0x60, 1}, {4'876'436, 0x1f, 2}, {4'876'444, 0x1f, 3},
        {4'876'452, 0x1f, 4}, {4'876'460, 0x1f, 5}, {4'876'468, 0x1f, 6}};
    EXPECT_EQ(acks, captured);
    EXPECT_EQ(wire.ends[1].counters(kQpNumberFirst).naks_sent, 1u);
    EXPECT_EQ(wire.ends[0].counters(kQpNumberFirst).naks_received, 1u);
    EXPECT_EQ(wire.ends[1].counters(kQpNumberFirst).payload_bytes_received, 6u * 8192);
    ASSERT_EQ(wire.completions[0].size(), 6u);
    for (unsigned i = 0; i < 6; ++i) EXPECT_EQ(wire.completions[0][i].id, i);
}

TEST(GoBackN, AsksForAcksOnlyAtTheEndOfMessages) {
    const QpProfile profile{.mtu_bytes = 256};
    VirtualWire wire;
    wire.connect(profile);
    wire.post(send_of(3 * 256));
    wire.run();
    const std::vector<Seen> sent = wire.seen_from(0);
    ASSERT_EQ(sent.size(), 3u);
    EXPECT_FALSE(sent[0].frame.bth.ack_request);
    EXPECT_FALSE(sent[1].frame.bth.ack_request);
    EXPECT_TRUE(sent[2].frame.bth.ack_request);
    EXPECT_EQ(wire.psns_from(1), Psns{102});
}

// PSNs 100..107 with 102 and later 105 lost: one NAK for each gap, however many frames follow.
TEST(GoBackN, SendsOneNakForEachGap) {
    const QpProfile profile{.mtu_bytes = 256};
    VirtualWire wire;
    wire.connect(profile);
    bool first_lost = false;
    bool second_lost = false;
    wire.fate = [&](const Seen& seen, std::size_t) {
        bool& gone = seen.frame.bth.psn == 102 ? first_lost : second_lost;
        const bool hit = seen.from == 0 && !gone &&
                         (seen.frame.bth.psn == 102 ||
                          (first_lost && seen.frame.bth.psn == 105 &&
                           wire.ends[0].counters(kQpNumberFirst).naks_received == 1));
        if (hit) gone = true;
        return hit ? lost() : arrives();
    };
    wire.post(send_of(8 * 256));
    wire.run();
    std::vector<std::uint32_t> naks;
    for (const Seen& one : wire.seen_from(1)) {
        if (one.frame.aeth.syndrome == kSyndromeNakSequence) naks.push_back(one.frame.bth.psn);
    }
    EXPECT_EQ(naks, (Psns{102, 105}));
    EXPECT_GT(wire.ends[1].counters(kQpNumberFirst).out_of_sequence_received, 2u);
    EXPECT_EQ(wire.completions[0].size(), 1u);
}

// The last frame is lost: nothing tells but the timer. 4.096 us * 2^4 = 65.536 us after the last
// acknowledged progress; with none, after the first frame left.
TEST(GoBackN, RepeatsWhatNobodyAcknowledgedAfterTheTimeout) {
    const QpProfile profile{.mtu_bytes = 256, .timeout = ack_timeout(4)};
    VirtualWire wire;
    wire.connect(profile);
    wire.fate = lose_nth_from(0, 0);
    wire.post(send_of(100));
    wire.run();
    const std::vector<Seen> sent = wire.seen_from(0);
    ASSERT_EQ(sent.size(), 2u);
    EXPECT_EQ(sent[1].at - sent[0].at, Interval::nanoseconds(65'536));
    EXPECT_EQ(wire.ends[0].counters(kQpNumberFirst).timeouts, 1u);
    EXPECT_EQ(wire.ends[0].counters(kQpNumberFirst).packets_repeated, 1u);
    EXPECT_EQ(wire.completions[0].size(), 1u);
}

// A retry count of 2 allows two repetitions: three frames, and the third timeout is the end.
TEST(GoBackN, GivesUpWhenTheRetriesAreUsedUp) {
    const QpProfile profile{.mtu_bytes = 256, .timeout = ack_timeout(4), .retry_count = 2};
    VirtualWire wire;
    wire.connect(profile);
    wire.fate = [](const Seen&, std::size_t) { return lost(); };
    wire.post(send_of(100, 7));
    wire.post(send_of(100, 8));
    wire.run();
    EXPECT_EQ(wire.psns_from(0), (Psns{100, 101, 100, 101, 100, 101}));
    EXPECT_EQ(wire.ends[0].state(kQpNumberFirst), QpState::Error);
    ASSERT_EQ(wire.completions[0].size(), 2u);
    EXPECT_EQ(wire.completions[0][0].id, 7u);
    EXPECT_EQ(wire.completions[0][0].status, CompletionStatus::RetryExceeded);
    EXPECT_EQ(wire.completions[0][0].at, Time{3 * 65'536'000});
    EXPECT_EQ(wire.completions[0][1].status, CompletionStatus::Flushed);
    wire.post(send_of(100, 9));
    wire.run();
    ASSERT_EQ(wire.completions[0].size(), 3u);
    EXPECT_EQ(wire.completions[0][2].status, CompletionStatus::Flushed);
}

TEST(GoBackN, NeverGivesUpIfToldSo) {
    const QpProfile profile{
        .mtu_bytes = 256, .timeout = ack_timeout(4), .retry_count = 0, .retry_forever = true};
    VirtualWire wire;
    wire.connect(profile);
    wire.fate = [](const Seen&, std::size_t number) { return number < 50 ? lost() : arrives(); };
    wire.post(send_of(100));
    wire.run();
    EXPECT_EQ(wire.ends[0].counters(kQpNumberFirst).timeouts, 50u);
    ASSERT_EQ(wire.completions[0].size(), 1u);
    EXPECT_EQ(wire.completions[0][0].status, CompletionStatus::Done);
}

// Retries are counted since the last progress. With a count of 1, PSN 100 is lost once, 101 twice
// and 102 three times: three rounds of repetition, each after an ACK.
TEST(GoBackN, CountsRetriesFromTheLastProgress) {
    const QpProfile profile{.mtu_bytes = 256, .timeout = ack_timeout(4), .retry_count = 1};
    VirtualWire wire;
    wire.connect(profile);
    std::vector<unsigned> sent(200);
    wire.fate = [&](const Seen& seen, std::size_t) {
        const std::uint32_t psn = seen.frame.bth.psn;
        return seen.from == 0 && sent.at(psn)++ < psn - 99 ? lost() : arrives();
    };
    for (unsigned i = 0; i < 3; ++i) wire.post(send_of(100, i));
    wire.run();
    EXPECT_EQ(wire.ends[0].counters(kQpNumberFirst).timeouts, 3u);
    EXPECT_EQ(wire.ends[0].state(kQpNumberFirst), QpState::Ready);
    EXPECT_EQ(wire.completions[0].size(), 3u);
}

// Two SENDs of 100 B, the second lost: 158 + 24 B there and 62 + 24 B back at 80 ps a byte and 1 us
// each way; the timer runs from the ACK of the first.
TEST(GoBackN, TheTimerRunsFromTheLastProgress) {
    const QpProfile profile{.mtu_bytes = 256, .timeout = ack_timeout(4)};
    VirtualWire wire;
    wire.connect(profile);
    wire.fate = lose_nth_from(0, 1);
    wire.post(send_of(100));
    wire.post(send_of(100));
    wire.run();
    const std::vector<Seen> sent = wire.seen_from(0);
    ASSERT_EQ(sent.size(), 3u);
    EXPECT_EQ(sent[2].at, Time{(182 + 86) * 80 + 2'000'000 + 65'536'000});
}

// The ACK is lost: the repetition is a duplicate, which is acknowledged again and not taken again.
TEST(GoBackN, AcknowledgesADuplicateAgain) {
    const QpProfile profile{.mtu_bytes = 256, .timeout = ack_timeout(4)};
    VirtualWire wire;
    wire.connect(profile);
    wire.fate = lose_nth_from(1, 0);
    wire.post(send_of(200));
    wire.run();
    EXPECT_EQ(wire.psns_from(0), (Psns{100, 100}));
    EXPECT_EQ(wire.psns_from(1), (Psns{100, 100}));
    EXPECT_EQ(wire.ends[1].counters(kQpNumberFirst).duplicates_received, 1u);
    EXPECT_EQ(wire.ends[1].counters(kQpNumberFirst).payload_bytes_received, 200u);
    EXPECT_EQ(wire.completions[1].size(), 1u);
    EXPECT_EQ(wire.completions[0].size(), 1u);
}

// A second copy of an ACK, and one of a PSN that was never sent, change nothing.
TEST(GoBackN, IgnoresOldAndImpossibleAcks) {
    const QpProfile profile{.mtu_bytes = 256};
    VirtualWire wire;
    wire.connect(profile);
    wire.fate = [](const Seen& seen, std::size_t) {
        return seen.from == 1 ? Fate{Interval{}, Interval::microseconds(3)} : arrives();
    };
    wire.post(send_of(200, 1));
    wire.run();
    wire.post(send_of(200, 2));
    wire.run();
    EXPECT_EQ(wire.ends[0].counters(kQpNumberFirst).acks_received, 4u);
    EXPECT_EQ(wire.completions[0].size(), 2u);

    const std::size_t before = wire.seen.size();
    Frame ack = sample_ipv4({});
    ack.destination_mac = mac_of(0);
    ack.source = ip_of(1);
    ack.destination = ip_of(0);
    ack.bth = {.opcode = Opcode::Acknowledge, .destination_qp = kQpNumberFirst, .psn = 102};
    wire.deliver(0, written(ack));  // 100 and 101 were sent
    wire.run();
    EXPECT_EQ(wire.seen.size(), before);
    EXPECT_EQ(wire.completions[0].size(), 2u);
}

// An ACK of a PSN that is posted and not yet sent must not let it be left out.
TEST(GoBackN, IgnoresTheAckOfWhatIsStillToBeSent) {
    const QpProfile profile{.mtu_bytes = 256, .window_packets = 1};
    VirtualWire wire;
    wire.connect(profile);
    wire.post(send_of(4 * 256));
    wire.run(Time{100});
    Frame ack = sample_ipv4({});
    ack.destination_mac = mac_of(0);
    ack.source = ip_of(1);
    ack.destination = ip_of(0);
    ack.bth = {.opcode = Opcode::Acknowledge, .destination_qp = kQpNumberFirst, .psn = 102};
    wire.deliver(0, written(ack));
    wire.run();
    EXPECT_EQ(wire.psns_from(0), (Psns{100, 101, 102, 103}));
}

// 2^24 - 2, 2^24 - 1, 0, 1, with the loss of the first PSN behind the wrap.
TEST(GoBackN, GoesOnBehindTheLastPsn) {
    const QpProfile profile{.mtu_bytes = 256};
    VirtualWire wire;
    wire.connect(profile, 0xff'fffe);
    wire.fate = lose_nth_from(0, 2);
    wire.post(send_of(4 * 256));
    wire.run();
    EXPECT_EQ(wire.psns_from(0), (Psns{0xff'fffe, 0xff'ffff, 0, 1, 0, 1}));
    EXPECT_EQ(wire.psns_from(1), (Psns{0, 1}));  // NAK of 0, ACK of 1
    EXPECT_EQ(wire.completions[0].size(), 1u);
}

}  // namespace
}  // namespace weir::roce

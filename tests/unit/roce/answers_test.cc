// SPDX-License-Identifier: BSD-3-Clause
// What a responder answers, and when: coalesced ACKs, RNR NAKs, refusals, READ responses.
#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/core/pfc.h"
#include "tests/unit/roce/virtual_wire.h"
#include "tools/roce/requester.h"
#include "tools/roce/wire.h"

namespace weir::roce {
namespace {

using Psns = std::vector<std::uint32_t>;

std::vector<unsigned> syndromes_from(const VirtualWire& wire, unsigned end) {
    std::vector<unsigned> syndromes;
    for (const Seen& one : wire.seen_from(end)) syndromes.push_back(one.frame.aeth.syndrome);
    return syndromes;
}

Bytes numbered(std::size_t count) {
    Bytes bytes(count);
    for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::uint8_t>(i * 7 + i / 256);
    return bytes;
}

WorkRequest send_of(std::uint64_t bytes) {
    return {.operation = Operation::Send, .bytes = bytes};
}

// Every fourth packet, and the last because it asks: of 10 packets 100..109 the ACKs name 103, 107
// and 109.
TEST(AckCoalescing, AnswersEachSoManyPacketsAndWhoAsks) {
    const QpProfile profile{.mtu_bytes = 256, .ack_every = 4};
    VirtualWire wire;
    wire.connect(profile);
    wire.post(send_of(10 * 256));
    wire.run();
    EXPECT_EQ(wire.psns_from(1), (Psns{103, 107, 109}));
}

// The boundary: with 4 packets the fourth asks and is the fourth, which is one ACK, not two.
TEST(AckCoalescing, AnswersOnceIfBothReasonsMeet) {
    const QpProfile profile{.mtu_bytes = 256, .ack_every = 4};
    VirtualWire wire;
    wire.connect(profile);
    wire.post(send_of(4 * 256));
    wire.run();
    EXPECT_EQ(wire.psns_from(1), Psns{103});
}

TEST(AckCoalescing, RequesterAsksEachSoManyPackets) {
    const QpProfile profile{.mtu_bytes = 256, .ack_request_every = 4};
    VirtualWire wire;
    wire.connect(profile, 100);
    wire.post(send_of(10 * 256));
    wire.run();
    // Behind PSN 103, 107 and so on, as 104 and 108 are multiples of 4.
    EXPECT_EQ(wire.psns_from(1), (Psns{103, 107, 109}));
}

// While the ACK waits for the port, it grows: packets that arrive at the same instant share one.
TEST(AckCoalescing, OneAckNamesAllThatHasArrived) {
    const QpProfile profile{.mtu_bytes = 256, .ack_every = 1};
    VirtualWire wire;
    wire.connect(profile);
    wire.fate = [&](const Seen& seen, std::size_t) {
        // Everybody arrives together at 10 us.
        return seen.from == 0 ? Fate{Time{10'000'000} - wire.ends[0].busy_until() - wire.delay}
                              : Fate{Interval{}};
    };
    wire.post(send_of(5 * 256));
    wire.run();
    EXPECT_EQ(wire.psns_from(1), Psns{104});
}

// A full window of 4 packets: the fourth asks, although more is to come, and the rest goes on when
// its ACK is there.
TEST(AckCoalescing, TheLastPacketOfTheWindowAsks) {
    const QpProfile profile{.mtu_bytes = 256, .window_packets = 4};
    VirtualWire wire;
    wire.connect(profile);
    wire.post(send_of(6 * 256));
    wire.run(Time{1'000'000});  // the first has just begun to arrive
    EXPECT_EQ(wire.psns_from(0), (Psns{100, 101, 102, 103}));
    wire.run();
    EXPECT_EQ(wire.psns_from(0), (Psns{100, 101, 102, 103, 104, 105}));
    EXPECT_EQ(wire.psns_from(1), (Psns{103, 105}));
}

// Of a message of two packets the first alone asks for nothing; it is answered after the delay.
TEST(AckCoalescing, AnswersWhatNobodyAskedForAfterTheDelay) {
    const QpProfile profile{.mtu_bytes = 256, .ack_delay = Interval::microseconds(5)};
    VirtualWire wire;
    wire.connect(profile);
    wire.fate = [](const Seen& seen, std::size_t) {
        return seen.frame.bth.psn == 101 ? Fate{} : Fate{Interval{}};
    };
    wire.post(send_of(2 * 256));
    wire.run(Time{50'000'000});
    const std::vector<Seen> answers = wire.seen_from(1);
    ASSERT_EQ(answers.size(), 1u);
    EXPECT_EQ(answers[0].frame.bth.psn, 100u);
    // Ethernet 14 + IP 20 + UDP 8 + BTH 12 + 256 + ICRC 4 = 314, and 24 around it: 338 B at 80 ps,
    // 1 us of link, 5 us of delay.
    EXPECT_EQ(answers[0].at, Time{338 * 80 + 1'000'000 + 5'000'000});
}

// No receive is posted: RNR NAK with code 1 (10 us), and again, until one is.
TEST(ReceiverNotReady, IsAskedAgainAfterItsTime) {
    const QpProfile profile{.mtu_bytes = 256, .receive_queue = true, .rnr_timer = 1};
    VirtualWire wire;
    wire.connect(profile);
    wire.post(send_of(2 * 256));
    wire.run(Time{15'000'000});
    EXPECT_EQ(wire.completions[1].size(), 0u);
    wire.ends[1].post_receive(kQpNumberFirst, {.id = 77});
    wire.run();
    ASSERT_EQ(wire.completions[1].size(), 1u);
    EXPECT_EQ(wire.completions[1][0].id, 77u);
    // 100 is refused and 101 behind it stays unanswered; so again; then one ACK.
    EXPECT_EQ(syndromes_from(wire, 1), (std::vector<unsigned>{0x21, 0x21, 0x1f}));
    const std::vector<Seen> sent = wire.seen_from(0);
    ASSERT_EQ(sent.size(), 6u);
    // 338 B there and 62 + 24 B back at 80 ps, 1 us each way, 10 us of waiting.
    EXPECT_EQ(sent[2].at, Time{338 * 80 + 1'000'000 + 86 * 80 + 1'000'000 + 10'000'000});
}

// A count of 2: three RNR NAKs are too many.
TEST(ReceiverNotReady, GivesUpAfterItsRetries) {
    const QpProfile profile{
        .mtu_bytes = 256, .rnr_retry_count = 2, .receive_queue = true, .rnr_timer = 1};
    VirtualWire wire;
    wire.connect(profile);
    wire.post(send_of(100));
    wire.run();
    EXPECT_EQ(wire.psns_from(0), (Psns{100, 100, 100}));
    ASSERT_EQ(wire.completions[0].size(), 1u);
    EXPECT_EQ(wire.completions[0][0].status, CompletionStatus::RnrRetryExceeded);
}

TEST(ReceiverNotReady, WaitsAsTheStandardsTableSays) {
    EXPECT_EQ(rnr_wait(0), Interval::microseconds(655'360));
    EXPECT_EQ(rnr_wait(1), Interval::microseconds(10));
    EXPECT_EQ(rnr_wait(12), Interval::microseconds(640));
    EXPECT_EQ(rnr_wait(31), Interval::microseconds(491'520));
}

class RemoteMemory : public testing::Test {
  public:
    RemoteMemory() {
        wire.connect(profile);
        wire.ends[1].add_memory(
            {.key = VirtualWire::kKey, .address = 0x1000, .bytes = std::span(remote)});
    }
    WorkRequest request(Operation operation, std::uint64_t address, std::size_t bytes) {
        return {.operation = operation,
                .bytes = bytes,
                .remote_address = address,
                .remote_key = VirtualWire::kKey,
                .local = std::span(local).first(bytes)};
    }

    // The response with this PSN is lost, once.
    static auto lose_response(std::uint32_t psn) {
        return [psn, gone = false](const Seen& seen, std::size_t) mutable {
            if (gone || seen.from == 0 || seen.frame.bth.psn != psn) return Fate{Interval{}};
            gone = true;
            return Fate{};
        };
    }

    const QpProfile profile{.mtu_bytes = 256, .timeout = ack_timeout(4)};
    VirtualWire wire;
    Bytes remote = Bytes(2048);
    Bytes local = numbered(2048);
};

TEST_F(RemoteMemory, IsWrittenWhereTheRethSays) {
    wire.post(request(Operation::Write, 0x1000 + 100, 1000));
    wire.run();
    Bytes expected(2048);
    std::copy_n(local.begin(), 1000, expected.begin() + 100);
    EXPECT_EQ(remote, expected);
    ASSERT_EQ(wire.completions[1].size(), 1u);
    EXPECT_EQ(wire.completions[1][0].bytes, 1000u);
}

// The last byte of the region is in, the one behind it is not.
TEST_F(RemoteMemory, EndsWithItsLastByte) {
    wire.post(request(Operation::Write, 0x1000 + 1024, 1024));
    wire.run();
    EXPECT_EQ(wire.completions[0].at(0).status, CompletionStatus::Done);
    wire.post(request(Operation::Write, 0x1000 + 1025, 1024));
    wire.run();
    EXPECT_EQ(wire.completions[0].at(1).status, CompletionStatus::RemoteAccessError);
    EXPECT_EQ(syndromes_from(wire, 1), (std::vector<unsigned>{0x1f, 0x62}));
    EXPECT_EQ(wire.ends[0].state(kQpNumberFirst), QpState::Error);
}

TEST_F(RemoteMemory, IsReadInResponsesOfOneMtu) {
    std::ranges::copy(numbered(2048), remote.begin());
    local.assign(2048, 0);
    wire.post(request(Operation::Read, 0x1000, 700));
    wire.post(send_of(0));
    wire.run();
    EXPECT_TRUE(std::equal(local.begin(), local.begin() + 700, remote.begin()));
    // The READ takes 3 PSNs for its 3 responses; the SEND behind it has 103 and is acknowledged
    // behind them.
    EXPECT_EQ(wire.psns_from(0), (Psns{100, 103}));
    EXPECT_EQ(wire.psns_from(1), (Psns{100, 101, 102, 103}));
    const std::vector<Seen> responses = wire.seen_from(1);
    EXPECT_EQ(responses[0].frame.bth.opcode, Opcode::ReadResponseFirst);
    EXPECT_EQ(responses[1].frame.bth.opcode, Opcode::ReadResponseMiddle);
    EXPECT_EQ(responses[2].frame.bth.opcode, Opcode::ReadResponseLast);
    EXPECT_EQ(responses[3].frame.bth.opcode, Opcode::Acknowledge);
    EXPECT_EQ(responses[3].frame.aeth.msn, 2u);
    EXPECT_EQ(wire.completions[0].size(), 2u);
}

// Response 101 of 100..107 is lost: the hole asks for the rest, from there on and once, and the
// answer begins with a "first" again.
TEST_F(RemoteMemory, IsReadAgainFromALostResponseOn) {
    std::ranges::copy(numbered(2048), remote.begin());
    local.assign(2048, 0);
    wire.post(request(Operation::Read, 0x1000, 2000));
    wire.fate = lose_response(101);
    wire.run();
    EXPECT_EQ(wire.psns_from(0), (Psns{100, 101}));
    const std::vector<Seen> requests = wire.seen_from(0);
    EXPECT_EQ(requests[1].frame.reth.address, 0x1000u + 256);
    EXPECT_EQ(requests[1].frame.reth.length_bytes, 2000u - 256);
    EXPECT_EQ(wire.seen_from(1)[8].frame.bth.opcode, Opcode::ReadResponseFirst);
    EXPECT_TRUE(std::equal(local.begin(), local.begin() + 2000, remote.begin()));
    EXPECT_EQ(wire.ends[0].counters(kQpNumberFirst).timeouts, 0u);
}

// The responder is still at the first answer when the READ is repeated: it leaves that and begins
// anew, so that each PSN behind the lost one comes in order and once.
TEST_F(RemoteMemory, ARepeatedReadTakesThePlaceOfTheFirst) {
    wire.ends[1] = HostPort({.mac = mac_of(1), .ip = ip_of(1)});  // without regions: any length
    wire.ends[0] = HostPort({.mac = mac_of(0), .ip = ip_of(0)});
    wire.connect(profile);
    wire.fate = lose_response(101);
    wire.post({.operation = Operation::Read, .bytes = 1000 * 256});
    wire.run();
    const Psns psns = wire.psns_from(1);
    std::size_t back = 1;
    while (back < psns.size() && psns[back] == psns[back - 1] + 1) ++back;
    ASSERT_LT(back, 200u);  // 2 us of a link that carries a response each 27 ns
    Psns expected(1000 - 1);
    std::iota(expected.begin(), expected.end(), 101u);
    EXPECT_EQ(Psns(psns.begin() + static_cast<std::ptrdiff_t>(back), psns.end()), expected);
    EXPECT_EQ(wire.completions[0].size(), 1u);
}

// The ACK of the WRITE has another priority and overtakes the data of the READ: nothing is lost,
// nothing is repeated, and both are done when the data is there.
TEST(Read, AnAckOfAnotherPriorityMayOvertakeTheData) {
    const QpProfile profile{.mtu_bytes = 256, .ack_priority = 5};
    VirtualWire wire;
    wire.connect(profile);
    wire.fate = [](const Seen& seen, std::size_t) {
        const bool data = seen.frame.bth.opcode == Opcode::ReadResponseOnly;
        return Fate{data ? Interval::microseconds(5) : Interval{}};
    };
    wire.post({.operation = Operation::Read, .bytes = 100});
    wire.post({.operation = Operation::Write, .bytes = 100});
    wire.run();
    EXPECT_EQ(wire.psns_from(0), (Psns{100, 101}));
    ASSERT_EQ(wire.completions[0].size(), 2u);
    EXPECT_EQ(wire.completions[0][0].at, wire.completions[0][1].at);
}

// The ACK of the SEND is not sent yet when the READ arrives: the response says it all.
TEST(Read, ItsLastResponseAcknowledgesWhatWasBeforeIt) {
    const QpProfile profile{.mtu_bytes = 256};
    VirtualWire wire;
    wire.connect(profile);
    wire.fate = [&](const Seen& seen, std::size_t) {
        return seen.from == 0 ? Fate{Time{10'000'000} - wire.ends[0].busy_until() - wire.delay}
                              : Fate{Interval{}};
    };
    wire.post(send_of(100));
    wire.post({.operation = Operation::Read, .bytes = 100});
    wire.run();
    EXPECT_EQ(wire.psns_from(1), Psns{101});
    EXPECT_EQ(wire.completions[0].size(), 2u);
}

// The only response is lost, and the ACK of the WRITE behind it arrives: that implies the loss.
TEST_F(RemoteMemory, AnAckBehindAReadSaysThatItsDataIsLost) {
    bool gone = false;
    wire.fate = [&](const Seen& seen, std::size_t) {
        if (gone || seen.from == 0) return Fate{Interval{}};
        gone = true;
        return Fate{};
    };
    wire.post(request(Operation::Read, 0x1000, 100));
    wire.post(request(Operation::Write, 0x1200, 100));
    wire.run();
    EXPECT_EQ(wire.ends[0].counters(kQpNumberFirst).timeouts, 0u);
    EXPECT_EQ(wire.psns_from(0), (Psns{100, 101, 100, 101}));
    EXPECT_EQ(wire.completions[0].size(), 2u);
    EXPECT_EQ(wire.completions[0][0].operation, Operation::Read);
}

// Two may be outstanding: the third waits for the data of the first.
TEST(Read, KeepsToTheNumberThatMayBeOutstanding) {
    const QpProfile profile{.mtu_bytes = 256, .reads_outstanding_max = 2};
    VirtualWire wire;
    wire.connect(profile);
    for (unsigned i = 0; i < 3; ++i) wire.post({.operation = Operation::Read, .bytes = 256});
    wire.run(Time{1'500'000});
    EXPECT_EQ(wire.psns_from(0), (Psns{100, 101}));
    wire.run();
    EXPECT_EQ(wire.psns_from(0), (Psns{100, 101, 102}));
    EXPECT_EQ(wire.completions[0].size(), 3u);
}

// A "middle" without a "first" is refused as an invalid request.
TEST(Responder, RefusesWhatBeginsInTheMiddle) {
    const QpProfile profile{.mtu_bytes = 256};
    VirtualWire wire;
    wire.connect(profile, 100, 500);
    const Bytes payload(256);
    Frame middle = sample_ipv4(payload);
    middle.destination_mac = mac_of(1);
    middle.source = ip_of(0);
    middle.destination = ip_of(1);
    middle.bth = {.opcode = Opcode::SendMiddle, .destination_qp = kQpNumberFirst, .psn = 100};
    wire.deliver(1, written(middle));
    wire.run();
    EXPECT_EQ(syndromes_from(wire, 1), std::vector<unsigned>{0x61});
    EXPECT_EQ(wire.ends[1].state(kQpNumberFirst), QpState::Error);
}

// A message has at most 2^31 bytes: a READ of that is answered, one of a byte more refused.
TEST(Responder, RefusesAMessageOfMoreThanTheLongest) {
    for (const std::uint32_t more : {0u, 1u}) {
        const QpProfile profile{.mtu_bytes = 4096};
        VirtualWire wire;
        wire.connect(profile);
        Frame read = sample_ipv4({});
        read.destination_mac = mac_of(1);
        read.source = ip_of(0);
        read.destination = ip_of(1);
        read.bth = {.opcode = Opcode::ReadRequest, .destination_qp = kQpNumberFirst, .psn = 100};
        read.reth = {.length_bytes = (1u << 31) + more};
        wire.deliver(1, written(read));
        wire.run(Time{1000});
        ASSERT_EQ(wire.seen_from(1).size(), 1u);
        EXPECT_EQ(wire.seen_from(1)[0].frame.bth.opcode,
                  more == 0 ? Opcode::ReadResponseFirst : Opcode::Acknowledge);
        EXPECT_EQ(wire.seen_from(1)[0].frame.aeth.syndrome, more == 0 ? 0x1f : 0x61);
    }
}

// The RETH announces 100 B and the only packet has 64.
TEST(Responder, RefusesAWriteOfAnotherLengthThanAnnounced) {
    const QpProfile profile{.mtu_bytes = 256};
    VirtualWire wire;
    wire.connect(profile);
    const Bytes payload(64);
    Frame write = sample_ipv4(payload);
    write.destination_mac = mac_of(1);
    write.source = ip_of(0);
    write.destination = ip_of(1);
    write.bth = {.opcode = Opcode::WriteOnly, .destination_qp = kQpNumberFirst, .psn = 100};
    write.reth = {.length_bytes = 100};
    wire.deliver(1, written(write));
    wire.run();
    EXPECT_EQ(syndromes_from(wire, 1), std::vector<unsigned>{0x61});
}

// The answers are paused for 10.24 us, and 101 comes before 100, which is 5 us late.
class PausedAnswers : public testing::Test {
  public:
    PausedAnswers() {
        wire.connect(profile);
        PfcTimes times;
        times.enabled = 1 << 3;
        times.quanta.fill(2000);
        std::array<std::uint8_t, kPfcFrameBytes> pause{};
        write_pfc_frame(pause, weir::MacAddress{2}, times);
        wire.deliver(1, pause);
    }

    const QpProfile profile{.mtu_bytes = 256};
    VirtualWire wire;
};

// By the time the NAK may leave it is 101 that is missing, and the NAK says so.
TEST_F(PausedAnswers, ANakNamesWhatIsMissingWhenItLeaves) {
    wire.fate = [](const Seen& seen, std::size_t) {
        return Fate{seen.frame.bth.psn == 100 ? Interval::microseconds(5) : Interval{}};
    };
    wire.post(send_of(2 * 256));
    wire.run();
    EXPECT_EQ(wire.psns_from(1), (Psns{101, 101}));
    EXPECT_EQ(syndromes_from(wire, 1), (std::vector<unsigned>{0x60, 0x1f}));
    EXPECT_EQ(wire.seen_from(1)[0].at, Time{10'240'000});
    EXPECT_EQ(wire.ends[0].counters(kQpNumberFirst).timeouts, 0u);
}

// 101 comes again behind 100: nothing is missing, and the answer is an ACK.
TEST_F(PausedAnswers, ANakBecomesAnAckIfTheGapCloses) {
    wire.fate = [](const Seen& seen, std::size_t) {
        return seen.frame.bth.psn == 100 ? Fate{Interval::microseconds(5)}
                                         : Fate{Interval{}, Interval::microseconds(6)};
    };
    wire.post(send_of(2 * 256));
    wire.run(Time{12'000'000});
    EXPECT_EQ(wire.psns_from(1), Psns{101});
    EXPECT_EQ(syndromes_from(wire, 1), std::vector<unsigned>{0x1f});
}

TEST(Responder, GivesTheImmediateToTheReceiver) {
    const QpProfile profile{.mtu_bytes = 256};
    VirtualWire wire;
    wire.connect(profile);
    wire.post({.operation = Operation::Write, .bytes = 300, .immediate = 0xfeed});
    wire.post({.operation = Operation::Send, .bytes = 30, .immediate = 0xbeef});
    wire.run();
    ASSERT_EQ(wire.completions[1].size(), 2u);
    EXPECT_EQ(wire.completions[1][0].immediate, 0xfeedu);
    EXPECT_EQ(wire.completions[1][1].immediate, 0xbeefu);
    EXPECT_EQ(wire.seen_from(0)[1].frame.bth.opcode, Opcode::WriteLastImmediate);
    EXPECT_EQ(wire.seen_from(0)[2].frame.bth.opcode, Opcode::SendOnlyImmediate);
}

TEST(Responder, DropsAFrameWhoseIcrcIsWrong) {
    const QpProfile profile{.mtu_bytes = 256};
    VirtualWire wire;
    wire.connect(profile);
    Frame only = sample_ipv4({});
    only.destination_mac = mac_of(1);
    only.source = ip_of(0);
    only.destination = ip_of(1);
    only.bth = {.opcode = Opcode::SendOnly, .destination_qp = kQpNumberFirst, .psn = 100};
    Bytes bytes = written(only);
    ++bytes[14 + 20 + 8 + 12];  // the first byte of the ICRC, as there is no payload
    wire.deliver(1, bytes);
    EXPECT_EQ(wire.ends[1].counters().icrc_wrong, 1u);
    EXPECT_EQ(wire.ends[1].completions().size(), 0u);
    --bytes[14 + 20 + 8 + 12];
    wire.deliver(1, bytes);
    EXPECT_EQ(wire.ends[1].completions().size(), 1u);
}

}  // namespace
}  // namespace weir::roce

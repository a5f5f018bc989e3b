// SPDX-License-Identifier: BSD-3-Clause
// What a port sends when: line rate, turns, pauses, rates, CNPs.
#include <array>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/core/pfc.h"
#include "tests/unit/roce/virtual_wire.h"

namespace weir::roce {
namespace {

// A frame of 256 B of payload takes 14 + 20 + 8 + 12 + 256 + 4 + 24 = 338 B on the link, at 100
// Gb/s 27,040 ps. A SEND has no more headers.
constexpr Interval kFrameTime{338 * 80};

WorkRequest send_of(std::uint64_t bytes) {
    return {.operation = Operation::Send, .bytes = bytes};
}

Bytes pfc(std::uint8_t enabled, std::uint16_t quanta) {
    PfcTimes times;
    times.enabled = enabled;
    times.quanta.fill(quanta);
    std::array<std::uint8_t, kPfcFrameBytes> bytes{};
    write_pfc_frame(bytes, weir::MacAddress{0x0200'0000'00ff}, times);
    return {bytes.begin(), bytes.end()};
}

std::vector<Time> times_from(const VirtualWire& wire, unsigned end) {
    std::vector<Time> times;
    for (const Seen& one : wire.seen_from(end)) times.push_back(one.at);
    return times;
}

TEST(HostPort, SendsAtLineRateWithoutAGap) {
    const QpProfile profile{.mtu_bytes = 256};
    VirtualWire wire;
    wire.connect(profile);
    wire.post(send_of(4 * 256));
    wire.run();
    EXPECT_EQ(times_from(wire, 0),
              (std::vector<Time>{Time{0}, Time{} + kFrameTime, Time{} + kFrameTime * 2,
                                 Time{} + kFrameTime * 3}));
}

// At 3 Gb/s a byte takes 2,666.67 ps, and 338 B 901,333.3 ps: rounded up, never faster than the
// link.
TEST(HostPort, RoundsUpWhereAByteIsNotWholePicoseconds) {
    const QpProfile profile{.mtu_bytes = 256};
    VirtualWire wire({.speed_bps = 3'000'000'000});
    wire.connect(profile);
    wire.post(send_of(2 * 256));
    wire.run();
    EXPECT_EQ(times_from(wire, 0), (std::vector<Time>{Time{0}, Time{901'334}}));
}

TEST(HostPort, SaysWhenItIsToBeAskedAgain) {
    const QpProfile profile{.mtu_bytes = 256, .timeout = ack_timeout(4)};
    VirtualWire wire;
    wire.connect(profile);
    HostPort& port = wire.ends[0];
    std::array<std::uint8_t, kFrameBytesMax> room{};
    EXPECT_FALSE(port.next_deadline());
    EXPECT_FALSE(port.next(Time{}, room));
    port.post(Time{}, kQpNumberFirst, send_of(2 * 256));
    EXPECT_EQ(port.next_deadline(), Time{0});
    EXPECT_TRUE(port.next(Time{}, room));
    EXPECT_EQ(port.next_deadline(), Time{} + kFrameTime);
    EXPECT_FALSE(port.next(Time{} + kFrameTime - Interval{1}, room));
    EXPECT_TRUE(port.next(Time{} + kFrameTime, room));
    EXPECT_FALSE(port.next(Time{} + kFrameTime * 2, room));
    EXPECT_EQ(port.next_deadline(), Time{65'536'000});  // the timeout
}

// Two queue pairs of one priority send in turn; a third of another priority gets every second turn.
TEST(HostPort, QueuePairsAndPrioritiesTakeTurns) {
    const QpProfile three{.mtu_bytes = 256, .priority = 3};
    const QpProfile four{.mtu_bytes = 256, .priority = 4};
    VirtualWire wire;
    const std::array<QpNumber, 3> qps{wire.connect(three), wire.connect(three), wire.connect(four)};
    for (const QpNumber qp : qps) wire.post(send_of(4 * 256), 0, qp);
    wire.run();
    std::vector<QpNumber> order;
    for (const Seen& one : wire.seen_from(0)) order.push_back(one.out.qp);
    const QpNumber a = qps[0];
    const QpNumber b = qps[1];
    const QpNumber c = qps[2];
    EXPECT_EQ(order, (std::vector<QpNumber>{a, c, b, c, a, c, b, c, a, b, a, b}));
}

// With 1 us of response a pause heard at 10 us holds from 11 us on. A quantum is 5.12 ns: 1,000
// quanta end at 11 + 5.12 = 16.12 us. A frame may start a picosecond before 11 us, none at 11 us,
// none a picosecond before 16.12 us, and one at 16.12 us.
class PauseResponse : public testing::Test {
  public:
    PauseResponse() : wire({.pause_response = Interval::microseconds(1)}) {
        wire.connect(profile);
        wire.now = Time{10'000'000};
        wire.post(send_of(100 * 256));
    }
    bool sends(Time at) { return wire.ends[0].next(at, room).has_value(); }

    const QpProfile profile{.mtu_bytes = 256};
    VirtualWire wire;
    std::array<std::uint8_t, kFrameBytesMax> room{};
};

TEST_F(PauseResponse, LetsAFrameGoJustBefore) {
    wire.deliver(0, pfc(1 << 3, 1000));
    EXPECT_TRUE(sends(Time{11'000'000 - 1}));
    EXPECT_FALSE(sends(Time{11'000'000 - 1} + kFrameTime));
}

TEST_F(PauseResponse, HoldsFromItsBoundaryToItsEnd) {
    wire.deliver(0, pfc(1 << 3, 1000));
    EXPECT_FALSE(sends(Time{11'000'000}));
    EXPECT_EQ(wire.ends[0].next_deadline(), Time{16'120'000});
    EXPECT_FALSE(sends(Time{16'120'000 - 1}));
    EXPECT_TRUE(sends(Time{16'120'000}));
}

TEST_F(PauseResponse, ResumesAtOnceOnTimeZeroButForTheResponse) {
    wire.deliver(0, pfc(1 << 3, 65'535));
    EXPECT_FALSE(sends(Time{12'000'000}));
    wire.now = Time{13'000'000};
    wire.deliver(0, pfc(1 << 3, 0));
    EXPECT_FALSE(sends(Time{14'000'000 - 1}));
    EXPECT_EQ(wire.ends[0].next_deadline(), Time{14'000'000});
    EXPECT_TRUE(sends(Time{14'000'000}));
}

TEST_F(PauseResponse, DoesNotStopOtherPrioritiesNorClassesThatAreNotEnabled) {
    wire.deliver(0, pfc(1 << 4, 65'535));
    EXPECT_TRUE(sends(Time{12'000'000}));
    wire.deliver(0, pfc(0, 65'535));
    EXPECT_TRUE(sends(Time{13'000'000}));
    EXPECT_EQ(wire.ends[0].counters().pause_frames_received, 2u);
}

TEST(HostPort, DoesNotObeyPausesOfAPriorityWithoutPfc) {
    const QpProfile profile{.mtu_bytes = 256};
    VirtualWire wire({.pfc_priorities = 1 << 4});
    wire.connect(profile);
    wire.post(send_of(256));
    wire.deliver(0, pfc(0xff, 65'535));
    wire.run(Time{1000});
    EXPECT_EQ(wire.seen_from(0).size(), 1u);
}

TEST(HostPort, CountsButDoesNotObeyPauseOfTheWholeLink) {
    const QpProfile profile{.mtu_bytes = 256};
    VirtualWire wire;
    wire.connect(profile);
    wire.post(send_of(256));
    Bytes pause = pfc(0xff, 65'535);
    pause[14] = 0x00;  // opcode 0x0001
    wire.deliver(0, pause);
    wire.run(Time{1000});
    EXPECT_EQ(wire.seen_from(0).size(), 1u);
    EXPECT_EQ(wire.ends[0].counters().link_pauses_received, 1u);
    EXPECT_EQ(wire.ends[0].counters().pause_frames_received, 0u);
}

// Frames marked CE on the way, all the time for 120 us: CNPs at the first, 50 and 100 us later.
TEST(HostPort, AnswersMarksWithOneCnpPerIntervalAndQueuePair) {
    const QpProfile profile{.mtu_bytes = 1024};
    VirtualWire wire({.frame_kind = FrameKind::HeadersOnly});
    wire.connect(profile);
    wire.connect(profile);
    // 1,106 B at 80 ps: 88.48 ns a frame; 1,400 frames take 123.9 us.
    wire.post(send_of(700 * 1024), 0, kQpNumberFirst);
    wire.post(send_of(700 * 1024), 0, kQpNumberFirst + 1);
    wire.mark_ce = true;
    wire.run();
    std::array<std::vector<Time>, 2> cnps;
    for (const Seen& one : wire.seen_from(1)) {
        if (one.frame.bth.opcode != Opcode::CongestionNotification) continue;
        cnps[one.out.qp - kQpNumberFirst].push_back(one.at);
        EXPECT_TRUE(one.frame.bth.becn);
        EXPECT_EQ(one.frame.dscp, 48);
        EXPECT_EQ(one.frame.ecn, kEcnNotCapable);
        EXPECT_EQ(one.out.length, 14 + 60);  // IP length 60
        EXPECT_EQ(one.out.priority, 6);
    }
    for (const std::vector<Time>& of_one : cnps) {
        ASSERT_EQ(of_one.size(), 3u);
        EXPECT_GE(of_one[1] - of_one[0], Interval::microseconds(50));
        EXPECT_LT(of_one[1] - of_one[0], Interval::microseconds(51));
    }
    EXPECT_EQ(wire.ends[0].counters(kQpNumberFirst).cnps_received, 3u);
}

// The CNP's priority is paused for 102.4 us while marks go on: one CNP waits, not three.
TEST(HostPort, ACnpThatWaitsStandsForTheMarksMeanwhile) {
    const QpProfile profile{.mtu_bytes = 1024};
    VirtualWire wire({.frame_kind = FrameKind::HeadersOnly});
    wire.connect(profile);
    wire.mark_ce = true;
    wire.deliver(1, pfc(1 << 6, 20'000));
    wire.post(send_of(1400 * 1024));
    wire.run(Time{103'000'000});
    EXPECT_EQ(wire.ends[1].counters(kQpNumberFirst).cnps_sent, 1u);
}

// A CNP halves 100 Gb/s: from then on the queue pair starts a frame each 2 * 27,040 ps. Another
// queue pair gets what it leaves: at 54,080 ps the first is due but it is the other's turn, so its
// second frame leaves at 81,120; its third is due at 108,160 nevertheless, and it gets its half.
TEST(HostPort, PacesEachQueuePairAtItsRate) {
    QpProfile profile{.mtu_bytes = 256, .dcqcn_on = true};
    profile.dcqcn = dcqcn_paper(100'000'000'000);
    VirtualWire wire;
    wire.connect(profile);
    wire.connect(profile);
    Frame cnp = sample_ipv4({});
    cnp.destination_mac = mac_of(0);
    cnp.source = ip_of(1);
    cnp.destination = ip_of(0);
    cnp.bth = {
        .opcode = Opcode::CongestionNotification, .becn = true, .destination_qp = kQpNumberFirst};
    wire.deliver(0, written(cnp));
    EXPECT_EQ(wire.ends[0].rate_bps(wire.now, kQpNumberFirst), 50'000'000'000u);
    wire.post(send_of(4 * 256), 0, kQpNumberFirst);
    wire.run(Time{900'000});
    wire.now = Time{900'000};
    EXPECT_EQ(times_from(wire, 0),
              (std::vector<Time>{Time{0}, Time{2 * 27'040}, Time{4 * 27'040}, Time{6 * 27'040}}));
    wire.post(send_of(4 * 256), 0, kQpNumberFirst);
    wire.post(send_of(4 * 256), 0, kQpNumberFirst + 1);
    const std::size_t before = wire.seen.size();
    wire.run(Time{1'200'000});
    std::vector<QpNumber> order;
    for (std::size_t i = before; i < wire.seen.size(); ++i) {
        if (wire.seen[i].from == 0) order.push_back(wire.seen[i].out.qp);
    }
    EXPECT_EQ(order, (std::vector<QpNumber>{16, 17, 17, 16, 17, 16, 17, 16}));
}

// At 10 Gb/s a frame of 314 B takes 251.2 ns to drain and arrives each 27.04 ns. Above 10,000 B the
// sender is paused; at 5,000 B, which last 4 us, it is resumed, and the first frame is there 2 us
// later.
TEST(SlowReceiver, PausesAboveXoffAndResumesAtXon) {
    const QpProfile profile{.mtu_bytes = 256};
    VirtualWire wire;
    wire.connect(profile);
    wire.ends[1].set_receiver(Time{}, {.drain_bps = 10'000'000'000,
                                       .xoff_bytes = 10'000,
                                       .xon_bytes = 5'000,
                                       .capacity_bytes = 40'000});
    wire.post(send_of(2000 * 256));
    wire.run();
    EXPECT_EQ(wire.ends[1].counters().receiver_full, 0u);
    EXPECT_EQ(wire.completions[0].size(), 1u);
    std::vector<Seen> pauses;
    for (const Seen& one : wire.seen_from(1)) {
        if (one.out.qp == 0) pauses.push_back(one);
    }
    ASSERT_GE(pauses.size(), 2u);
    // The n-th frame arrives at 1 us + n * 27.04 ns and 33.8 B drain between two: they hold 314 +
    // (n - 1) * 280.2 B, at the 35th 9,840.8, at the 36th 10,121.
    EXPECT_EQ(pauses[0].at, Time{1'000'000 + 36 * 27'040});
    EXPECT_EQ(pauses[0].out.length, 60);
    EXPECT_EQ(pauses[0].out.priority, 7);
    EXPECT_EQ(wire.ends[0].counters().pause_frames_received, pauses.size());
    // 2,000 frames of 314 B at 10 Gb/s take 502.4 us: the pauses cost nothing in the end.
    EXPECT_LT(wire.completions[0][0].at, Time{506'000'000});
}

// Room for one frame of 314 B, which drains in 2.5 us; no pauses. The second of two is lost, and
// again behind the repetition of the first, for nobody had asked for an ACK of that alone; the
// third time it comes alone.
TEST(SlowReceiver, AFrameThatIsDroppedIsRepeated) {
    const QpProfile profile{.mtu_bytes = 256, .timeout = ack_timeout(4)};
    VirtualWire wire;
    wire.connect(profile);
    wire.ends[1].set_receiver(Time{}, {.drain_bps = 1'000'000'000, .capacity_bytes = 400});
    wire.post(send_of(2 * 256));
    wire.run();
    EXPECT_EQ(wire.psns_from(0), (std::vector<std::uint32_t>{100, 101, 100, 101, 101}));
    EXPECT_EQ(wire.ends[1].counters().receiver_full, 2u);
    EXPECT_EQ(wire.completions[0].size(), 1u);
}

TEST(HostPort, AnswersWhoAsksForItsAddress) {
    VirtualWire wire;
    const Bytes request = from_hex(
        "ffffffffffff02000000000a0806"
        "000108000604000102000000000a0a4d00fe0000000000000a4d0001"
        "000000000000000000000000000000000000");
    wire.deliver(0, request);
    std::array<std::uint8_t, kFrameBytesMax> room{};
    const std::optional<OutFrame> reply = wire.ends[0].next(wire.now, room);
    ASSERT_TRUE(reply);
    EXPECT_EQ(Bytes(room.begin(), room.begin() + reply->readable),
              from_hex("02000000000a0200000000010806"
                       "00010800060400020200000000010a4d000102000000000a0a4d00fe"
                       "000000000000000000000000000000000000"));
    wire.deliver(1, request);  // asks for the other end
    EXPECT_FALSE(wire.ends[1].next(wire.now, room));
}

TEST(HostPort, CountsWhatItCannotUse) {
    VirtualWire wire;
    Frame frame = sample_ipv4({});
    frame.destination_mac = mac_of(0);
    frame.destination = ip_of(0);
    frame.bth.destination_qp = kQpNumberFirst;
    wire.deliver(0, written(frame));
    EXPECT_EQ(wire.ends[0].counters().unknown_qp, 1u);
    frame.destination = ip_of(1);
    wire.deliver(0, written(frame));
    EXPECT_EQ(wire.ends[0].counters().not_for_us, 1u);
    wire.deliver(0, Bytes(13));
    EXPECT_EQ(wire.ends[0].counters().malformed, 1u);
}

}  // namespace
}  // namespace weir::roce

// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/pause.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "dataplane/core/wire.h"
#include "tests/unit/core/switch_rig.h"

namespace weir {
namespace {

constexpr const char* kTwoPorts = R"(
switch: { name: rig }
ports:
  - { name: a, device: "net_null0" }
  - { name: b, device: "net_null1" }
)";

// Frames of 1,000 bytes on priority 3 of port 0: the fifth reaches the threshold, three fit into
// the headroom, and the group resumes at 3,000 bytes.
void make_lossless(CompiledTables& tables) {
    tables.groups[group_of(0, 3)] = {.headroom_bytes = 3'000,
                                     .xon_offset_bytes = 2'000,
                                     .shared_limit_bytes = 5'000,
                                     .dynamic = false,
                                     .lossless = true};
    tables.ports[0].pfc_priorities = 1u << 3;
    tables.ports[1].pfc_priorities = 1u << 3;
}

Octets data(std::uint8_t dscp = 26) {
    return udp({.dscp = dscp, .bytes = 1'000});
}

Octets pfc(std::uint16_t enabled, std::array<std::uint16_t, 8> quanta,
           MacAddress source = {0x0a00'0000'0077}) {
    Octets bytes(60);
    write_pfc_frame(std::span<std::uint8_t, kPfcFrameBytes>(bytes), source,
                    {static_cast<std::uint8_t>(enabled), quanta});
    return bytes;
}

bool is_pfc(const Octets& frame) {
    return frame[12] == 0x88 && frame[13] == 0x08;
}

std::vector<Octets> pfc_of(const std::vector<Octets>& frames) {
    std::vector<Octets> some;
    std::copy_if(frames.begin(), frames.end(), std::back_inserter(some), is_pfc);
    return some;
}

// A quantum is 512 bit times: 5.12 ns at 100 Gb/s, 51.2 ns at 10 Gb/s; 65,535 of them.
TEST(Pfc, QuantaAreBitTimesOfThePort) {
    EXPECT_EQ(pause_interval(1, 100'000'000'000).ps, 5'120);
    EXPECT_EQ(pause_interval(65'535, 100'000'000'000).ps, 335'539'200);
    EXPECT_EQ(pause_interval(65'535, 10'000'000'000).ps, 3'355'392'000);
    EXPECT_EQ(pause_interval(65'535, 400'000'000'000).ps, 83'884'800);
    EXPECT_EQ(pause_interval(0, 100'000'000'000).ps, 0);
}

// A1: destination, source, EtherType, opcode, vector, eight times, zeros up to 60 B.
TEST(Pfc, FrameHasTheRightBytes) {
    Octets bytes(60, 0xee);
    write_pfc_frame(std::span<std::uint8_t, kPfcFrameBytes>(bytes), {0x0201'0203'0405},
                    {0x18, {0, 0, 0, 0xffff, 0, 0, 0, 0}});
    Octets expected = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x01, 0x02, 0x01, 0x02, 0x03, 0x04, 0x05,
                       0x88, 0x08, 0x01, 0x01, 0x00, 0x18, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
                       0xff, 0xff, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};
    expected.resize(60);
    EXPECT_EQ(bytes, expected);
}

TEST(Pfc, TruncatedAtEveryByte) {
    const Octets whole = pfc(0x08, {0, 0, 0, 7, 0, 0, 0, 0});
    for (std::uint16_t length = 14; length <= 60; ++length) {
        Octets bytes(whole.begin(), whole.begin() + length);
        const Frame frame{.data = bytes.data(), .length = length, .readable = length};
        PfcTimes times;
        const MacControlKind kind = read_mac_control(frame, 14, times);
        // 14 Ethernet + 2 opcode + 2 vector + 16 times = 34.
        EXPECT_EQ(kind, length < 34 ? MacControlKind::Truncated : MacControlKind::Pfc) << length;
    }
}

class PauseOut : public ::testing::Test {
  protected:
    PauseOut() : rig(kTwoPorts, make_lossless) {
        rig.receive(1, {udp({.destination = {0x0a00'0000'00ff}, .source = kPortMacs})});
        (void)rig.sent(0);
    }
    SwitchRig rig;
};

// A link that was cut has lost the pause: the peer is told again in the call that says it is up,
// not with the refresh half a pause (168 us at 100 Gb/s) later.
TEST_F(PauseOut, ALinkThatComesBackIsPausedAgainAtOnce) {
    rig.receive(0, std::vector<Octets>(5, data()));
    (void)rig.sent(0);
    rig.set_up(0, false);
    rig.set_up(0, true);
    const std::vector<Octets> frames = pfc_of(rig.sent(0));
    ASSERT_EQ(frames.size(), 1u);
    EXPECT_EQ(frames[0], pfc(0x08, {0, 0, 0, 0xffff, 0, 0, 0, 0}, kPortMacs));
    EXPECT_EQ(rig.shard->counters(0).pauses_sent[3].read(), 2u);
    // Port 1 has paused nobody: nothing is said there.
    rig.set_up(1, false);
    rig.set_up(1, true);
    EXPECT_TRUE(pfc_of(rig.sent(1)).empty());
}

// A2: one PFC frame, in the call that crosses the threshold, for that priority only; ahead of all
// data.
TEST_F(PauseOut, PausesAtTheThresholdInTheSameCall) {
    rig.receive(0, {data(), data(), data(), data()});
    EXPECT_TRUE(rig.sent(0).empty());
    rig.receive(0, {data()});
    EXPECT_TRUE(rig.group(0, 3).paused);
    const std::vector<Octets> frames = rig.sent(0);
    ASSERT_EQ(frames.size(), 1u);
    EXPECT_EQ(frames[0], pfc(0x08, {0, 0, 0, 0xffff, 0, 0, 0, 0}, kPortMacs));
    EXPECT_EQ(rig.all_drops(), 0u);
    EXPECT_EQ(rig.shard->counters(0).pauses_sent[3].read(), 1u);
    EXPECT_EQ(rig.shard->counters(0).pfc_frames_sent.read(), 1u);
}

// A4: the headroom holds three frames more; the next one is dropped and counted on the ingress
// port.
TEST_F(PauseOut, HeadroomIsExact) {
    for (int i = 0; i < 8; ++i) rig.receive(0, {data()});
    EXPECT_EQ(rig.all_drops(), 0u);
    rig.receive(0, {data()});
    EXPECT_EQ(rig.drops(0, DropReason::HeadroomFull), 1u);
    EXPECT_EQ(rig.sent(1).size(), 8u);
    EXPECT_EQ(rig.group(0, 3).held(), 0u);
}

// A3: refreshed after half of 335.5392 us, not a picosecond earlier; once more after as long again.
TEST_F(PauseOut, RefreshesAtHalfThePauseTime) {
    rig.receive(0, {data(), data(), data(), data(), data()});
    EXPECT_EQ(pfc_of(rig.sent(0)).size(), 1u);
    rig.pass(Interval::picoseconds(167'769'600 - 1));
    rig.tick();
    EXPECT_TRUE(rig.sent(0).empty());
    rig.pass(Interval::picoseconds(1));
    rig.tick();
    EXPECT_EQ(rig.sent(0),
              std::vector<Octets>{pfc(0x08, {0, 0, 0, 0xffff, 0, 0, 0, 0}, kPortMacs)});
    rig.tick();
    EXPECT_TRUE(rig.sent(0).empty());
    rig.pass(Interval::picoseconds(167'769'600));
    rig.tick();
    EXPECT_EQ(rig.sent(0).size(), 1u);
}

// A3: five frames held, resume at 3,000 bytes: with the second frame that leaves. Then no more
// refresh.
TEST_F(PauseOut, ResumesWithHysteresis) {
    rig.receive(0, {data(), data(), data(), data(), data()});
    (void)rig.sent(0);
    EXPECT_EQ(rig.offer_and_take(1, 1, 1).size(), 1u);
    EXPECT_TRUE(rig.sent(0).empty());
    EXPECT_EQ(rig.offer_and_take(1, 1, 1).size(), 1u);
    EXPECT_EQ(rig.sent(0), std::vector<Octets>{pfc(0x08, {}, kPortMacs)});
    EXPECT_EQ(rig.shard->counters(0).resumes_sent[3].read(), 1u);
    rig.pass(Interval::seconds(1));
    rig.tick();
    EXPECT_TRUE(pfc_of(rig.sent(0)).empty());
}

TEST_F(PauseOut, LossyPrioritiesAreNeverPaused) {
    for (int i = 0; i < 3'000; ++i) rig.receive(0, {data(0)});
    EXPECT_TRUE(rig.sent(0).empty());
    EXPECT_GT(rig.all_drops(), 0u);
}

TEST_F(PauseOut, TurningLosslessOffResumesAtOnce) {
    rig.receive(0, {data(), data(), data(), data(), data()});
    (void)rig.sent(0);
    rig.reload(kTwoPorts);
    EXPECT_EQ(rig.sent(0), std::vector<Octets>{pfc(0x08, {}, kPortMacs)});
    EXPECT_EQ(rig.sent(1).size(), 5u);
}

class PauseIn : public ::testing::Test {
  protected:
    PauseIn() : rig(kTwoPorts, make_lossless) {}
    // One frame of priority 3 and one of 0 wait for port 1; which of them leave now?
    std::size_t waiting_that_leave() {
        rig.receive(0, {data(26), data(0)});
        return rig.sent(1).size();
    }
    SwitchRig rig;
};

// A6: only that priority stops; by itself it goes on when 100 quanta of 5.12 ns are over.
TEST_F(PauseIn, StopsOnePriorityUntilTheQuantaExpire) {
    rig.receive(1, {pfc(0x08, {0, 0, 0, 100, 0, 0, 0, 0})});
    EXPECT_EQ(waiting_that_leave(), 1u);
    rig.pass(Interval::picoseconds(512'000 - 1));
    EXPECT_TRUE(rig.sent(1).empty());
    rig.pass(Interval::picoseconds(1));
    EXPECT_EQ(rig.sent(1).size(), 1u);
    EXPECT_EQ(rig.shard->counters(1).pauses_received[3].read(), 1u);
}

TEST_F(PauseIn, ResumesAtOnceOnTimeZero) {
    rig.receive(1, {pfc(0x08, {0, 0, 0, 65'535, 0, 0, 0, 0})});
    EXPECT_EQ(waiting_that_leave(), 1u);
    rig.receive(1, {pfc(0x08, {})});
    EXPECT_EQ(rig.sent(1).size(), 1u);
    EXPECT_EQ(rig.shard->counters(1).resumes_received[3].read(), 1u);
}

// What the peer had paused is over when its link comes back: it starts anew, and says so if not.
TEST_F(PauseIn, EndsWithTheLink) {
    rig.receive(1, {pfc(0x08, {0, 0, 0, 65'535, 0, 0, 0, 0})});
    rig.set_up(1, false);
    rig.set_up(1, true);
    EXPECT_EQ(rig.shard->state().pauses[1].peer_paused, 0u);
    EXPECT_EQ(waiting_that_leave(), 2u);
}

// A7, A8: a lossy priority; an empty vector with times; a time whose class is not enabled.
TEST_F(PauseIn, IgnoresWhatIsNotForALosslessPriority) {
    rig.receive(1, {pfc(0x01, {65'535, 0, 0, 0, 0, 0, 0, 0})});
    rig.receive(1, {pfc(0x00, {9, 9, 9, 9, 9, 9, 9, 9})});
    rig.receive(1, {pfc(0x10, {0, 0, 0, 65'535, 65'535, 0, 0, 0})});
    EXPECT_EQ(waiting_that_leave(), 2u);
    EXPECT_EQ(rig.shard->counters(1).pfc_frames_received.read(), 3u);
    EXPECT_EQ(rig.shard->counters(1).pauses_received[3].read(), 0u);
}

// A9.
TEST_F(PauseIn, ObeysASourceOfZeros) {
    rig.receive(1, {pfc(0x08, {0, 0, 0, 65'535, 0, 0, 0, 0}, {0})});
    EXPECT_EQ(waiting_that_leave(), 1u);
}

// A10: 802.3x PAUSE, all traffic of the link: counted apart, stops nothing.
TEST_F(PauseIn, LinkPauseIsCountedApartAndNotObeyed) {
    Octets pause = pfc(0, {});
    pause[14] = 0x00;
    pause[16] = pause[17] = 0xff;
    rig.receive(1, {pause});
    EXPECT_EQ(waiting_that_leave(), 2u);
    EXPECT_EQ(rig.shard->counters(1).link_pauses_received.read(), 1u);
    EXPECT_EQ(rig.shard->counters(1).pfc_frames_received.read(), 0u);
}

// A11, A12: nothing of MAC control is ever forwarded, whatever its address; it moves no other
// counter.
TEST_F(PauseIn, MacControlEndsHere) {
    Octets unknown = pfc(0, {});
    unknown[15] = 0x77;
    Octets elsewhere = pfc(0x08, {});
    elsewhere[5] = 0x55;
    elsewhere[0] = 0x02;
    rig.receive(1, {unknown, elsewhere});
    EXPECT_EQ(rig.drops(1, DropReason::MacControlOpcodeUnknown), 1u);
    EXPECT_TRUE(rig.sent(0).empty());
    EXPECT_EQ(rig.shard->counters(1).received_frames.read(), 0u);
    EXPECT_EQ(rig.frames_inside(), 0u);
}

}  // namespace
}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/ecn.h"

#include <array>

#include <gtest/gtest.h>

#include "dataplane/core/pfc.h"
#include "tests/unit/core/switch_rig.h"

namespace weir {
namespace {

constexpr const char* kTwoPorts = R"(
switch: { name: rig }
ports:
  - { name: a, device: "net_null0" }
  - { name: b, device: "net_null1" }
)";

// Kmin 1,000, Kmax 3,000, Pmax 1/2: (q - 1,000) / 2,000 * 32,768.
TEST(Ecn, ProbabilityRampsFromKminToKmax) {
    const EcnProfile profile{1'000, 3'000, 32'768, true};
    EXPECT_EQ(mark_per_64k(profile, 0), 0u);
    EXPECT_EQ(mark_per_64k(profile, 1'000), 0u);
    EXPECT_EQ(mark_per_64k(profile, 1'001), 16u);  // 32,768 / 2,000 = 16.4
    EXPECT_EQ(mark_per_64k(profile, 2'000), 16'384u);
    EXPECT_EQ(mark_per_64k(profile, 3'000), 32'768u);
    EXPECT_EQ(mark_per_64k(profile, 3'001), 65'536u);
}

TEST(Ecn, EqualThresholdsMakeAStep) {
    const EcnProfile profile{2'000, 2'000, 65'536, true};
    EXPECT_EQ(mark_per_64k(profile, 2'000), 0u);
    EXPECT_EQ(mark_per_64k(profile, 2'001), 65'536u);
}

// A19. Every ECT code point and every DSCP: CE is set, nothing else changes, and the checksum is
// that of a new computation. The ICRC masks both fields (IBTA annex A17), so it stays valid.
TEST(Ecn, MarkingUpdatesTheChecksum) {
    for (unsigned tos = 0; tos < 256; ++tos) {
        Octets bytes = udp({.dscp = static_cast<std::uint8_t>(tos >> 2),
                            .ecn = static_cast<std::uint8_t>(tos & 3)});
        Octets expected = udp({.dscp = static_cast<std::uint8_t>(tos >> 2), .ecn = 3});
        Frame frame{.data = bytes.data(), .length = 100, .readable = 100};
        frame.flags = frame_flags::kIpv4;
        set_ce(frame);
        EXPECT_EQ(bytes, expected) << tos;
    }
}

TEST(Ecn, MarksIpv6TrafficClass) {
    Octets bytes(60);
    bytes[14] = 0x60;
    bytes[15] = 0x20;  // ECT(0): traffic class bits 5 and 4 of the second byte
    Frame frame{.data = bytes.data(), .length = 60, .readable = 60};
    frame.flags = frame_flags::kIpv6;
    EXPECT_EQ(ecn_of(frame), Ecn::Ect0);
    set_ce(frame);
    EXPECT_EQ(ecn_of(frame), Ecn::Ce);
    EXPECT_EQ(bytes[14], 0x60);
    EXPECT_EQ(bytes[15], 0x30);
}

class EcnQueue : public ::testing::Test {
  protected:
    static constexpr unsigned kFrames = 10;  // the threshold, in frames of 100 bytes

    EcnQueue()
        : rig(kTwoPorts, [](CompiledTables& tables) {
              tables.egress[1].ecn_priorities = 1u << 3;
              tables.egress[1].ecn[3] = {kFrames * 100, kFrames * 100, 65'536, true};
          }) {}

    void fill(unsigned frames, std::uint8_t ecn) {
        for (unsigned i = 0; i < frames; ++i) rig.receive(0, {udp({.ecn = ecn})});
    }
    unsigned marked_of(const std::vector<Octets>& frames) {
        unsigned marked = 0;
        for (const Octets& frame : frames) {
            marked += (frame[15] & 3) == 3 ? 1 : 0;
            EXPECT_TRUE(ipv4_checksum_is_right(frame));
        }
        return marked;
    }
    std::uint64_t counted() { return rig.shard->egress().marked(1, 3).read(); }

    SwitchRig rig;
};

// A16: 2N frames wait. Frame i (from 0) leaves a queue of 2N - i frames, which is over N for the
// first N.
TEST_F(EcnQueue, MarksAtDequeueByTheDepthLeft) {
    fill(2 * kFrames, 2);
    const std::vector<Octets> frames = rig.sent(1);
    ASSERT_EQ(frames.size(), 2 * kFrames);
    for (unsigned i = 0; i < frames.size(); ++i) {
        EXPECT_EQ((frames[i][15] & 3) == 3, i < kFrames) << i;
    }
    EXPECT_EQ(counted(), kFrames);
}

TEST_F(EcnQueue, AtTheThresholdNothingIsMarked) {
    fill(kFrames, 2);
    EXPECT_EQ(marked_of(rig.sent(1)), 0u);
    fill(kFrames + 1, 1);
    EXPECT_EQ(marked_of(rig.sent(1)), 1u);
}

// A18: it stays CE, and is not counted as ours.
TEST_F(EcnQueue, CeThatArrivesIsNotOurs) {
    fill(2 * kFrames, 3);
    EXPECT_EQ(marked_of(rig.sent(1)), 2 * kFrames);
    EXPECT_EQ(counted(), 0u);
}

// A frame that the device did not take is decided once: ten offers of one frame mark as one does.
TEST_F(EcnQueue, AnOfferThatIsNotTakenDecidesOnce) {
    fill(kFrames + 5, 2);
    for (int i = 0; i < 10; ++i) EXPECT_TRUE(rig.offer_and_take(1, 8, 0).empty());
    EXPECT_EQ(counted(), 5u);
    EXPECT_EQ(marked_of(rig.sent(1)), 5u);
    EXPECT_EQ(counted(), 5u);
}

// A17, lossy: the queue is at 1,000 bytes with the tenth frame; the eleventh would leave it over
// the threshold.
TEST_F(EcnQueue, NotEctIsDroppedEarlyOnALossyPriority) {
    fill(kFrames + 3, 0);
    EXPECT_EQ(rig.drops(1, DropReason::EarlyDrop), 3u);
    EXPECT_EQ(rig.sent(1).size(), kFrames);
    EXPECT_EQ(rig.group(0, 3).held(), 0u);
}

// A17, lossless: never.
TEST(Ecn, NotEctIsNotDroppedEarlyOnALosslessPriority) {
    SwitchRig rig(kTwoPorts, [](CompiledTables& tables) {
        tables.egress[1].ecn_priorities = 1u << 3;
        tables.egress[1].ecn[3] = {1'000, 1'000, 65'536, true};
        tables.groups[group_of(0, 3)].lossless = true;
    });
    for (int i = 0; i < 20; ++i) rig.receive(0, {udp({.ecn = 0})});
    EXPECT_EQ(rig.all_drops(), 0u);
    const std::vector<Octets> frames = rig.sent(1);
    EXPECT_EQ(frames.size(), 20u);
    for (const Octets& frame : frames) EXPECT_EQ(frame[15] & 3, 0) << "nor marked";
}

// A16, accuracy: Kmin 500 KB, Kmax 2,000 KB, Pmax 5 %. Kmax + 10 frames of 1 KB are held by a pause
// and released, 200 times: frame i leaves a queue of 2,010 - i KB. The first ten are always marked,
// the next 1,500 by 5 % * (q - 500) / 1,500, the last 500 never. The 1,500 give
// 5 % / 1,500 * (1 + .. + 1,500) = 37.525 marks a time, 7,505 in all; their variance is
// sum(p) - sum(p^2) = 37.525 - 1.2513 a time, sigma sqrt(200 * 36.27) = 85.2, four of them 341.
TEST(Ecn, RampIsAccurateForAQueueThatWasHeld) {
    SwitchRig rig(kTwoPorts, [](CompiledTables& tables) {
        tables.egress[1].ecn_priorities = 1u << 3;
        tables.egress[1].ecn[3] = {500'000, 2'000'000, 3'277, true};  // 5 % of 65,536 is 3,276.8
        tables.groups[group_of(0, 3)] = {.alpha_log2 = 7, .lossless = true};
    });
    const Octets frame = udp({.bytes = 1'000});
    std::array<unsigned, 3> marks{};
    for (int repeat = 0; repeat < 200; ++repeat) {
        for (int i = 0; i < 2'010; ++i) rig.receive(0, {frame});
        const std::vector<Octets> frames = rig.sent(1);
        ASSERT_EQ(frames.size(), 2'010u);
        for (unsigned i = 0; i < frames.size(); ++i) {
            if ((frames[i][15] & 3) == 3) ++marks[i < 10 ? 0 : i < 1'510 ? 1 : 2];
        }
    }
    EXPECT_EQ(marks[0], 2'000u);
    EXPECT_NEAR(marks[1], 7'505, 341);
    EXPECT_EQ(marks[2], 0u);
}

// A20: CNPs (DSCP 48, priority 6) have a queue of their own: a pause of the data holds none of
// them, and they are not marked though they are ECT and the data queue is full.
TEST(Ecn, CnpsAreNeitherPausedNorMarkedWithData) {
    SwitchRig rig(kTwoPorts, [](CompiledTables& tables) {
        tables.egress[1].ecn_priorities = 1u << 3;
        tables.egress[1].ecn[3] = {100, 100, 65'536, true};
        tables.ports[1].pfc_priorities = 1u << 3;
    });
    Octets pause(60);
    write_pfc_frame(std::span<std::uint8_t, kPfcFrameBytes>(pause), {1},
                    {0x08, {0, 0, 0, 9, 0, 0, 0, 0}});
    rig.receive(1, {pause});
    for (int i = 0; i < 20; ++i) rig.receive(0, {udp({})});
    for (int i = 0; i < 20; ++i) rig.receive(0, {udp({.dscp = 48})});
    const std::vector<Octets> cnps = rig.sent(1);
    ASSERT_EQ(cnps.size(), 20u);
    for (const Octets& cnp : cnps) EXPECT_EQ(cnp[15], 48 << 2 | 2);
    // Strict: a CNP that comes while data waits goes first.
    rig.pass(Interval::seconds(1));
    rig.receive(0, {udp({.dscp = 48})});
    const std::vector<Octets> all = rig.sent(1);
    ASSERT_EQ(all.size(), 21u);
    EXPECT_EQ(all[0][15] >> 2, 48);
    EXPECT_EQ(rig.shard->egress().marked(1, 3).read(), 19u);  // all but the last, of 100 bytes
    EXPECT_EQ(rig.shard->egress().marked(1, 6).read(), 0u);
}

// Between the thresholds: Pmax 25 % at 100 kB, queue held at half of the ramp, so 12.5 % of 4,000
// frames, 500. The binomial sigma is sqrt(4,000 * 0.125 * 0.875) = 20.9; four of them are 84.
TEST(Ecn, RampMarksItsShare) {
    SwitchRig rig(kTwoPorts, [](CompiledTables& tables) {
        tables.egress[1].ecn_priorities = 1u << 3;
        tables.egress[1].ecn[3] = {0, 100'000, 16'384, true};
        tables.egress[1].strict = 0;
    });
    for (int i = 0; i < 500; ++i) rig.receive(0, {udp({})});  // 50,000 bytes
    for (int i = 0; i < 4'000; ++i) {
        (void)rig.offer_and_take(1, 1, 1);
        rig.receive(0, {udp({})});
    }
    EXPECT_NEAR(static_cast<double>(rig.shard->egress().marked(1, 3).read()), 500.0, 84.0);
}

}  // namespace
}  // namespace weir

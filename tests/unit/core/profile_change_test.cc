// SPDX-License-Identifier: BSD-3-Clause
// Buffer profiles that change under traffic: nothing lossless is lost, and every account closes.
#include <string>

#include <gtest/gtest.h>

#include "dataplane/core/prng.h"
#include "tests/unit/core/switch_rig.h"

namespace weir {
namespace {

constexpr const char* kTwoPorts = R"(
switch: { name: rig }
frame_bytes_max: 1500
ports:
  - { name: a, device: "net_null0" }
  - { name: b, device: "net_null1" }
)";

// Frames of 1,000 bytes: the fifth reaches the limit, and the headroom holds three more.
std::string lossless(const std::string& headroom = "3KB", const std::string& limit = "5KB") {
    return std::string(kTwoPorts) + "pfc: [3]\nbuffer: {lossless: {reserve: 0B, limit: " + limit +
           ", headroom: " + headroom + ", xon_offset: 2KB}}\n";
}

std::string dynamic(const std::string& shared, int alpha) {
    return std::string(kTwoPorts) + "pfc: [3]\nbuffer: {shared: " + shared +
           ", lossless: {reserve: 0B, alpha: " + std::to_string(alpha) +
           ", headroom: 3KB, xon_offset: 2KB}}\n";
}

class ProfileChange : public ::testing::Test {
  protected:
    explicit ProfileChange(const std::string& yaml = lossless()) : rig(yaml) {
        // Port 1 has the destination; port 0's peer is told nothing yet.
        rig.receive(1, {udp({.destination = {0x0a00'0000'00ff}, .source = kPortMacs})});
        (void)rig.sent(0);
    }
    void receive(int frames) {
        for (int i = 0; i < frames; ++i) rig.receive(0, {udp({.bytes = 1'000})});
    }
    // Takes frames off port 1 one by one, at most 100: how many until the peer is resumed.
    int frames_until_resume() {
        for (int frames = 1; frames <= 100; ++frames) {
            (void)rig.offer_and_take(1, 1, 1);
            if (!rig.group(0, 3).paused) return frames;
        }
        return 0;
    }
    [[nodiscard]] std::uint64_t dropped() const { return rig.drops(0, DropReason::HeadroomFull); }

    SwitchRig rig;
};

// Paused with 3,000 of headroom, of which 1,000 are used: two more frames may still be on their
// way, and they find room although the headroom is 1,000 now. The next one does not.
TEST_F(ProfileChange, APausedGroupKeepsItsHeadroomUntilItResumes) {
    receive(6);
    rig.reload(lossless("1KB"));
    receive(2);
    EXPECT_EQ(dropped(), 0u);
    receive(1);
    EXPECT_EQ(dropped(), 1u);
    EXPECT_EQ(rig.group(0, 3).headroom_bytes, 3'000u);
    // Three empty the headroom, two more bring 5,000 down to 3,000 = 5,000 - 2,000.
    EXPECT_EQ(frames_until_resume(), 5);
    // From 3,000: two reach the limit, one goes into the headroom of 1,000.
    receive(3);
    EXPECT_EQ(dropped(), 1u);
    receive(1);
    EXPECT_EQ(dropped(), 2u);
}

// 5,000 now: two frames more than the 3,000 it was paused with.
TEST_F(ProfileChange, ALargerHeadroomIsThereAtOnce) {
    receive(8);
    rig.reload(lossless("5KB"));
    receive(2);
    EXPECT_EQ(dropped(), 0u);
    receive(1);
    EXPECT_EQ(dropped(), 1u);
}

// Four frames are held and nobody is paused; the limit is 2,000 now. The next frame goes into the
// headroom and pauses.
TEST_F(ProfileChange, ALowerLimitPausesWithTheNextFrame) {
    receive(4);
    rig.reload(lossless("3KB", "2KB"));
    EXPECT_FALSE(rig.group(0, 3).paused);
    EXPECT_TRUE(rig.sent(0).empty());
    receive(1);
    EXPECT_TRUE(rig.group(0, 3).paused);
    EXPECT_EQ(rig.sent(0).size(), 1u);
    EXPECT_EQ(rig.group(0, 3).headroom_bytes, 1'000u);
    receive(2);
    EXPECT_EQ(dropped(), 0u);
    // Three of the headroom; then 2,000 under the limit of 2,000 is 0: four more.
    EXPECT_EQ(frames_until_resume(), 7);
}

// Paused at 5,000; the limit is 9,000 now, so that the first frame that leaves resumes: 4,000 +
// 2,000 <= 9,000.
TEST_F(ProfileChange, AHigherLimitResumesWithTheNextFrameThatLeaves) {
    receive(5);
    EXPECT_TRUE(rig.group(0, 3).paused);
    rig.reload(lossless("3KB", "9KB"));
    EXPECT_EQ(frames_until_resume(), 1);
}

class PoolChange : public ProfileChange {
  protected:
    PoolChange() : ProfileChange(dynamic("20KB", 0)) {}
};

// 8,000 of 20,000 are used. A pool of 4,000 has nothing free: the next frame pauses. It resumes
// when the rest fits: 1,000 used leave 3,000, and 1,000 + 2,000 <= 3,000.
TEST_F(PoolChange, APoolSmallerThanWhatIsHeldLosesNothing) {
    receive(8);
    EXPECT_FALSE(rig.group(0, 3).paused);
    rig.reload(dynamic("4KB", 0));
    receive(3);
    EXPECT_TRUE(rig.group(0, 3).paused);
    EXPECT_EQ(dropped(), 0u);
    EXPECT_EQ(frames_until_resume(), 3 + 7);
    EXPECT_EQ(rig.sent(1).size(), 1u);
    EXPECT_EQ(rig.group(0, 3).held(), 0u);
    EXPECT_EQ(rig.shard->state().buffer.shared_used_bytes(), 0u);
}

// 8,000 used, 12,000 free. alpha = 1/4: the threshold is 3,000 and the next frame pauses. 4 frames
// more would make it resume with u <= 2,000: 2,000 + 2,000 <= 18,000 / 4 = 4,500.
TEST_F(PoolChange, ASmallerAlphaPausesWithTheNextFrame) {
    receive(8);
    rig.reload(dynamic("20KB", -2));
    receive(1);
    EXPECT_TRUE(rig.group(0, 3).paused);
    EXPECT_EQ(dropped(), 0u);
    EXPECT_EQ(frames_until_resume(), 1 + 6);
}

TEST_F(ProfileChange, LosslessTurnedOffStopsPfcAtOnce) {
    receive(6);
    EXPECT_EQ(rig.sent(0).size(), 1u);
    rig.reload(kTwoPorts);
    // The peer is resumed: class 3, time 0.
    const std::vector<Octets> told = rig.sent(0);
    ASSERT_EQ(told.size(), 1u);
    EXPECT_EQ(told[0][17], 0x08);
    EXPECT_EQ(told[0][24] << 8 | told[0][25], 0);
    rig.pass(Interval::seconds(1));
    rig.tick();
    EXPECT_TRUE(rig.sent(0).empty()) << "no refresh";
    EXPECT_EQ(rig.sent(1).size(), 6u);
    EXPECT_EQ(rig.group(0, 3).held(), 0u);
}

// The peer of port 1 paused priority 3 for 65,535 quanta, 335 us.
TEST_F(ProfileChange, LosslessTurnedOffEndsThePeersPauseAtOnce) {
    Octets pfc(60);
    write_pfc_frame(std::span<std::uint8_t, kPfcFrameBytes>(pfc), {0x0a00'0000'0077},
                    {0x08, {0, 0, 0, 65'535, 0, 0, 0, 0}});
    rig.receive(1, {pfc});
    receive(2);
    EXPECT_TRUE(rig.sent(1).empty());
    rig.reload(std::string(kTwoPorts) + "pfc: []\n");
    EXPECT_EQ(rig.sent(1).size(), 2u);
    // Turned on again, nothing is left of it.
    rig.reload(lossless());
    receive(1);
    EXPECT_EQ(rig.sent(1).size(), 1u);
}

TEST_F(ProfileChange, LosslessTurnedOnPausesWithTheNextFrame) {
    rig.reload(kTwoPorts);
    receive(8);
    rig.reload(lossless());
    receive(1);
    EXPECT_TRUE(rig.group(0, 3).paused);
    receive(2);
    EXPECT_EQ(dropped(), 0u);
    EXPECT_EQ(rig.sent(1).size(), 11u);
    EXPECT_FALSE(rig.group(0, 3).paused);
}

TEST_F(ProfileChange, AReserveMovesBytesBetweenTheAccounts) {
    receive(4);
    EXPECT_EQ(rig.shard->state().buffer.shared_used_bytes(), 4'000u);
    rig.reload(std::string(kTwoPorts) + "pfc: [3]\nbuffer: {lossless: {reserve: 2500B}}\n");
    EXPECT_EQ(rig.shard->state().buffer.shared_used_bytes(), 1'500u);
    rig.reload(lossless());
    EXPECT_EQ(rig.shard->state().buffer.shared_used_bytes(), 4'000u);
    EXPECT_EQ(rig.sent(1).size(), 4u);
    EXPECT_EQ(rig.shard->state().buffer.shared_used_bytes(), 0u);
}

// A sender that stops three frames after it was paused, and a receiver that takes frames at random,
// while the profile changes at random. The headroom is always enough for the frame that pauses and
// the three.
class RandomChanges : public ProfileChange {
  protected:
    std::string any_profile(Prng& prng) {
        const std::string threshold = prng.below(2) == 0
                                          ? "alpha: " + std::to_string(int(prng.below(16)) - 8)
                                          : "limit: " + std::to_string(prng.below(1'500)) + "B";
        return std::string(kTwoPorts) +
               "pfc: [3]\nbuffer: {shared: " + std::to_string(1'500 + prng.below(30'000)) +
               "B, lossless: {reserve: " + std::to_string(prng.below(4'000)) + "B, " + threshold +
               ", headroom: " + std::to_string(4'000 + prng.below(20'000)) +
               "B, xon_offset: " + std::to_string(prng.below(4'000)) + "B}}\n";
    }
    void hear_pauses() {
        for (const Octets& frame : rig.sent(0)) {
            const bool pause = (frame[24] << 8 | frame[25]) != 0;
            if (pause && !stopping_) in_flight_ = 3;
            stopping_ = pause;
        }
    }
    void send() {
        if (stopping_ && in_flight_ == 0) return;
        if (stopping_) --in_flight_;
        receive(1);
    }

  private:
    bool stopping_ = false;
    int in_flight_ = 0;
};

TEST_F(RandomChanges, LoseNothing) {
    Prng prng(7);
    int pauses = 0;
    for (int step = 0; step < 20'000; ++step) {
        const std::uint32_t what = prng.below(100);
        if (what < 2) rig.reload(any_profile(prng));
        if (what >= 2 && what < 60) send();
        if (what >= 60) (void)rig.offer_and_take(1, 1, 1);
        pauses += rig.group(0, 3).paused ? 1 : 0;
        hear_pauses();
        ASSERT_EQ(rig.all_drops(), 0u) << "step " << step;
    }
    EXPECT_GT(pauses, 1'000);
    (void)rig.sent(1);
    EXPECT_EQ(rig.group(0, 3).held(), 0u);
    EXPECT_FALSE(rig.group(0, 3).paused);
    EXPECT_EQ(rig.shard->state().buffer.shared_used_bytes(), 0u);
}

}  // namespace
}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/buffer.h"

#include <memory>
#include <new>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/core/prng.h"

namespace weir {
namespace {

constexpr unsigned kPorts = 2;

class BufferRig {
  public:
    BufferRig(const BufferProfile& profile, Bytes pool) : profiles(kPorts * kPriorities, profile) {
        Arena arena{{memory_, sizeof memory_}};
        buffer.lay_out(arena, kPorts, 0, &pool_use_);
        adopt(pool);
    }
    std::vector<GroupId> adopt(Bytes pool) {
        std::vector<GroupId> resumed;
        buffer.adopt(profiles, pool, [&](GroupId group) { resumed.push_back(group); });
        return resumed;
    }
    // How many frames of `length` are accepted in a row.
    unsigned accepts(GroupId group, Bytes length) {
        unsigned accepted = 0;
        while (true) {
            const Admission admission = buffer.admit(group, length);
            if (admission != Admission::Accept && admission != Admission::AcceptAndPause) break;
            ++accepted;
        }
        return accepted;
    }

    std::vector<BufferProfile> profiles;
    Buffer buffer;

  private:
    alignas(64) std::byte memory_[64 * kPorts * kPriorities];
    PoolUse pool_use_;
};

BufferProfile lossy(std::int8_t alpha_log2) {
    return {.alpha_log2 = alpha_log2};
}

BufferProfile lossless_static() {
    return {.headroom_bytes = 3'000,
            .xon_offset_bytes = 2'000,
            .shared_limit_bytes = 5'000,
            .dynamic = false,
            .lossless = true};
}

// With u bytes used a frame of 1,000 fits while u + 1,000 <= 2^n * (10,000 - u).
TEST(Buffer, DynamicThresholdIsAlphaTimesTheFreePool) {
    // n = 0: 2u <= 9,000, so with u = 0, 1,000 .. 4,000: five frames.
    EXPECT_EQ(BufferRig(lossy(0), 10'000).accepts(0, 1'000), 5u);
    // n = -1: 1.5u <= 4,000, so with u = 0, 1,000, 2,000: three.
    EXPECT_EQ(BufferRig(lossy(-1), 10'000).accepts(0, 1'000), 3u);
    // n = 1: 3u <= 19,000, so with u = 0 .. 6,000: seven.
    EXPECT_EQ(BufferRig(lossy(1), 10'000).accepts(0, 1'000), 7u);
    // n = -8: 1,000 <= 10,000 / 256 = 39 is false: none; frames of 39 bytes: just one.
    EXPECT_EQ(BufferRig(lossy(-8), 10'000).accepts(0, 1'000), 0u);
    EXPECT_EQ(BufferRig(lossy(-8), 10'000).accepts(0, 39), 1u);
}

// n = 7 allows 128 times what is free, but the pool has only 10,000 bytes: ten frames.
TEST(Buffer, ThePoolIsNeverOverdrawn) {
    BufferRig rig(lossy(7), 10'000);
    EXPECT_EQ(rig.accepts(0, 1'000), 10u);
    EXPECT_EQ(rig.buffer.free_bytes(), 0u);
    EXPECT_EQ(rig.buffer.admit(8, 1), Admission::SharedFull);
}

// n frames hold 1,000n; shared is 1,000n - 2,500 of them, and the frame before left 1,000n - 3,500
// used: 1,000n - 2,500 <= 10,000 - (1,000n - 3,500) gives n <= 8.
TEST(Buffer, ReserveIsUsedBeforeShared) {
    BufferProfile profile = lossy(0);
    profile.reserve_bytes = 2'500;
    BufferRig rig(profile, 10'000);
    EXPECT_EQ(rig.buffer.admit(0, 1'000), Admission::Accept);
    EXPECT_EQ(rig.buffer.admit(0, 1'000), Admission::Accept);
    EXPECT_EQ(rig.buffer.shared_used_bytes(), 0u);
    EXPECT_EQ(rig.buffer.admit(0, 1'000), Admission::Accept);
    EXPECT_EQ(rig.buffer.shared_used_bytes(), 500u);
    EXPECT_EQ(rig.accepts(0, 1'000), 5u);
}

// Threshold 5,000 and headroom 3,000: the fifth frame reaches the threshold, three more go to the
// headroom.
TEST(Buffer, PausesOnceUsesHeadroomThenDropsAndResumesOnce) {
    BufferRig rig(lossless_static(), 100'000);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(rig.buffer.admit(3, 1'000), Admission::Accept) << i;
    EXPECT_EQ(rig.buffer.admit(3, 1'000), Admission::AcceptAndPause);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(rig.buffer.admit(3, 1'000), Admission::Accept) << i;
    EXPECT_EQ(rig.buffer.group(3).headroom_bytes, 3'000u);
    EXPECT_EQ(rig.buffer.admit(3, 1), Admission::HeadroomFull);
    // Headroom first: after three frames it is empty with 5,000 shared. Resume at 5,000 - 2,000 =
    // 3,000 shared.
    for (int i = 0; i < 4; ++i) EXPECT_FALSE(rig.buffer.release(3, 1'000)) << i;
    EXPECT_EQ(rig.buffer.group(3).bytes, 4'000u);
    EXPECT_TRUE(rig.buffer.release(3, 1'000));
    EXPECT_FALSE(rig.buffer.release(3, 1'000));
    EXPECT_EQ(rig.buffer.group(3).held(), 2'000u);
}

// One byte below the threshold nobody is paused; at the threshold the sender is.
TEST(Buffer, PausesAtTheThresholdExactly) {
    BufferRig below(lossless_static(), 100'000);
    EXPECT_EQ(below.buffer.admit(3, 4'999), Admission::Accept);
    BufferRig at(lossless_static(), 100'000);
    EXPECT_EQ(at.buffer.admit(3, 5'000), Admission::AcceptAndPause);
    // One byte more does not fit into shared and goes to the headroom whole; 3,001 do not fit there
    // either.
    BufferRig over(lossless_static(), 100'000);
    EXPECT_EQ(over.buffer.admit(3, 5'001), Admission::HeadroomFull);
    EXPECT_EQ(over.buffer.group(3).held(), 0u);
    EXPECT_EQ(at.buffer.admit(3, 3'000), Admission::Accept);
    EXPECT_EQ(at.buffer.group(3).headroom_bytes, 3'000u);
}

// The threshold is below the offset, so shared + offset never fits: the group resumes when it is
// empty.
TEST(Buffer, ResumesWhenEmptyEvenIfTheOffsetIsLarge) {
    BufferProfile profile = lossless_static();
    profile.xon_offset_bytes = 6'000;
    BufferRig rig(profile, 100'000);
    EXPECT_EQ(rig.buffer.admit(3, 4'999), Admission::Accept);
    EXPECT_EQ(rig.buffer.admit(3, 1), Admission::AcceptAndPause);
    EXPECT_FALSE(rig.buffer.release(3, 4'999));
    EXPECT_TRUE(rig.buffer.release(3, 1));
}

// Both hold x: the first may add 100 while x + 100 <= 9,000 - 2x, the second while x + 100 <= 8,900
// - 2x: both stop at x = 3,000, a third of the pool each, a third free (A5).
TEST(Buffer, TwoCongestedGroupsShareThePoolByAlpha) {
    BufferRig rig(lossy(0), 9'000);
    for (int i = 0; i < 100; ++i) {
        (void)rig.buffer.admit(3, 100);
        (void)rig.buffer.admit(8 + 3, 100);
    }
    EXPECT_EQ(rig.buffer.group(3).bytes, 3'000u);
    EXPECT_EQ(rig.buffer.group(8 + 3).bytes, 3'000u);
}

TEST(Buffer, TurningLosslessOffResumesAtOnce) {
    BufferRig rig(lossless_static(), 100'000);
    EXPECT_EQ(rig.buffer.admit(3, 5'000), Admission::AcceptAndPause);
    rig.profiles[3].lossless = false;
    EXPECT_EQ(rig.adopt(100'000), std::vector<GroupId>{3});
    EXPECT_FALSE(rig.buffer.group(3).paused);
    EXPECT_EQ(rig.buffer.group(3).held(), 5'000u) << "what is held stays held";
    EXPECT_TRUE(rig.adopt(100'000).empty());
}

// A smaller pool under what is held: nothing is lost, nothing more is taken, and the account closes
// at 0.
TEST(Buffer, AProfileChangeKeepsTheAccount) {
    BufferRig rig(lossy(0), 10'000);
    EXPECT_EQ(rig.accepts(0, 1'000), 5u);
    rig.profiles[0].reserve_bytes = 1'500;
    rig.adopt(2'000);
    EXPECT_EQ(rig.buffer.shared_used_bytes(), 3'500u);
    EXPECT_EQ(rig.buffer.admit(0, 100), Admission::SharedFull);
    EXPECT_FALSE(rig.buffer.release(0, 5'000, 5));
    EXPECT_EQ(rig.buffer.shared_used_bytes(), 0u);
    EXPECT_EQ(rig.buffer.group(0).held(), 0u);
}

// What free_room() promises, frame by frame: none is refused, none pauses.
TEST(Buffer, FreeRoomIsTakenWithoutRefusalOrPause) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        Prng prng(seed);
        BufferProfile profile{.reserve_bytes = prng.below(3'000),
                              .headroom_bytes = 10'000,
                              .shared_limit_bytes = prng.below(60'000),
                              .alpha_log2 = static_cast<std::int8_t>(prng.below(16)),
                              .dynamic = prng.below(2) == 0,
                              .lossless = true};
        profile.alpha_log2 = static_cast<std::int8_t>(profile.alpha_log2 - 8);
        BufferRig rig(profile, 50'000);
        for (int i = 0; i < 20; ++i)
            (void)rig.buffer.admit(static_cast<GroupId>(prng.below(4)), prng.below(1'500));
        for (GroupId group = 0; group < 4; ++group) {
            if (rig.buffer.group(group).paused) continue;
            Bytes room = rig.buffer.free_room(group, 20'000);
            EXPECT_LE(room, 20'000u);
            while (room > 0) {
                const Bytes length = std::min<Bytes>(room, 1 + prng.below(1'500));
                ASSERT_EQ(rig.buffer.admit(group, length), Admission::Accept) << "seed " << seed;
                room -= length;
            }
        }
    }
}

// 100 frames in all, n = 0: a lossy group takes frame f while f <= 100 - (f - 1), so 50 of 60
// bytes, though they are 3,000 of a pool of 1,000,000.
TEST(Buffer, FramesAreLimitedAsBytesAre) {
    BufferRig rig(lossy(0), 1'000'000);
    rig.buffer.limit_frames(100);
    EXPECT_EQ(rig.accepts(0, 60), 50u);
    EXPECT_EQ(rig.buffer.frames_used(), 50u);
    // The next group: f <= 50 - (f - 1) gives 25.
    EXPECT_EQ(rig.accepts(8, 60), 25u);
    EXPECT_FALSE(rig.buffer.release(0, 50 * 60, 50));
    EXPECT_EQ(rig.buffer.frames_used(), 25u);
}

// Lossless, 200 frames in all, others hold none. Frame f is the one that reaches the threshold of
// 200 - f: f = 100, no byte threshold is near. Headroom for 50 frames more. On release the headroom
// is empty after 50 frames; 100 are left, and the group resumes when its frames and a burst of 32
// are within 200 - frames: 2f + 32 <= 200, f = 84.
TEST(Buffer, ManySmallFramesPauseBeforeFramesRunOut) {
    BufferProfile profile{.headroom_bytes = 3'000, .lossless = true};
    BufferRig rig(profile, 1'000'000);
    rig.buffer.limit_frames(200);
    for (int i = 1; i < 100; ++i) ASSERT_EQ(rig.buffer.admit(3, 60), Admission::Accept) << i;
    EXPECT_EQ(rig.buffer.admit(3, 60), Admission::AcceptAndPause);
    EXPECT_EQ(rig.accepts(3, 60), 50u);
    EXPECT_EQ(rig.buffer.group(3).headroom_bytes, 3'000u);
    EXPECT_EQ(rig.buffer.frames_used(), 150u);
    for (int left = 149; left > 84; --left) ASSERT_FALSE(rig.buffer.release(3, 60)) << left;
    EXPECT_TRUE(rig.buffer.release(3, 60));
}

// A burst of 32 frames must stay below the threshold: f + 32 < 200 - (f + 32), so f < 68.
TEST(Buffer, FreeRoomLeavesABurstOfFrames) {
    BufferRig rig({.lossless = true}, 1'000'000);
    rig.buffer.limit_frames(200);
    rig.buffer.take_freely(3, 67 * 60, 67);
    EXPECT_GT(rig.buffer.free_room(3, 32 * 60), 0u);
    rig.buffer.take_freely(3, 60);
    EXPECT_EQ(rig.buffer.free_room(3, 32 * 60), 0u);
    EXPECT_EQ(rig.buffer.free_room(8, 32 * 60), 32u * 60u);
}

// No frame is free (others hold all 10): the reserve of a lossless group is its own all the same;
// it pauses at once. That of a lossy one is no promise.
TEST(Buffer, ALosslessReserveNeedsNoFreeFrames) {
    BufferProfile profile = lossy(7);
    BufferRig rig(profile, 1'000'000);
    rig.buffer.limit_frames(10);
    EXPECT_EQ(rig.accepts(0, 60), 10u);
    rig.profiles[8].reserve_bytes = 1'500;
    rig.profiles[8].lossless = true;
    rig.profiles[9].reserve_bytes = 1'500;
    rig.adopt(1'000'000);
    EXPECT_EQ(rig.buffer.admit(8, 1'500), Admission::AcceptAndPause);
    EXPECT_EQ(rig.buffer.admit(9, 60), Admission::SharedFull);
}

// A switch that promises nothing may hold 10 frames, a reserve of 8 MB or not: the mbufs that are
// left are another switch's.
TEST(Buffer, LossyReservesDoNotExceedTheFramesOfTheSwitch) {
    BufferProfile profile = lossy(7);
    profile.reserve_bytes = 8'000'000;
    BufferRig rig(profile, 1'000'000);
    rig.buffer.limit_frames(10);
    EXPECT_EQ(rig.accepts(0, 60), 10u);
    EXPECT_EQ(rig.accepts(1, 60), 0u);
    EXPECT_EQ(rig.buffer.frames_used(), 10u);
}

// take_freely() is what as many admits would have done.
TEST(Buffer, TakingFreelyCountsAsFramesDo) {
    BufferProfile profile = lossy(1);
    profile.reserve_bytes = 700;
    BufferRig one(profile, 50'000);
    BufferRig many(profile, 50'000);
    one.buffer.take_freely(5, 3'000);
    for (int i = 0; i < 3; ++i) (void)many.buffer.admit(5, 1'000);
    EXPECT_EQ(one.buffer.shared_used_bytes(), many.buffer.shared_used_bytes());
    EXPECT_EQ(one.buffer.group(5).bytes, many.buffer.group(5).bytes);
    EXPECT_EQ(one.buffer.group(5).shared_bytes_max, many.buffer.group(5).shared_bytes_max);
    EXPECT_EQ(one.buffer.shared_used_bytes(), 2'300u);
}

// Random traffic over all groups: shared use is the sum of the groups' parts, and all is returned.
TEST(Buffer, NothingIsLostOrCountedTwice) {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        Prng prng(seed);
        BufferProfile profile = lossless_static();
        profile.dynamic = true;
        profile.reserve_bytes = 600;
        BufferRig rig(profile, 40'000);
        struct Held {
            GroupId group;
            Bytes length;
        };
        std::vector<Held> held;
        for (int step = 0; step < 3'000; ++step) {
            if (prng.below(100) < 55) {
                const Held frame{static_cast<GroupId>(prng.below(kPorts * kPriorities)),
                                 60 + prng.below(1'440)};
                const Admission admission = rig.buffer.admit(frame.group, frame.length);
                if (admission == Admission::Accept || admission == Admission::AcceptAndPause) {
                    held.push_back(frame);
                }
            } else if (!held.empty()) {
                std::swap(held[prng.below(static_cast<std::uint32_t>(held.size()))], held.back());
                (void)rig.buffer.release(held.back().group, held.back().length);
                held.pop_back();
            }
            Bytes shared = 0;
            for (GroupId id = 0; id < kPorts * kPriorities; ++id) {
                const Bytes bytes = rig.buffer.group(id).bytes;
                shared += bytes > 600 ? bytes - 600 : 0;
            }
            ASSERT_EQ(rig.buffer.shared_used_bytes(), shared) << "seed " << seed;
            ASSERT_LE(shared, 40'000u);
        }
        for (const Held& frame : held) (void)rig.buffer.release(frame.group, frame.length);
        for (GroupId id = 0; id < kPorts * kPriorities; ++id) {
            ASSERT_EQ(rig.buffer.group(id).held(), 0u);
            ASSERT_FALSE(rig.buffer.group(id).paused) << "an empty group is never paused";
        }
    }
}

}  // namespace
}  // namespace weir

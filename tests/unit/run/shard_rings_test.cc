// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/run/shard_rings.h"

#include <array>
#include <thread>

#include <gtest/gtest.h>

namespace weir {
namespace {

Frame numbered(std::uint32_t number) {
    Frame frame;
    frame.gateway = number;
    frame.length = static_cast<std::uint16_t>(number % 1500);
    return frame;
}

// Room for 100 frames is asked for: the next power of two above 101 is 128, which holds 127.
TEST(ShardRings, HoldsWhatItWasMadeForAndRefusesBehindItsEnd) {
    ShardRings rings;
    ASSERT_EQ(rings.open(2, 100), "");
    ItemRing<Frame>& ring = rings.frames(0, 1);
    std::array<Frame, 128> frames;
    for (std::uint32_t i = 0; i < frames.size(); ++i) frames[i] = numbered(i);
    EXPECT_EQ(ring.push(std::span(frames).first(100)), 100u);
    EXPECT_EQ(ring.push(std::span(frames).subspan(100)), 27u);
    EXPECT_EQ(ring.push(std::span(frames).first(1)), 0u);
    EXPECT_EQ(ring.size(), 127u);
    std::array<Frame, 200> out;
    EXPECT_EQ(ring.pop(out), 127u);
    for (std::uint32_t i = 0; i < 127; ++i) EXPECT_EQ(out[i].gateway, i);
    EXPECT_EQ(ring.pop(out), 0u);
}

TEST(ShardRings, EachDirectionOfEachPairIsItsOwn) {
    ShardRings rings;
    ASSERT_EQ(rings.open(3, 7), "");
    for (ShardId from = 0; from < 3; ++from) {
        for (ShardId to = 0; to < 3; ++to) {
            if (from == to) continue;
            const Frame frame = numbered(from * 10u + to);
            EXPECT_EQ(rings.frames(from, to).push({&frame, 1}), 1u);
        }
    }
    for (ShardId from = 0; from < 3; ++from) {
        for (ShardId to = 0; to < 3; ++to) {
            if (from == to) continue;
            Frame frame;
            ASSERT_EQ(rings.frames(from, to).pop({&frame, 1}), 1u);
            EXPECT_EQ(frame.gateway, from * 10u + to);
        }
    }
}

TEST(ShardRings, KeepsOrderAndContentBetweenTwoThreads) {
    constexpr std::uint32_t kFrames = 100'000;
    ShardRings rings;
    ASSERT_EQ(rings.open(2, 63), "");
    std::thread sender([&] {
        std::array<Frame, 32> burst;
        for (std::uint32_t next = 0; next < kFrames;) {
            // Bursts of 1, 2 .. 32, 1 ..: they pass the ring's end at every offset.
            const std::uint32_t count = std::min(next % 32 + 1, kFrames - next);
            for (std::uint32_t i = 0; i < count; ++i) burst[i] = numbered(next + i);
            const unsigned taken = rings.frames(0, 1).push(std::span(burst).first(count));
            if (taken == 0) std::this_thread::yield();
            next += taken;
        }
    });
    std::uint32_t expected = 0;
    std::uint32_t wrong = 0;
    std::array<Frame, 20> burst;
    while (expected < kFrames) {
        const unsigned count = rings.frames(0, 1).pop(burst);
        if (count == 0) std::this_thread::yield();
        for (unsigned i = 0; i < count; ++i) {
            const Frame& frame = burst[i];
            if (frame.gateway != expected || frame.length != expected % 1500) ++wrong;
            ++expected;
        }
    }
    sender.join();
    EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace weir

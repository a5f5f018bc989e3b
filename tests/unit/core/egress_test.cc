// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/egress.h"

#include <deque>
#include <map>
#include <memory>
#include <new>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/core/prng.h"

namespace weir {
namespace {

constexpr Bytes kNoLimit = ~Bytes{0};

class EgressRig {
  public:
    explicit EgressRig(std::uint32_t frames_max = 4'096) {
        Arena counting{{}};
        Egress counted;
        counted.lay_out(counting, 2, frames_max);
        bytes_ = counting.used_bytes();
        memory_ = static_cast<std::byte*>(::operator new (bytes_, std::align_val_t{64}));
        Arena arena{{memory_, bytes_}};
        egress.lay_out(arena, 2, frames_max);
        table.quantum_bytes.fill(1'500);
        egress.adopt(0, table, 1'000'000);
    }
    ~EgressRig() { ::operator delete (memory_, std::align_val_t{64}); }

    EgressQueues::Pushed push(Priority priority, std::uint16_t length, Bytes limit = kNoLimit) {
        Frame frame{.data = nullptr, .handle = nullptr, .length = length};
        frame.handle = reinterpret_cast<void*>(++made_);
        frame.out_port = 0;
        frame.priority = priority;
        return egress.queues().push(frame, limit);
    }
    // Takes up to `taken` frames of an offer; their numbers and priorities.
    std::vector<std::pair<std::uintptr_t, Priority>> take(unsigned room, unsigned taken) {
        std::vector<std::pair<std::uintptr_t, Priority>> frames;
        Bytes bytes = 0;
        for (const Frame& frame : egress.offer(now, 0, table, paused, room)) {
            if (frames.size() == taken) break;
            frames.emplace_back(reinterpret_cast<std::uintptr_t>(frame.handle), frame.priority);
            bytes += frame.length;
        }
        egress.commit(now, 0, table, static_cast<unsigned>(frames.size()), bytes);
        return frames;
    }

    Egress egress;
    EgressTable table;
    Time now{1'000'000};
    std::uint8_t paused = 0;

  private:
    std::byte* memory_ = nullptr;
    std::size_t bytes_ = 0;
    std::uintptr_t made_ = 0;
};

TEST(Egress, AQueueHoldsItsLimitAndNotOneByteMore) {
    EgressRig rig;
    EXPECT_EQ(rig.push(0, 600, 1'000), EgressQueues::Pushed::Queued);
    EXPECT_EQ(rig.push(0, 401, 1'000), EgressQueues::Pushed::QueueFull);
    EXPECT_EQ(rig.push(0, 400, 1'000), EgressQueues::Pushed::Queued);
    EXPECT_EQ(rig.egress.queues().at(0, 0).bytes, 1'000u);
}

TEST(Egress, StrictPrioritiesGoHighestFirst) {
    EgressRig rig;
    for (const Priority priority : std::vector<Priority>{0, 7, 3, 0, 7}) rig.push(priority, 100);
    std::vector<Priority> order;
    for (const auto& [number, priority] : rig.take(32, 32)) order.push_back(priority);
    EXPECT_EQ(order, (std::vector<Priority>{7, 7, 3, 0, 0}));
    EXPECT_TRUE(rig.egress.queues().backlog().empty());
}

TEST(Egress, PausedPrioritiesStayQueued) {
    EgressRig rig;
    rig.push(3, 100);
    rig.push(0, 100);
    rig.paused = 1u << 3;
    EXPECT_EQ(rig.take(32, 32).size(), 1u);
    EXPECT_TRUE(rig.take(32, 32).empty());
    rig.paused = 0;
    EXPECT_EQ(rig.take(32, 32).size(), 1u);
}

// Weights 1 : 2 : 4 with frames of 1,000 and of 500 bytes: bytes sent are as the weights, within
// one round (A21).
TEST(Egress, DwrrSharesBytesByWeight) {
    EgressRig rig(16'384);
    rig.table.strict = 0;
    rig.table.quantum_bytes = {1'500, 3'000, 6'000, 1, 1, 1, 1, 1};
    for (int i = 0; i < 4'000; ++i) {
        rig.push(0, 1'000);
        rig.push(1, 500);
        rig.push(1, 500);
        rig.push(2, 1'000);
    }
    std::array<Bytes, 3> sent{};
    for (int i = 0; i < 100; ++i) {
        for (const auto& [number, priority] : rig.take(32, 32)) {
            sent[priority] += priority == 1 ? 500 : 1'000;
        }
    }
    // One round is 1,500 + 3,000 + 6,000 bytes; each queue is within its own quantum and a frame of
    // its share.
    const double rounds = static_cast<double>(sent[0] + sent[1] + sent[2]) / 10'500;
    EXPECT_NEAR(static_cast<double>(sent[0]), rounds * 1'500, 2'500);
    EXPECT_NEAR(static_cast<double>(sent[1]), rounds * 3'000, 4'000);
    EXPECT_NEAR(static_cast<double>(sent[2]), rounds * 6'000, 7'000);
    EXPECT_GT(rounds, 200);
}

// A21, live: weights 1 : 1 become 1 : 3 while both queues wait. From the next round on, bytes are
// as the new weights: 50 rounds of 1,000 + 3,000 bytes, within one quantum and a frame each.
TEST(Egress, NewWeightsHoldFromTheNextRound) {
    EgressRig rig(16'384);
    rig.table.strict = 0;
    rig.table.quantum_bytes.fill(1'000);
    for (int i = 0; i < 1'000; ++i) {
        rig.push(0, 500);
        rig.push(1, 500);
    }
    const auto sent = [&](unsigned frames) {
        std::array<Bytes, 2> bytes{};
        for (unsigned i = 0; i < frames; ++i) {
            for (const auto& [number, priority] : rig.take(1, 1)) bytes[priority] += 500;
        }
        return bytes;
    };
    EXPECT_EQ(sent(200), (std::array<Bytes, 2>{50'000, 50'000}));
    rig.table.quantum_bytes[1] = 3'000;
    rig.egress.adopt(0, rig.table, 1'000'000);
    const std::array<Bytes, 2> after = sent(400);
    EXPECT_NEAR(static_cast<double>(after[0]), 50'000, 1'500);
    EXPECT_NEAR(static_cast<double>(after[1]), 150'000, 3'500);
}

// A device that takes fewer than offered, at random, changes nothing in the order that DWRR gives.
TEST(Egress, PartialTakingKeepsTheDwrrOrder) {
    const auto order = [](bool partial) {
        EgressRig rig;
        rig.table.strict = 0;
        rig.table.quantum_bytes = {1'500, 4'000, 1'500, 1'500, 1'500, 1'500, 1'500, 1'500};
        Prng lengths(7);
        Prng takes(11);
        for (int i = 0; i < 600; ++i) {
            rig.push(static_cast<Priority>(lengths.below(3)),
                     static_cast<std::uint16_t>(60 + lengths.below(1'440)));
        }
        std::vector<std::uintptr_t> numbers;
        while (numbers.size() < 600) {
            const unsigned taken = partial ? takes.below(9) : 32;
            for (const auto& [number, priority] : rig.take(32, taken)) numbers.push_back(number);
        }
        return numbers;
    };
    EXPECT_EQ(order(true), order(false));
}

// 1 Gb/s is 8,000 ps a byte. A frame of 1,000 bytes takes 1,024 on the wire: 8.192 us. With a burst
// of 1 byte the next may start exactly then.
TEST(Egress, ShaperSendsAtTheRateExactly) {
    EgressRig rig;
    rig.table.shaper_ps_per_byte_q16 = std::uint64_t{8'000} << 16;
    rig.table.shaper_burst_bytes = 1;
    for (int i = 0; i < 10; ++i) rig.push(0, 1'000);
    EXPECT_EQ(rig.take(32, 32).size(), 1u);
    for (int i = 0; i < 9; ++i) {
        // The first frame used the burst's 8,000 ps as well.
        rig.now = rig.now + Interval::picoseconds(8'192'000 - (i == 0 ? 8'000 : 0) - 1);
        EXPECT_TRUE(rig.take(32, 32).empty()) << i;
        rig.now = rig.now + Interval::picoseconds(1);
        EXPECT_EQ(rig.take(32, 32).size(), 1u) << i;
    }
}

TEST(Egress, OwnFramesAreNeitherPausedNorShaped) {
    EgressRig rig;
    rig.table.shaper_ps_per_byte_q16 = std::uint64_t{8'000} << 16;
    rig.table.shaper_burst_bytes = 1;
    rig.push(7, 1'000);
    EXPECT_EQ(rig.take(32, 32).size(), 1u);
    Frame own{.length = 60};
    own.out_port = 0;
    own.priority = 7;
    own.flags = frame_flags::kOwn;
    EXPECT_EQ(rig.egress.queues().push(own, kNoLimit), EgressQueues::Pushed::Queued);
    rig.push(7, 1'000);
    rig.paused = 0xff;
    EXPECT_EQ(rig.take(32, 32).size(), 1u);
    EXPECT_EQ(rig.egress.queues().at(0, 7).frames, 1u);
}

// Blocks hold 32 frames: every length around that, in and out.
TEST(Egress, KeepsOrderAcrossBlocks) {
    for (unsigned frames = 30; frames <= 100; ++frames) {
        EgressRig rig;
        for (unsigned i = 0; i < frames; ++i) rig.push(2, 100);
        std::uintptr_t expected = 0;
        while (expected < frames) {
            const auto some = rig.take(7, 7);
            ASSERT_FALSE(some.empty());
            for (const auto& [number, priority] : some) ASSERT_EQ(number, ++expected);
        }
        EXPECT_TRUE(rig.egress.queues().backlog().empty());
    }
}

// Worst fill of lay_out()'s arithmetic: every queue of both ports begins a block at its last slot
// and takes one frame at a time of what is left; 64 frames in all are never refused.
TEST(Egress, NeverRunsOutOfBlocksBelowFramesMax) {
    EgressRig rig(64);
    Prng prng(3);
    std::size_t held = 0;
    for (int step = 0; step < 20'000; ++step) {
        if (held < 64 && prng.below(2) == 0) {
            ASSERT_EQ(rig.push(static_cast<Priority>(prng.below(8)), 100),
                      EgressQueues::Pushed::Queued)
                << step;
            ++held;
        } else {
            held -= rig.take(1 + prng.below(8), 8).size();
        }
    }
}

TEST(Egress, RefusesWhenThePoolIsEmptyAndRecovers) {
    EgressRig rig(64);
    // 64 / 32 + 2 ports x 10 queues x 2 = 42 blocks of 32 frames.
    for (int i = 0; i < 42 * 32; ++i) ASSERT_EQ(rig.push(1, 60), EgressQueues::Pushed::Queued) << i;
    EXPECT_EQ(rig.push(1, 60), EgressQueues::Pushed::MemoryExhausted);
    for (int i = 0; i < 32; ++i) EXPECT_EQ(rig.take(1, 1).size(), 1u);
    EXPECT_EQ(rig.push(1, 60), EgressQueues::Pushed::Queued);
}

// Against a model of plain deques, with partial taking, pauses, and priorities at random.
TEST(Egress, BehavesLikeDeques) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        EgressRig rig(16'384);
        Prng prng(seed);
        std::map<Priority, std::deque<std::uintptr_t>, std::greater<>> model;
        std::uintptr_t made = 0;
        for (int step = 0; step < 3'000; ++step) {
            for (unsigned n = prng.below(40); n > 0; --n) {
                const auto priority = static_cast<Priority>(prng.below(8));
                ++made;
                const auto length = static_cast<std::uint16_t>(60 + prng.below(1'000));
                if (rig.push(priority, length) != EgressQueues::Pushed::Queued) continue;
                model[priority].push_back(made);
            }
            rig.paused = static_cast<std::uint8_t>(prng.next() & prng.next());
            for (const auto& [number, priority] : rig.take(1 + prng.below(32), prng.below(33))) {
                auto best = model.begin();
                while (best->second.empty() || ((rig.paused >> best->first) & 1) != 0) ++best;
                ASSERT_EQ(priority, best->first) << "seed " << seed;
                ASSERT_EQ(number, best->second.front()) << "seed " << seed;
                best->second.pop_front();
            }
        }
    }
}

}  // namespace
}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#include "tools/roce/collective.h"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace weir::roce {
namespace {

std::vector<Transfer> phase_of(const Phases& phases, Rank ranks, unsigned phase) {
    std::vector<Transfer> all;
    for (Rank rank = 0; rank < ranks; ++rank) phases.append_from(rank, phase, all);
    return all;
}

// Everything that is sent in a phase is expected by somebody in that phase.
void expect_arrivals(const Collective& collective) {
    const Phases phases(collective);
    for (unsigned phase = 0; phase < phases.count(); ++phase) {
        std::vector<unsigned> arrivals(collective.ranks);
        for (const Transfer& one : phase_of(phases, collective.ranks, phase)) {
            EXPECT_NE(one.source, one.destination);
            ++arrivals.at(one.destination);
        }
        for (Rank rank = 0; rank < collective.ranks; ++rank) {
            EXPECT_EQ(arrivals[rank], phases.arrivals(rank, phase));
        }
    }
}

// 10 B over 4 ranks: chunks of 3, 3, 2, 2 B. In phase k of reduce-scatter rank r sends chunk r - k.
TEST(Collective, RingPassesTheChunksRound) {
    const Phases ring({.pattern = Pattern::RingAllReduce, .ranks = 4, .bytes = 10});
    EXPECT_EQ(ring.count(), 6u);
    using Transfers = std::vector<Transfer>;
    EXPECT_EQ(phase_of(ring, 4, 0), (Transfers{{0, 1, 3}, {1, 2, 3}, {2, 3, 2}, {3, 0, 2}}));
    EXPECT_EQ(phase_of(ring, 4, 1), (Transfers{{0, 1, 2}, {1, 2, 3}, {2, 3, 3}, {3, 0, 2}}));
    EXPECT_EQ(phase_of(ring, 4, 2), (Transfers{{0, 1, 2}, {1, 2, 2}, {2, 3, 3}, {3, 0, 3}}));
    // All-gather begins with the chunk that the rank has summed up last: r + 1.
    EXPECT_EQ(phase_of(ring, 4, 3), (Transfers{{0, 1, 3}, {1, 2, 2}, {2, 3, 2}, {3, 0, 3}}));
}

// 2(N-1)/N of the vector for each rank: 2 * 7/8 * 8,000 = 14,000 B.
TEST(Collective, BothAllReducesMoveTheSame) {
    for (const Pattern pattern : {Pattern::RingAllReduce, Pattern::HalvingDoublingAllReduce}) {
        const Phases phases({.pattern = pattern, .ranks = 8, .bytes = 8000});
        std::vector<Transfer> sent;
        for (unsigned k = 0; k < phases.count(); ++k) phases.append_from(5, k, sent);
        std::uint64_t bytes = 0;
        for (const Transfer& one : sent) bytes += one.bytes;
        EXPECT_EQ(bytes, 14'000u);
    }
}

// Rank 5 = 101b: partners 4, 7, 1 with 1/2, 1/4, 1/8, then back.
TEST(Collective, HalvingDoublingMeetsEachPartnerTwice) {
    const Phases phases({.pattern = Pattern::HalvingDoublingAllReduce, .ranks = 8, .bytes = 8000});
    ASSERT_EQ(phases.count(), 6u);
    std::vector<Transfer> sent;
    for (unsigned k = 0; k < 6; ++k) phases.append_from(5, k, sent);
    EXPECT_EQ(
        sent,
        (std::vector<Transfer>{
            {5, 4, 4000}, {5, 7, 2000}, {5, 1, 1000}, {5, 1, 1000}, {5, 7, 2000}, {5, 4, 4000}}));
}

TEST(Collective, AllToAllSendsToEveryOther) {
    const Phases at_once({.pattern = Pattern::AllToAll, .ranks = 3, .bytes = 7});
    EXPECT_EQ(at_once.count(), 1u);
    EXPECT_EQ(
        phase_of(at_once, 3, 0),
        (std::vector<Transfer>{{0, 1, 7}, {0, 2, 7}, {1, 2, 7}, {1, 0, 7}, {2, 0, 7}, {2, 1, 7}}));
    const Phases pairs({.pattern = Pattern::AllToAllPairwise, .ranks = 3, .bytes = 7});
    EXPECT_EQ(pairs.count(), 2u);
    EXPECT_EQ(phase_of(pairs, 3, 1), (std::vector<Transfer>{{0, 2, 7}, {1, 0, 7}, {2, 1, 7}}));
}

TEST(Collective, IncastGoesToTheLastRank) {
    const Phases incast({.pattern = Pattern::Incast, .ranks = 4, .bytes = 9});
    EXPECT_EQ(phase_of(incast, 4, 0), (std::vector<Transfer>{{0, 3, 9}, {1, 3, 9}, {2, 3, 9}}));
}

TEST(Collective, WhatIsSentIsExpected) {
    for (const Pattern pattern :
         {Pattern::RingAllReduce, Pattern::HalvingDoublingAllReduce, Pattern::AllToAll,
          Pattern::AllToAllPairwise, Pattern::Incast, Pattern::Permutation, Pattern::Shift}) {
        for (std::uint64_t seed = 1; seed <= 20; ++seed) {
            expect_arrivals(
                {.pattern = pattern, .ranks = 16, .bytes = 1000, .seed = seed, .shift = 5});
        }
    }
}

TEST(Collective, SeedsGiveDifferentPermutations) {
    const auto draw = [](std::uint64_t seed) {
        return phase_of(
            Phases({.pattern = Pattern::Permutation, .ranks = 64, .bytes = 1, .seed = seed}), 64,
            0);
    };
    EXPECT_EQ(draw(1), draw(1));
    EXPECT_NE(draw(1), draw(2));
}

TEST(Collective, SaysWhatCannotBe) {
    const auto problem = [](const Collective& collective) {
        return std::string(Phases::problem(collective));
    };
    EXPECT_EQ(problem({.ranks = 2}), "");
    EXPECT_EQ(problem({.ranks = 1}), "it takes two ranks at least");
    EXPECT_NE(problem({.pattern = Pattern::HalvingDoublingAllReduce, .ranks = 12}), "");
    EXPECT_NE(problem({.pattern = Pattern::Shift, .ranks = 4, .shift = 8}), "");
}

}  // namespace
}  // namespace weir::roce

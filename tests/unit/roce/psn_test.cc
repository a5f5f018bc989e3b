// SPDX-License-Identifier: BSD-3-Clause
#include "tools/roce/psn.h"

#include <gtest/gtest.h>

#include "tools/roce/fifo.h"

namespace weir::roce {
namespace {

TEST(Psn, IsTheNearestSequenceToTheReference) {
    const Sequence reference = first_sequence(5);
    EXPECT_EQ(psn_of(reference), 5u);
    EXPECT_EQ(sequence_of(5, reference), reference);
    EXPECT_EQ(sequence_of(6, reference), reference + 1);
    EXPECT_EQ(sequence_of(0xff'ffff, reference), reference - 6);
}

// 2^23 - 1 = 8,388,607 ahead is new, 2^23 ahead is 2^23 behind.
TEST(Psn, HalfATurnAheadIsBehind) {
    const Sequence reference = first_sequence(0);
    EXPECT_EQ(sequence_of(8'388'607, reference), reference + 8'388'607);
    EXPECT_EQ(sequence_of(8'388'608, reference), reference - 8'388'608);
}

TEST(Psn, WrapsAt24Bits) {
    const Sequence reference = first_sequence(0xff'ffff);
    EXPECT_EQ(psn_of(reference + 1), 0u);
    EXPECT_EQ(sequence_of(0, reference), reference + 1);
    EXPECT_EQ(sequence_of(0xff'fffe, reference), reference - 1);
}

TEST(Fifo, KeepsItsOrderWhileItGrows) {
    Fifo<unsigned> fifo;
    unsigned pushed = 0;
    unsigned popped = 0;
    for (unsigned round = 0; round < 50; ++round) {
        for (unsigned i = 0; i < 3; ++i) fifo.push(pushed++);
        for (unsigned i = 0; i < 2; ++i) {
            EXPECT_EQ(fifo.front(), popped++);
            fifo.pop();
        }
        EXPECT_EQ(fifo.size(), pushed - popped);
        EXPECT_EQ(fifo[fifo.size() - 1], pushed - 1);
    }
    fifo.pop_back();
    EXPECT_EQ(fifo.back(), pushed - 2);
}

}  // namespace
}  // namespace weir::roce

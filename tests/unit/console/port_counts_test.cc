// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/console/port_counts.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(PortCounts, ReadsEveryCounter) {
    PortCounters counters;
    counters.received_frames.add(1);
    counters.received_bytes.add(2);
    counters.sent_frames.add(3);
    counters.sent_bytes.add(4);
    counters.received_roce_frames.add(5);
    counters.refused_frames.add(6);
    counters.mac_table_full.add(11);
    counters.pauses_sent[0].add(12);
    counters.received_by_priority[3].add(7);
    counters.sent_by_priority[7].add(8);
    counters.queue_drops[1].add(13);
    counters.drops[0].add(9);
    counters.drops[kDropReasons - 1].add(10);
    PortCounts expected;
    expected.received_frames = 1;
    expected.received_bytes = 2;
    expected.sent_frames = 3;
    expected.sent_bytes = 4;
    expected.received_roce_frames = 5;
    expected.refused_frames = 6;
    expected.mac_table_full = 11;
    expected.pauses_sent[0] = 12;
    expected.received_by_priority[3] = 7;
    expected.sent_by_priority[7] = 8;
    expected.queue_drops[1] = 13;
    expected.drops[0] = 9;
    expected.drops[kDropReasons - 1] = 10;
    PortCounts sum;
    add_counts(counters, sum);
    EXPECT_EQ(sum, expected);
    EXPECT_EQ(expected.dropped(), 19u);
    add_counts(counters, sum);  // a second shard
    EXPECT_EQ(sum.sent_by_priority[7], 16u);
    EXPECT_EQ(sum.dropped(), 38u);
}

PortCounts all_at(std::uint64_t value) {
    PortCounts counts;
    for (const CountField& field : kCountFields) counts.*field.value = value;
    for (const PriorityCountField& field : kPriorityCountFields) {
        (counts.*field.values).fill(value);
    }
    counts.drops.fill(value);
    return counts;
}

TEST(PortCounts, NoCounterIsNamedTwice) {
    // Each field's own bit: together they are all of the struct only if none is there twice.
    PortCounts counts = all_at(0);
    for (const CountField& field : kCountFields) counts.*field.value += 1;
    for (const PriorityCountField& field : kPriorityCountFields) {
        for (std::uint64_t& value : counts.*field.values) value += 1;
    }
    counts.drops.fill(1);
    EXPECT_EQ(counts, all_at(1));
}

TEST(PortCounts, CountedSinceSubtractsEveryCounter) {
    EXPECT_EQ(counted_since(all_at(12), all_at(5)), all_at(7));
    EXPECT_EQ(counted_since(all_at(5), all_at(5)), all_at(0));
}

TEST(PortCounts, ACounterThatStartedAgainCountsFromZero) {
    EXPECT_EQ(counted_since(all_at(4), all_at(5)), all_at(4));
}

}  // namespace
}  // namespace weir

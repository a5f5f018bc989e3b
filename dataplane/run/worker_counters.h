// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

#include "dataplane/core/counter.h"
#include "dataplane/core/time.h"

namespace weir {

// Writer: the worker. Any thread may read.
struct alignas(64) WorkerCounters {
    Counter turns;
    Counter busy_turns;  // turns that moved a frame, a message or tables
    Counter busy_ps;     // time spent in those
    Counter total_ps;
    Counter received_frames;
    Counter sent_frames;
    Counter lost_events;    // the ring to the control thread was full
    Counter lost_messages;  // news for another shard: it will hear the next refresh
    std::atomic<std::uint64_t> longest_turn_ps{0};

    void count_turn(Interval length, bool busy) {
        const auto ps = static_cast<std::uint64_t>(length.ps);
        turns.add(1);
        total_ps.add(ps);
        if (busy) {
            busy_turns.add(1);
            busy_ps.add(ps);
        }
        // Relaxed: one writer, and a number publishes nothing but itself.
        if (ps > longest_turn_ps.load(std::memory_order_relaxed)) {
            longest_turn_ps.store(ps, std::memory_order_relaxed);
        }
    }
};

}  // namespace weir

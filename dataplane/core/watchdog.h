// SPDX-License-Identifier: BSD-3-Clause
// The PFC watchdog: finds egress queues that a peer pauses without end, and acts on them, so that a
// broken host does not stop a fabric (SONiC's design of the same name; 802.1Q has none).
//
// A queue is looked at every poll interval. It storms when for the whole detection time it held
// frames, was paused and sent nothing; the storm is over when the peer has not paused it for the
// whole restoration time. Both are times, not counts of PFC frames: a peer that floods resumes, or
// sends one pause a second, is judged by what it does to the queue.
#pragma once

#include <optional>
#include <span>

#include "dataplane/core/arena.h"
#include "dataplane/core/tables.h"
#include "dataplane/core/time.h"
#include "dataplane/core/types.h"

namespace weir {

struct ShardState;
struct Effects;
struct Frame;

// One egress queue, (port, priority).
struct QueueWatch {
    Time stuck_since;  // of a queue that holds frames: it has held some since, and sent none
    std::uint32_t departed = 0;                    // EgressQueue::departed when last looked at
    WatchdogAction action = WatchdogAction::Drop;  // of the storm
    bool held_frames = false;                      // when last looked at
    bool storming = false;
};

struct Watchdog {
    std::span<QueueWatch> queues;  // by group_of(port, priority)
    Time next_look;
    PortId next_port = 0;  // where a look that ran out of room for events goes on

    void lay_out(Arena& arena, unsigned ports) {
        queues = arena.take<QueueWatch>(std::size_t{ports} * kPriorities);
    }
};

// Looks at all queues of the shard's ports, when it is time to.
void watch_queues(ShardState& state, Time now, Effects& out);

// New tables: ends the storms of queues that are not watched in this way any more.
void adopt_watchdog(ShardState& state, Time now, Effects& out);

// Frees what is queued for ports whose storm drops; bounded by the room in out.freed.
void drain_storms(ShardState& state, Time now, Effects& out);

// Takes frames out of a burst that would go to a queue whose storm drops, before they are held:
// they pause nobody. How many are left.
[[nodiscard]] std::size_t drop_storming(ShardState& state, std::span<Frame> burst, Effects& out);

// A frame that is held goes to such a queue: drops it.
void drop_in_storm(ShardState& state, const Frame& frame, Effects& out);

// When watch_queues() has something to do; none: never.
[[nodiscard]] std::optional<Time> next_look(const ShardState& state);

}  // namespace weir

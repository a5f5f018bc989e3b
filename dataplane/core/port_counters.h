// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "dataplane/core/counter.h"
#include "dataplane/core/drop_reason.h"
#include "dataplane/core/limits.h"

namespace weir {

// Writer: the worker of the shard that owns the port. Any thread may read.
struct alignas(64) PortCounters {
    Counter received_frames;
    Counter received_bytes;  // frame lengths without FCS
    Counter sent_frames;     // accepted by the device
    Counter sent_bytes;
    Counter received_roce_frames;  // UDP destination port 4791 with a whole BTH
    Counter mac_table_full;        // sources that could not be learned
    Counter refused_frames;        // offered to the device and not taken (they stay queued)
    Counter rerouted_frames;       // waited for the port when it was lost, moved to another
    // Pauses (time > 0) and resumes (time 0) by class; sent ones include refreshes.
    std::array<Counter, kPriorities> pauses_sent;
    std::array<Counter, kPriorities> resumes_sent;
    std::array<Counter, kPriorities> pauses_received;
    std::array<Counter, kPriorities> resumes_received;
    Counter pfc_frames_sent;
    Counter pfc_frames_received;
    Counter link_pauses_received;  // 802.3x PAUSE: counted, not obeyed
    std::array<Counter, kPriorities> received_by_priority;
    std::array<Counter, kPriorities> sent_by_priority;
    // Frames that were dropped on their way into or out of the port's egress queues, storms
    // included.
    std::array<Counter, kPriorities> queue_drops;
    // Pause storms of the port's egress queues, and the frames that they lost by them.
    std::array<Counter, kPriorities> storms_detected;
    std::array<Counter, kPriorities> storms_restored;
    std::array<Counter, kPriorities> storm_drops;
    // Frames that arrived on the port and were moved as hooks, by the priority of arrival.
    std::array<Counter, kPriorities> hooked_first;
    std::array<Counter, kPriorities> hooked_second;
    // Drops of frames received on this port; drops on its egress side (QueueFull, PortDown ...) are
    // counted on the egress port.
    std::array<Counter, kDropReasons> drops;
};

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
// What the steps of a frame's life share: plain data of one shard. Each step is a free function in
// a file of its own that takes this; Shard owns it and lists the steps.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "dataplane/core/condition.h"
#include "dataplane/core/effects.h"
#include "dataplane/core/egress.h"
#include "dataplane/core/flow_cache.h"
#include "dataplane/core/link.h"
#include "dataplane/core/mac_table.h"
#include "dataplane/core/neighbor_table.h"
#include "dataplane/core/pause.h"
#include "dataplane/core/port_counters.h"
#include "dataplane/core/port_load.h"
#include "dataplane/core/rate_limit.h"
#include "dataplane/core/tables.h"
#include "dataplane/core/watchdog.h"

namespace weir {

struct ShardState {
    const Tables* tables = nullptr;
    Condition* condition = nullptr;
    // Taken from `condition` once per call. Frames may be sent to ports that are up and enabled;
    // of these, paths go by the usable ones.
    PortSet ports_up;
    PortSet usable;
    std::span<PortCounters> counters;  // kPortsMax
    std::span<std::uint32_t>
        gateway_neighbors;  // kGatewaysMax: gateway index -> slot in `neighbors`
    // Counts up with every event that may change what a remembered flow relies on.
    std::uint64_t epoch = 1;
    FlowCache flows;
    std::span<PathCounts> path_counts;  // by number of the rule, as many as ShardOptions says
    LoadMeter loads;
    std::uint64_t sprayed_frames = 0;
    MacTable macs;
    NeighborTable neighbors;
    Egress egress;
    Buffer buffer;
    std::span<PortPause> pauses;  // by port
    PortSet untold_pauses;        // ports whose peer does not know yet what was paused or resumed
    PortSet pausing_ports;        // ports that have a priority paused
    Watchdog watchdog;
    Links links;
    // Egress queues of the switch whose frames are dropped because of a pause storm: by port, bit p
    // for priority p; and the ports with any. Taken from `condition` when it changed.
    std::array<std::uint8_t, kPortsMax> dropping{};
    PortSet dropping_ports;
    PortSet own_ports;  // of this shard
    // What other shards had released when last looked (Released::packed): by shard, then group.
    std::span<std::uint64_t> seen_releases;
    std::array<std::uint64_t, kShardsMax> seen_changes{};
    Prng prng;
    ShardId shards = 1;     // of this switch
    RateLimit icmp_errors;  // RFC 1812 4.3.2.8, RFC 4443 2.4 f
    RateLimit hook_events;
    ShardId id = 0;
};

// Counts the drop on `port` and hands the frame back. For frames that are not held (hold.h).
inline void drop(ShardState& state, PortId port, DropReason reason, const Frame& frame,
                 Effects& out) {
    state.counters[port].drops[static_cast<unsigned>(reason)].add(1);
    out.freed.push(frame.handle);
}

// What the condition says of the port's queues.
inline void see_dropping(ShardState& state, PortId port, std::uint8_t priorities) {
    state.dropping[port] = priorities;
    if (priorities != 0) {
        state.dropping_ports.add(port);
    } else {
        state.dropping_ports.remove(port);
    }
}

inline void tell_pauses(ShardState& state, Time now, Effects& out) {
    if (!state.untold_pauses.empty()) [[unlikely]]
        tell_pauses_now(state, now, out);
}

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
// What the control thread knows of the process it controls.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "config/compile.h"
#include "config/load.h"
#include "config/watcher.h"
#include "dataplane/run/dataplane.h"
#include "tools/weir/console/port_counts.h"
#include "tools/weir/console/snapshot.h"
#include "tools/weir/event_file.h"

namespace weir {

// Every port's counters at one moment, by PortId; they only ever grow.
struct CountsAt {
    Time at;
    std::vector<PortCounts> ports;
};

struct RunningSwitch {
    std::unique_ptr<const Loaded> loaded;
    const CompiledTables* compiled = nullptr;  // the live ones, held by the publisher
    PortFacts facts;
    std::unique_ptr<Watcher> watcher;
    EventFile events;
    unsigned changes_by_set = 0;  // since the file was loaded
    CountsAt cleared;             // at the last `clear stats`
    std::vector<PathTotals> paths_cleared;
    // Taken once a second, the older one first: rates for a session's first look.
    std::array<CountsAt, 2> sampled;

    [[nodiscard]] const Settings& settings() const { return loaded->settings; }
};

struct Running {
    Dataplane dataplane;
    std::vector<RunningSwitch> switches;
    EventFile all_events;  // --events
    struct WorkerCounts {
        std::uint64_t turns = 0;
        std::uint64_t busy_ps = 0;
        std::uint64_t total_ps = 0;
        std::uint64_t received_frames = 0;
        std::uint64_t sent_frames = 0;
        std::uint64_t lost_events = 0;
        std::uint64_t lost_messages = 0;
    };
    std::vector<WorkerCounts> workers_cleared;
};

// Writes an event of our own ("reloaded", ...) for one switch; `port` may be empty.
void note_event(Running& running, std::size_t switch_index, std::string_view name,
                std::string_view port = {}, std::string_view text = {});
// Takes what the workers have reported and writes it.
void take_worker_events(Running& running);

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/port_readings.h"

#include <utility>

#include <rte_ethdev.h>

#include "tools/weir/paths_source.h"

namespace weir {
namespace {

void read_device(const Device& device, PortCounts& counts) {
    rte_eth_stats stats{};
    if (device.ethdev == kNoDevice || rte_eth_stats_get(device.ethdev, &stats) != 0) return;
    counts.device_missed = stats.imissed;
    counts.device_errors = stats.ierrors + stats.oerrors;
    counts.device_no_memory = stats.rx_nombuf;
}

// The most there ever was is not a difference: the workers start it again. One that does not answer
// keeps its old one.
void clear_watermarks(Running& running) {
    for (unsigned i = 0; i < running.dataplane.workers(); ++i) {
        (void)running.dataplane.run_on_worker(i, [](Worker& worker, Time) {
            worker.clear_longest_turn();
            for (unsigned seat = 0; seat < worker.seats(); ++seat) {
                worker.seat(seat).shard->clear_watermarks();
            }
        });
    }
}

}  // namespace

CountsAt read_all_ports(const Running& running, std::size_t switch_index) {
    const SwitchRecord& record = running.dataplane.switch_at(static_cast<unsigned>(switch_index));
    CountsAt counts;
    counts.at = running.dataplane.clock().now();
    for (PortId id = 0; id < record.ports.size(); ++id) {
        PortCounts& sum = counts.ports.emplace_back();
        for (const ShardRecord& shard : record.shards) {
            add_counts(shard.shard->counters(id), sum);
            for (Priority p = 0; p < kPriorities; ++p) {
                sum.marked[p] += shard.shard->egress().marked(id, p).read();
            }
        }
        read_device(record.ports[id].device, sum);
    }
    return counts;
}

void sample_counters(Running& running) {
    for (std::size_t i = 0; i < running.switches.size(); ++i) {
        auto& sampled = running.switches[i].sampled;
        sampled[0] = std::move(sampled[1]);
        sampled[1] = read_all_ports(running, i);
    }
}

void clear_counters(Running& running) {
    for (std::size_t i = 0; i < running.switches.size(); ++i) {
        running.switches[i].cleared = read_all_ports(running, i);
        running.switches[i].paths_cleared = read_path_totals(running, i);
        running.switches[i].events.clear_lost_lines();
    }
    running.all_events.clear_lost_lines();
    for (unsigned i = 0; i < running.dataplane.workers(); ++i) {
        running.workers_cleared[i] = read_worker(running, i);
    }
    clear_watermarks(running);
}

Running::WorkerCounts read_worker(const Running& running, unsigned worker) {
    const WorkerCounters& counters = running.dataplane.worker(worker).counters();
    return {.turns = counters.turns.read(),
            .busy_ps = counters.busy_ps.read(),
            .total_ps = counters.total_ps.read(),
            .received_frames = counters.received_frames.read(),
            .sent_frames = counters.sent_frames.read(),
            .lost_events = counters.lost_events.read(),
            .lost_messages = counters.lost_messages.read()};
}

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/lossless_source.h"

#include <algorithm>
#include <array>
#include <utility>

#include "dataplane/core/hold.h"

namespace weir {
namespace {

// 0: strict. Without a scheduler every priority is.
unsigned weight_of(const Settings& settings, std::size_t port, unsigned queue) {
    const auto& own = settings.ports[port].scheduler;
    const auto& scheduler = own ? own : settings.scheduler;
    if (!scheduler || queue >= kPriorities) return 0;
    const auto& strict = scheduler->strict;
    if (std::find(strict.begin(), strict.end(), queue) != strict.end()) return 0;
    const auto weight = scheduler->weights.find(queue);
    return weight == scheduler->weights.end() ? 1 : weight->second;
}

std::optional<EcnSettings> ecn_of(const Settings& settings, std::size_t port, unsigned queue) {
    for (const auto* ecn : {&settings.ports[port].ecn, &settings.ecn}) {
        const auto found = ecn->find(queue);
        if (found != ecn->end()) return found->second;
    }
    return std::nullopt;
}

using PortGroups = std::array<GroupView, kPriorities>;

// On the port's worker: 8 groups are 20 cache lines.
void copy_groups(const ShardState& state, Time now, PortId port, PortGroups& views) {
    const PortPause& pause = state.pauses[port];
    for (Priority p = 0; p < kPriorities; ++p) {
        const GroupId id = group_of(port, p);
        GroupView& view = views[p];
        view.port = port;
        view.priority = p;
        view.profile = state.buffer.profile(id);
        view.held = state.buffer.group(id);
        view.threshold_bytes = state.buffer.threshold_bytes(view.profile);
        view.threshold_frames = Buffer::threshold_frames(view.profile, state.buffer.free_frames());
        view.pausing = (pause.asked() & bit_of(p)) != 0;
        view.forced = (pause.forced & bit_of(p)) != 0;
        view.ring_guarded = (pause.guarded & bit_of(p)) != 0;
        view.pause_ignored = (pause.ignored & bit_of(p)) != 0;
        if ((pause.peer_paused & bit_of(p)) != 0) {
            view.peer_pause_left = pause.peer_pause_ends[p] - now;
        }
        view.storming = state.watchdog.queues[id].storming;
        view.storm_action = state.watchdog.queues[id].action;
    }
}

void add_shard(const Shard& shard, BalanceView& balance) {
    for (PortId id = 0; id < balance.ports.size(); ++id) {
        const PortCounters& counters = shard.counters(id);
        BalanceView::Port& port = balance.ports[id];
        port.received += counters.received_frames.read();
        port.sent += counters.sent_frames.read();
        for (const Counter& reason : counters.drops) port.dropped += reason.read();
    }
    const HeldNow held = held_now(shard.state());
    balance.held_frames += held.frames;
    balance.held_bytes += held.bytes;
}

void add_pool(Running& running, unsigned switch_index, PoolView& pool) {
    const auto shards = running.dataplane.switch_at(switch_index).shards.size();
    for (std::size_t shard = 0; shard < shards; ++shard) {
        (void)running.dataplane.run_on_shard(
            switch_index, static_cast<ShardId>(shard), [&pool](const Shard& s, Time) {
                const Buffer& buffer = s.state().buffer;
                pool.bytes = buffer.pool_bytes();
                pool.used_bytes += buffer.shared_used_bytes();
                pool.used_bytes_max += buffer.shared_used_bytes_max();
                pool.frames = buffer.frames_max();
                pool.used_frames += buffer.frames_used();
            });
    }
}

}  // namespace

void add_queues(Running& running, std::size_t switch_index, Snapshot& snapshot) {
    const auto index = static_cast<unsigned>(switch_index);
    const Settings& settings = running.switches[switch_index].settings();
    for (PortView& port : snapshot.ports) {
        const PortId id = port.id;
        const PortRecord& record = running.dataplane.switch_at(index).ports[id];
        const ShardId shard = record.options.shard;
        std::array<QueueView, kQueuesPerPort> views;
        const bool done = running.dataplane.run_on_shard(index, shard, [&](const Shard& s, Time) {
            port.in_device = device_tx_waiting(record.device);
            for (unsigned queue = 0; queue < kQueuesPerPort; ++queue) {
                const EgressQueue& from = s.egress().queues().at(id, queue);
                QueueView& view = views[queue];
                view.frames = from.frames;
                view.bytes = from.bytes;
                view.bytes_max = from.bytes_max;
            }
        });
        if (!done) continue;
        for (unsigned queue = 0; queue < kQueuesPerPort; ++queue) {
            QueueView& view = views[queue];
            view.port = id;
            view.queue = queue;
            view.weight = weight_of(settings, id, queue);
            view.ecn = ecn_of(settings, id, queue);
            snapshot.queues.push_back(view);
        }
    }
}

void add_balance(Running& running, std::size_t switch_index, Snapshot& snapshot) {
    const auto index = static_cast<unsigned>(switch_index);
    const SwitchRecord& record = running.dataplane.switch_at(index);
    BalanceView balance;
    balance.ports.resize(record.ports.size());  // before anybody waits
    const bool done = running.dataplane.run_at_rest(index, [&](Time) {
        for (const ShardRecord& shard : record.shards) {
            add_shard(*shard.shard, balance);
        }
    });
    if (done) snapshot.balance = std::move(balance);
}

void add_groups(Running& running, std::size_t switch_index, Snapshot& snapshot) {
    const auto index = static_cast<unsigned>(switch_index);
    for (const PortView& port : snapshot.ports) {
        const PortId id = port.id;
        const ShardId shard = running.dataplane.switch_at(index).ports[id].options.shard;
        PortGroups views;
        const bool done = running.dataplane.run_on_shard(
            index, shard,
            [&](const Shard& s, Time now) { copy_groups(s.state(), now, id, views); });
        if (done) snapshot.groups.insert(snapshot.groups.end(), views.begin(), views.end());
    }
    add_pool(running, index, snapshot.pool);
}

}  // namespace weir

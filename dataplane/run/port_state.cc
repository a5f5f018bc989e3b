// SPDX-License-Identifier: BSD-3-Clause
// The control thread's part while workers run: link states, the operator's port stop and start,
// requests, old tables.
#include <algorithm>

#include "dataplane/run/dataplane.h"

namespace weir {

namespace {

constexpr Interval kPatience = Interval::seconds(1);

// Workers that meet hold up their frames for so long at most: half of the reaction time that
// headrooms are made with by default, 100 us. On cores of their own all come within a turn.
constexpr Interval kMeetingPatience = Interval::microseconds(50);
constexpr int kMeetings = 100;

}  // namespace

bool Dataplane::ask(Worker& worker, RequestBox::Function run, void* argument) {
    if (worker.running()) return worker.requests().ask(run, argument, kPatience);
    run(argument, clock_->now());
    return true;
}

// The workers of a switch of one shard are one, and meet at once.
bool Dataplane::meet(unsigned switch_index, Rendezvous::Reading read, void* argument) {
    std::vector<unsigned> ours;
    for (const ShardRecord& shard : switches_[switch_index]->shards) {
        if (std::count(ours.begin(), ours.end(), shard.worker) == 0) ours.push_back(shard.worker);
    }
    std::sort(ours.begin(), ours.end());  // the order in which everybody locks their boxes
    struct Call {
        Rendezvous* rendezvous;
        Rendezvous::Reading read;
        void* argument;
    };
    for (int i = 0; running_ && i < kMeetings; ++i) {
        Rendezvous rendezvous(static_cast<unsigned>(ours.size()), *clock_, kMeetingPatience);
        Call call{&rendezvous, read, argument};
        for (const unsigned worker : ours) {
            workers_[worker]->requests().post(
                [](void* asked, Time now) {
                    const auto* one = static_cast<const Call*>(asked);
                    one->rendezvous->come(one->read, one->argument, now);
                },
                &call);
        }
        for (const unsigned worker : ours) {
            (void)workers_[worker]->requests().collect(kPatience);
        }
        if (rendezvous.met()) return true;
    }
    if (!running_) read(argument, clock_->now());
    return !running_;
}

void Dataplane::poll() {
    for (const auto& record : switches_) {
        for (PortId port = 0; port < record->port_count(); ++port) {
            read_link(record->ports[port]);
            tell_port_state(*record, port);
        }
        record->publisher.reclaim();
    }
}

void Dataplane::read_link(PortRecord& port) {
    if (port.device.facts.link_source == LinkSource::RingPeer) {
        const PortRecord* peer = ring_peer(port);
        port.link_up = peer != nullptr && !peer->stopped;
        return;
    }
    const bool up = device_link_up(port.device).value_or(true);
    // A NIC knows its speed when its link comes up.
    if (up && !port.link_up) {
        const std::uint64_t speed_bps = device_speed_bps(port.device);
        if (speed_bps != port.device.facts.speed_bps) ++facts_version_;
        port.device.facts.speed_bps = speed_bps;
    }
    port.link_up = up;
}

const PortRecord* Dataplane::ring_peer(const PortRecord& port) const {
    for (const auto& record : switches_) {
        for (const PortRecord& other : record->ports) {
            if (&other != &port && other.options.device == port.options.device) return &other;
        }
    }
    return nullptr;
}

// Every shard of the switch hears of it: each may have frames on their way to that port.
void Dataplane::tell_port_state(SwitchRecord& record, PortId index) {
    PortRecord& port = record.ports[index];
    const bool up = port.up();
    if (up == port.told_up) return;
    record.condition.set_port_up(index, up);
    port.told_up = up;
    if (record.publisher.current() == nullptr) return;  // not started: there is nobody to tell
    for (const ShardRecord& shard : record.shards) {
        // A worker that does not answer sees the condition at its next burst all the same.
        (void)run_on_worker(shard.worker, [&](Worker& worker, Time now) {
            if (worker.seat(shard.seat).adopted == nullptr) return;
            worker.link_changed(now, shard.seat, index, up);
        });
    }
}

bool Dataplane::set_port_stopped(unsigned switch_index, PortId index, bool stopped) {
    SwitchRecord& record = *switches_[switch_index];
    PortRecord& port = record.ports[index];
    if (port.stopped == stopped) return true;
    const ShardRecord& shard = record.shards[port.options.shard];
    const bool done = run_on_worker(shard.worker, [&](Worker& worker, Time) {
        worker.set_port_stopped(shard.seat, index, stopped);
    });
    if (!done) return false;
    port.stopped = stopped;
    announce_link(port.device, !stopped);
    poll();
    return true;
}

bool Dataplane::set_port_fault(unsigned switch_index, PortId index,
                               const PortFaultSettings& settings) {
    SwitchRecord& record = *switches_[switch_index];
    PortRecord& port = record.ports[index];
    const ShardRecord& shard = record.shards[port.options.shard];
    // Made and freed here: the worker has no heap.
    auto fault = std::make_unique<PortFault>(settings);
    const bool done = run_on_worker(
        shard.worker, [&](Worker& worker, Time) { worker.set_fault(shard.seat, index, fault); });
    if (done) port.fault = settings;
    return done;
}

bool Dataplane::administer_link(unsigned switch_index, PortId index, bool down) {
    const SwitchRecord& record = *switches_[switch_index];
    const ShardRecord& shard = record.shards[record.ports[index].options.shard];
    return run_on_worker(shard.worker, [&](Worker& worker, Time now) {
        worker.administer_link(now, shard.seat, index, down);
    });
}

bool Dataplane::force_pause(unsigned switch_index, PortId index, std::uint8_t priorities) {
    SwitchRecord& record = *switches_[switch_index];
    PortRecord& port = record.ports[index];
    const ShardRecord& shard = record.shards[port.options.shard];
    const bool done = run_on_worker(shard.worker, [&](Worker& worker, Time now) {
        worker.force_pause(now, shard.seat, index, priorities);
    });
    if (done) port.forced_pauses = priorities;
    return done;
}

}  // namespace weir

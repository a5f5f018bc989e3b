// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/snapshot_source.h"

#include <algorithm>

#include "config/describe.h"
#include "tools/weir/console/set_fault.h"
#include "tools/weir/forwarding_source.h"
#include "tools/weir/link_source.h"
#include "tools/weir/lossless_source.h"
#include "tools/weir/paths_source.h"
#include "tools/weir/port_readings.h"

namespace weir {
namespace {

std::string vlans_text(const PortSettings& port) {
    if (port.routed()) return {};
    if (!port.vlan) return "all";
    std::string text;
    for (const VlanId vlan : port.vlan->tagged) {
        text += (text.empty() ? "" : ", ") + std::to_string(vlan);
    }
    return text;
}

void add_ports(const Running& running, std::size_t switch_index, Snapshot& snapshot) {
    const RunningSwitch& one = running.switches[switch_index];
    const SwitchRecord& record = running.dataplane.switch_at(static_cast<unsigned>(switch_index));
    const PortSet up = record.condition.ports_up();
    const CountsAt counts = read_all_ports(running, switch_index);
    for (PortId id = 0; id < record.ports.size(); ++id) {
        const PortRecord& port = record.ports[id];
        const DeviceFacts& facts = port.device.facts;
        const PortSettings& settings = one.settings().ports[id];
        PortView view;
        view.id = id;
        view.name = settings.name;
        view.device = settings.device;
        view.driver = facts.driver;
        view.vlans = vlans_text(settings);
        for (const IpPrefix& address : settings.addresses.value_or(std::vector<IpPrefix>())) {
            view.addresses.push_back(format(address));
        }
        view.table = one.compiled->ports[id];
        view.stopped = port.stopped;
        view.usable = up.has(id) && view.table.enabled;
        view.device_link = port.link_up;
        view.device_decides = facts.link_source != LinkSource::Unknown;
        view.core =
            running.dataplane.worker(record.shards[port.options.shard].worker).options().core;
        view.fault = fault_text(port.fault, port.forced_pauses);
        view.rx_ring = facts.rx_descriptors;
        view.tx_ring = facts.tx_descriptors;
        view.counts = counted_since(counts.ports[id], one.cleared.ports[id]);
        snapshot.ports.push_back(std::move(view));
    }
}

// Rates go back to the session's last look at a port; its first goes back to a sample of this
// process. Ports that are not shown are not looked at.
void add_rates(const Running& running, std::size_t switch_index, const Value* shown,
               Session& session, Snapshot& snapshot) {
    const RunningSwitch& one = running.switches[switch_index];
    const CountsAt now = read_all_ports(running, switch_index);
    const CountsAt& sample = one.sampled[one.sampled[0].ports.empty() ? 1 : 0];
    for (PortView& port : snapshot.ports) {
        const PortId id = port.id;
        if (shown != nullptr && shown->kind == ValueKind::Port && shown->port != id) continue;
        Session::Look& look =
            session.looks
                .try_emplace({switch_index, id}, Session::Look{sample.at, sample.ports[id]})
                .first->second;
        port.lately = now.at - look.at;
        port.recently = counted_since(now.ports[id], look.counts);
        look = {now.at, now.ports[id]};
    }
}

void add_switches(const Running& running, Snapshot& snapshot) {
    for (unsigned i = 0; i < running.switches.size(); ++i) {
        const RunningSwitch& one = running.switches[i];
        const PortSet up = running.dataplane.switch_at(i).condition.ports_up();
        SwitchView view;
        view.name = one.settings().switch_.name;
        view.file = one.loaded->file;
        view.generation = one.compiled->tables.generation;
        view.ports = static_cast<unsigned>(one.settings().ports.size());
        for (PortId port = 0; port < view.ports; ++port) {
            if (up.has(port) && one.compiled->ports[port].enabled) ++view.ports_usable;
        }
        snapshot.switches.push_back(std::move(view));
    }
}

void add_workers(const Running& running, Snapshot& snapshot) {
    const Dataplane& dataplane = running.dataplane;
    snapshot.mbufs = dataplane.mbufs();
    snapshot.mbufs_in_use = dataplane.mbufs_in_use();
    snapshot.lost_event_lines = running.all_events.lost_lines();
    for (const RunningSwitch& one : running.switches) {
        snapshot.lost_event_lines += one.events.lost_lines();
    }
    for (unsigned i = 0; i < dataplane.workers(); ++i) {
        const Running::WorkerCounts now = read_worker(running, i);
        const Running::WorkerCounts& then = running.workers_cleared[i];
        WorkerView view;
        view.core = dataplane.worker(i).options().core;
        view.turns = now.turns - then.turns;
        view.busy_ps = now.busy_ps - then.busy_ps;
        view.total_ps = now.total_ps - then.total_ps;
        // Relaxed: a number on its own.
        view.longest_turn_ps =
            dataplane.worker(i).counters().longest_turn_ps.load(std::memory_order_relaxed);
        view.received_frames = now.received_frames - then.received_frames;
        view.sent_frames = now.sent_frames - then.sent_frames;
        view.lost_events = now.lost_events - then.lost_events;
        view.lost_messages = now.lost_messages - then.lost_messages;
        snapshot.workers.push_back(std::move(view));
    }
    const bool several = running.switches.size() > 1;
    for (unsigned i = 0; i < running.switches.size(); ++i) {
        const SwitchRecord& record = dataplane.switch_at(i);
        const Settings& settings = running.switches[i].settings();
        for (PortId port = 0; port < record.ports.size(); ++port) {
            const unsigned worker = record.shards[record.ports[port].options.shard].worker;
            snapshot.workers[worker].ports.push_back((several ? settings.switch_.name + ":" : "") +
                                                     settings.ports[port].name);
        }
    }
}

std::string changes_text(const RunningSwitch& one) {
    if (one.changes_by_set == 0) return {};
    return ", changed since by " + std::to_string(one.changes_by_set) + " `set`";
}

}  // namespace

Names names_of(const Running& running, std::size_t switch_index) {
    Names names;
    const auto& ports = running.switches[switch_index].settings().ports;
    for (std::size_t i = 0; i < ports.size(); ++i) {
        names.ports.emplace_back(static_cast<PortId>(i), ports[i].name);
    }
    for (const RunningSwitch& one : running.switches) {
        names.switches.push_back(one.settings().switch_.name);
    }
    return names;
}

Snapshot take_snapshot(Running& running, std::size_t switch_index, Needs what,
                       const Arguments& arguments, Session& session) {
    const RunningSwitch& one = running.switches[switch_index];
    Snapshot snapshot;
    snapshot.name = one.settings().switch_.name;
    add_switches(running, snapshot);
    add_ports(running, switch_index, snapshot);
    if (needs(what, Needs::Rates)) {
        add_rates(running, switch_index, arguments.find("stats"), session, snapshot);
    }
    snapshot.watchdog = one.settings().watchdog;
    snapshot.hooks = one.settings().hooks;
    if (needs(what, Needs::Queues)) add_queues(running, switch_index, snapshot);
    if (needs(what, Needs::Groups)) add_groups(running, switch_index, snapshot);
    if (needs(what, Needs::Links)) add_links(running, switch_index, snapshot);
    if (needs(what, Needs::Balance)) add_balance(running, switch_index, snapshot);
    if (needs(what, Needs::Neighbors | Needs::Routes)) {
        add_neighbors(running, switch_index, snapshot);
    }
    if (needs(what, Needs::Routes)) add_routes(running, switch_index, snapshot);
    if (needs(what, Needs::Paths)) add_paths(running, switch_index, snapshot);
    if (needs(what, Needs::Macs)) add_macs(running, switch_index, snapshot);
    if (needs(what, Needs::Workers)) add_workers(running, snapshot);
    if (needs(what, Needs::Config)) {
        snapshot.config = "file " + one.loaded->file + changes_text(one) + "\n" +
                          describe(one.settings(), *one.compiled);
    }
    return snapshot;
}

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/telemetry.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <string>
#include <string_view>

#include <rte_telemetry.h>

#include "tools/weir/log.h"
#include "tools/weir/snapshot_source.h"
#include "tools/weir/telemetry_links.h"
#include "tools/weir/telemetry_lossless.h"

namespace weir {
namespace {

// Callbacks have no argument of ours.
std::atomic<Telemetry*> live{nullptr};

bool find_switch(const Running& running, std::string_view name, TelemetrySubject& subject) {
    for (std::size_t i = 0; i < running.switches.size(); ++i) {
        if (running.switches[i].settings().switch_.name != name) continue;
        subject.switch_index = i;
        return true;
    }
    return false;
}

bool find_port(const Running& running, const std::string& name, TelemetrySubject& subject) {
    const auto read =
        read_value(*find_placeholder("PORT"), name, names_of(running, subject.switch_index));
    if (!read) return false;
    subject.port = read->port;
    return true;
}

bool find_subject(const Running& running, const std::string& text, bool needs_port,
                  TelemetrySubject& subject) {
    const std::size_t colon = text.find(':');
    const bool one = running.switches.size() == 1;
    if (!needs_port) {
        if (text.empty()) return one;
        return find_switch(running, text, subject);
    }
    if (colon == std::string::npos) return one && find_port(running, text, subject);
    return find_switch(running, text.substr(0, colon), subject) &&
           find_port(running, text.substr(colon + 1), subject);
}

// A name as telemetry takes it: letters, digits and '_'.
std::string key(std::string_view text) {
    std::string name(text);
    for (char& c : name) {
        if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
    }
    return name;
}

int put_switches(const Snapshot& snapshot, const TelemetrySubject& /*subject*/, TelemetryOut out) {
    rte_tel_data_start_array(out, RTE_TEL_STRING_VAL);
    for (const SwitchView& view : snapshot.switches) {
        rte_tel_data_add_array_string(out, view.name.c_str());
    }
    return 0;
}

int put_ports(const Snapshot& snapshot, const TelemetrySubject& /*subject*/, TelemetryOut out) {
    rte_tel_data_start_array(out, RTE_TEL_STRING_VAL);
    for (const PortView& port : snapshot.ports) {
        rte_tel_data_add_array_string(out, port.name.c_str());
    }
    return 0;
}

int put_port_info(const Snapshot& snapshot, const TelemetrySubject& subject, TelemetryOut out) {
    const PortView& port = *snapshot.port(subject.port);
    rte_tel_data_start_dict(out);
    rte_tel_data_add_dict_string(out, "name", port.name.c_str());
    rte_tel_data_add_dict_string(out, "device", port.device.c_str());
    rte_tel_data_add_dict_string(out, "driver", port.driver.c_str());
    rte_tel_data_add_dict_string(out, "mac", format(port.table.mac).c_str());
    rte_tel_data_add_dict_string(out, "mode",
                                 port.table.mode == PortMode::Routed ? "routed" : "bridged");
    rte_tel_data_add_dict_u64(out, "speed_bps", port.table.speed_bps);
    rte_tel_data_add_dict_u64(out, "frame_bytes_max", port.table.frame_bytes_max);
    rte_tel_data_add_dict_int(out, "up", port.usable ? 1 : 0);
    rte_tel_data_add_dict_int(out, "device_link", port.device_link ? 1 : 0);
    rte_tel_data_add_dict_int(out, "stopped", port.stopped ? 1 : 0);
    rte_tel_data_add_dict_u64(out, "core", port.core);
    return 0;
}

void put_drops_of(const PortCounts& counts, TelemetryOut out) {
    rte_tel_data_start_dict(out);
    for (unsigned i = 0; i < kDropReasons; ++i) {
        const std::string name = key(drop_reason_text(static_cast<DropReason>(i)));
        rte_tel_data_add_dict_u64(out, name.c_str(), counts.drops[i]);
    }
}

int put_port_stats(const Snapshot& snapshot, const TelemetrySubject& subject, TelemetryOut out) {
    const PortCounts& counts = snapshot.port(subject.port)->counts;
    rte_tel_data_start_dict(out);
    for (const CountField& field : kCountFields) {
        rte_tel_data_add_dict_u64(out, std::string(field.name).c_str(), counts.*field.value);
    }
    for (const PriorityCountField& field : kPriorityCountFields) {
        TelemetryOut array = rte_tel_data_alloc();
        rte_tel_data_start_array(array, RTE_TEL_U64_VAL);
        for (const std::uint64_t value : counts.*field.values) {
            rte_tel_data_add_array_u64(array, value);
        }
        rte_tel_data_add_dict_container(out, std::string(field.name).c_str(), array, 0);
    }
    TelemetryOut drops = rte_tel_data_alloc();
    put_drops_of(counts, drops);
    rte_tel_data_add_dict_container(out, "drops", drops, 0);
    return 0;
}

int put_drops(const Snapshot& snapshot, const TelemetrySubject& /*subject*/, TelemetryOut out) {
    PortCounts sum;
    for (const PortView& port : snapshot.ports) {
        for (unsigned i = 0; i < kDropReasons; ++i) sum.drops[i] += port.counts.drops[i];
    }
    put_drops_of(sum, out);
    return 0;
}

int put_workers(const Snapshot& snapshot, const TelemetrySubject& /*subject*/, TelemetryOut out) {
    rte_tel_data_start_dict(out);
    rte_tel_data_add_dict_u64(out, "mbufs", snapshot.mbufs);
    rte_tel_data_add_dict_u64(out, "mbufs_in_use", snapshot.mbufs_in_use);
    for (const WorkerView& worker : snapshot.workers) {
        TelemetryOut dict = rte_tel_data_alloc();
        rte_tel_data_start_dict(dict);
        rte_tel_data_add_dict_u64(dict, "turns", worker.turns);
        rte_tel_data_add_dict_u64(dict, "busy_ps", worker.busy_ps);
        rte_tel_data_add_dict_u64(dict, "total_ps", worker.total_ps);
        rte_tel_data_add_dict_u64(dict, "longest_turn_ps", worker.longest_turn_ps);
        rte_tel_data_add_dict_u64(dict, "received_frames", worker.received_frames);
        rte_tel_data_add_dict_u64(dict, "sent_frames", worker.sent_frames);
        rte_tel_data_add_dict_u64(dict, "lost_events", worker.lost_events);
        rte_tel_data_add_dict_u64(dict, "lost_messages", worker.lost_messages);
        const std::string name = "core_" + std::to_string(worker.core);
        rte_tel_data_add_dict_container(out, name.c_str(), dict, 0);
    }
    return 0;
}

struct TelemetryCommand {
    const char* name;
    const char* help;
    Needs needs;
    bool about_port;
    int (*put)(const Snapshot&, const TelemetrySubject&, TelemetryOut);
};

constexpr std::array kCommands = {
    TelemetryCommand{"/weir/switches", "Names of the switches of this process", Needs::Ports, false,
                     put_switches},
    TelemetryCommand{"/weir/ports", "Names of a switch's ports. Parameter: SWITCH", Needs::Ports,
                     false, put_ports},
    TelemetryCommand{"/weir/port_info", "Set-up and state of a port. Parameter: [SWITCH:]PORT",
                     Needs::Ports, true, put_port_info},
    TelemetryCommand{"/weir/port_stats", "Counters of a port. Parameter: [SWITCH:]PORT",
                     Needs::Ports, true, put_port_stats},
    TelemetryCommand{"/weir/drops", "Dropped frames of a switch by reason. Parameter: SWITCH",
                     Needs::Ports, false, put_drops},
    TelemetryCommand{"/weir/queues", "Egress queues of a port. Parameter: [SWITCH:]PORT",
                     Needs::Queues, true, put_queues},
    TelemetryCommand{"/weir/pfc", "Pauses of a port by priority. Parameter: [SWITCH:]PORT",
                     Needs::Groups, true, put_pfc},
    TelemetryCommand{"/weir/buffer", "Buffer of a port's priorities. Parameter: [SWITCH:]PORT",
                     Needs::Groups, true, put_buffer},
    TelemetryCommand{"/weir/pool", "Shared pool of a switch. Parameter: SWITCH", Needs::Groups,
                     false, put_pool},
    TelemetryCommand{"/weir/ecn", "Marking of a port's queues. Parameter: [SWITCH:]PORT",
                     Needs::Queues, true, put_ecn},
    TelemetryCommand{"/weir/watchdog", "Pause storms of a port. Parameter: [SWITCH:]PORT",
                     Needs::Groups, true, put_watchdog},
    TelemetryCommand{"/weir/links", "Link and session of a port. Parameter: [SWITCH:]PORT",
                     Needs::Links, true, put_link},
    TelemetryCommand{"/weir/paths", "Path tables of a switch. Parameter: SWITCH", Needs::Paths,
                     false, put_paths},
    TelemetryCommand{"/weir/workers", "Load of the workers, and frame buffers in use",
                     Needs::Workers, false, put_workers},
};

int answer(Running& running, const TelemetryCommand& command, const std::string& parameters,
           TelemetryOut out) {
    // What is about the process needs no switch named.
    const bool whole = command.put == put_switches || command.put == put_workers;
    TelemetrySubject subject;
    if (!whole && !find_subject(running, parameters, command.about_port, subject)) return -1;
    Session session;
    const Snapshot snapshot =
        take_snapshot(running, subject.switch_index, command.needs, {}, session);
    return command.put(snapshot, subject, out);
}

// On DPDK's telemetry thread.
int on_request(const char* name, const char* parameters, rte_tel_data* out) {
    Telemetry* telemetry = live.load(std::memory_order_acquire);
    const auto* command = std::find_if(
        kCommands.begin(), kCommands.end(),
        [name](const TelemetryCommand& c) { return std::string_view(c.name) == name; });
    if (telemetry == nullptr || command == kCommands.end()) return -1;
    const std::string text = parameters == nullptr ? "" : parameters;
    int result = -1;
    const bool ran =
        telemetry->call().run([&] { result = answer(telemetry->running(), *command, text, out); });
    return ran ? result : -1;
}

}  // namespace

Telemetry& Telemetry::start(Running& running) {
    auto* telemetry = new Telemetry(running);
    live.store(telemetry, std::memory_order_release);  // pairs with the load in on_request()
    for (const TelemetryCommand& command : kCommands) {
        if (rte_telemetry_register_cmd(command.name, on_request, command.help) != 0) {
            log_warning(std::string("telemetry: ") + command.name + " cannot be registered");
        }
    }
    return *telemetry;
}

}  // namespace weir

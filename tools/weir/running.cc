// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/running.h"

#include "tools/weir/event_text.h"

namespace weir {
namespace {

void write_line(Running& running, std::size_t switch_index, const std::string& line) {
    running.switches[switch_index].events.write_line(line);
    running.all_events.write_line(line);
}

EventStamp stamp_of(const Running& running, std::size_t switch_index, Time at) {
    return {.wall_nanoseconds = running.dataplane.clock().wall_nanoseconds(at),
            .at = at,
            .switch_name = running.switches[switch_index].settings().switch_.name};
}

// Every shard hears of a link and of new tables, one report of them is enough: the port's owner's.
bool worth_a_line(const RunningSwitch& one, const EventRecord& record) {
    switch (record.event.kind) {
        case EventKind::LinkUp:
        case EventKind::LinkDown:
            return one.compiled->ports[record.event.port].shard == record.shard;
        case EventKind::TablesAdopted:
            return record.shard == 0;
        default:
            return true;
    }
}

}  // namespace

void note_event(Running& running, std::size_t switch_index, std::string_view name,
                std::string_view port, std::string_view text) {
    const Time now = running.dataplane.clock().now();
    JsonLine line = event_line(stamp_of(running, switch_index, now), name);
    if (!port.empty()) line.add("port", port);
    if (!text.empty()) line.add("text", text);
    write_line(running, switch_index, line.text());
}

void take_worker_events(Running& running) {
    // A worker that reports faster than we write must not keep us here: the ring holds the rest.
    constexpr unsigned kRounds = 16;
    std::array<EventRecord, 64> records;
    for (unsigned worker = 0; worker < running.dataplane.workers(); ++worker) {
        for (unsigned round = 0; round < kRounds; ++round) {
            const unsigned count = running.dataplane.take_events(worker, records);
            for (const EventRecord& record : std::span(records).first(count)) {
                const RunningSwitch& one = running.switches[record.switch_index];
                if (!worth_a_line(one, record)) continue;
                const auto& ports = one.settings().ports;
                const PortId port = record.event.port;
                write_line(running, record.switch_index,
                           event_text(stamp_of(running, record.switch_index, record.event.at),
                                      record.event,
                                      port < ports.size() ? ports[port].name : std::string()));
            }
            if (count < records.size()) break;
        }
    }
}

}  // namespace weir

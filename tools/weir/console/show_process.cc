// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/console/show_process.h"

#include "tools/weir/console/text_table.h"

namespace weir {

Reply show_config(const Arguments& /*arguments*/, const Snapshot& snapshot) {
    return Reply::shown(snapshot.config);
}

Reply show_workers(const Arguments& /*arguments*/, const Snapshot& snapshot) {
    TextTable table({">core", ">turns", ">busy %", ">longest turn us", ">received_frames",
                     ">sent_frames", ">lost_events", ">lost_messages", "ports"});
    for (const WorkerView& worker : snapshot.workers) {
        // In nanoseconds: a hundred times the picoseconds of 21 days would not fit.
        const std::uint64_t total_ns = worker.total_ps / 1000;
        const std::string busy =
            total_ns == 0 ? "-" : thousandths(worker.busy_ps / 1000 * 100, total_ns);
        std::string ports;
        for (const std::string& port : worker.ports) ports += (ports.empty() ? "" : " ") + port;
        table.add({std::to_string(worker.core), std::to_string(worker.turns), busy,
                   thousandths(worker.longest_turn_ps, 1'000'000),
                   std::to_string(worker.received_frames), std::to_string(worker.sent_frames),
                   std::to_string(worker.lost_events), std::to_string(worker.lost_messages),
                   ports});
    }
    return Reply::shown(
        table.text() + "  frame buffers in use: " + std::to_string(snapshot.mbufs_in_use) + " of " +
        std::to_string(snapshot.mbufs) +
        "\n  lost event lines: " + std::to_string(snapshot.lost_event_lines) + '\n');
}

Reply show_switches(const Arguments& /*arguments*/, const Snapshot& snapshot) {
    TextTable table({"switch", ">ports", ">up", ">generation", "file"});
    for (const SwitchView& view : snapshot.switches) {
        table.add({view.name, std::to_string(view.ports), std::to_string(view.ports_usable),
                   std::to_string(view.generation), view.file});
    }
    return Reply::shown(table.text());
}

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/console/show_process.h"

#include "tools/weir/console/text_table.h"

namespace weir {

Reply show_config(const Arguments& /*arguments*/, const Snapshot& snapshot) {
    return Reply::shown(snapshot.config);
}

Reply show_workers(const Arguments& /*arguments*/, const Snapshot& snapshot) {
    TextTable table({">core", ">turns", ">busy %", ">longest turn us", ">frames held",
                     ">events lost", "ports"});
    for (const WorkerView& worker : snapshot.workers) {
        // In thousandths of a percent: 100,000 of all turns.
        const std::string busy =
            worker.turns == 0 ? "-" : thousandths(worker.busy_turns * 100, worker.turns);
        std::string ports;
        for (const std::string& port : worker.ports) ports += (ports.empty() ? "" : " ") + port;
        table.add({std::to_string(worker.core), std::to_string(worker.turns), busy,
                   thousandths(worker.turn_ns_max, 1000), std::to_string(worker.frames_held),
                   std::to_string(worker.events_lost), ports});
    }
    return Reply::shown(table.text());
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

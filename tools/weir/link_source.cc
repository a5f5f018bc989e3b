// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/link_source.h"

namespace weir {

void add_links(Running& running, std::size_t switch_index, Snapshot& snapshot) {
    const auto index = static_cast<unsigned>(switch_index);
    const Settings& settings = running.switches[switch_index].settings();
    for (const PortView& port : snapshot.ports) {
        const PortId id = port.id;
        const ShardId shard = running.dataplane.switch_at(index).ports[id].options.shard;
        const auto& link = settings.ports[id].link;
        const Interval half_life = link ? link->damping : Interval{};
        LinkView view;
        const bool done =
            running.dataplane.run_on_shard(index, shard, [&](const Shard& s, Time now) {
                view = link_view(s.state().links.by_port[id], now, id, half_life);
            });
        if (!done || (!view.watched && view.use == LinkUse::Usable)) continue;
        snapshot.links.push_back(view);
    }
}

}  // namespace weir

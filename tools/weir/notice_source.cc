// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/notice_source.h"

namespace weir {

void add_notices(Running& running, std::size_t switch_index, Snapshot& snapshot) {
    const auto index = static_cast<unsigned>(switch_index);
    const Settings& settings = running.switches[switch_index].settings();
    if (!settings.notices) return;
    snapshot.lost_here.emplace().prefixes.reserve(kPrefixesShownMax);
    // Every shard finds out for itself, and all the same.
    (void)running.dataplane.run_on_shard(
        index, 0, [&](const Shard& s, Time) { fill_lost_view(s.state(), *snapshot.lost_here); });
    for (const PortView& port : snapshot.ports) {
        const PortId id = port.id;
        if (!settings.ports[id].link) continue;
        const ShardId shard = running.dataplane.switch_at(index).ports[id].options.shard;
        NoticeView view;
        view.prefixes.reserve(kPrefixesShownMax);
        const bool done = running.dataplane.run_on_shard(
            index, shard, [&](const Shard& s, Time) { fill_notice_view(s.state(), id, view); });
        if (done) snapshot.notices.push_back(std::move(view));
    }
}

}  // namespace weir

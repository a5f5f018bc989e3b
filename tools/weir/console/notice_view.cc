// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/console/notice_view.h"

namespace weir {

namespace {

std::uint64_t fill(const ShardState& state, const GroupSet& set,
                   std::vector<DestinationPrefix>& prefixes) {
    std::uint64_t size = 0;
    set.for_each([&](std::uint32_t group) {
        ++size;
        if (prefixes.size() == prefixes.capacity()) return;
        prefixes.push_back(state.tables->destinations.groups[group].prefix);
    });
    return size;
}

}  // namespace

void fill_notice_view(const ShardState& state, PortId port, NoticeView& view) {
    const NoticePort& from = state.notices.by_port[port];
    view.port = port;
    view.session_up = state.notices.sessions_up.has(port);
    view.origin = from.origin;
    view.counters = from.counters;
    view.lost = fill(state, from.lost_by, view.prefixes);
}

void fill_lost_view(const ShardState& state, LostView& view) {
    view.lost = fill(state, state.notices.lost_here, view.prefixes);
}

}  // namespace weir

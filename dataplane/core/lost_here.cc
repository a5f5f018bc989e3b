// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/lost_here.h"

#include "dataplane/core/notice_telling.h"
#include "dataplane/core/router.h"

namespace weir {

namespace {

bool has_path(const ShardState& state, const Route& route) {
    if (route.kind == RouteKind::Connected) return state.usable.has(route.port);
    const PortSet usable = usable_ports(state, route);
    for (const NextHop& hop : route_members(*state.tables, route)) {
        if (usable.has(hop.port)) return true;
    }
    return false;
}

void note(std::uint64_t destinations, EventKind kind, Time now, Effects& out) {
    if (destinations == 0 || out.events.room() == 0) return;
    Event& event = out.events.push_slot();
    event = {.at = now, .number = destinations, .kind = kind};
}

void touch_changed_ports(ShardState& state) {
    Notices& notices = state.notices;
    const PortSet changed =
        (state.usable - notices.usable_seen) | (notices.usable_seen - state.usable);
    changed.for_each([&](PortId port) {
        for (const std::uint32_t group : state.tables->destinations.through(port)) {
            notices.touched.add(group);
        }
    });
    notices.usable_seen = state.usable;
}

}  // namespace

void touch_all(ShardState& state) {
    const auto groups = state.tables->destinations.groups;
    for (std::uint32_t group = 1; group < groups.size(); ++group) {
        if (groups[group].route != kNoRouteIndex) state.notices.touched.add(group);
    }
    state.notices.usable_seen = state.usable;
    state.notices.lost_changes_seen = state.condition->lost_changes();
}

bool may_have_lost(const ShardState& state) {
    return state.usable != state.notices.usable_seen ||
           state.condition->lost_changes() != state.notices.lost_changes_seen;
}

void look_at_losses(ShardState& state, Time now, Effects& out) {
    Notices& notices = state.notices;
    touch_changed_ports(state);
    // Another shard has heard something; which destinations, it has not said.
    if (state.condition->lost_changes() != notices.lost_changes_seen) touch_all(state);
    if (notices.touched.empty()) return;
    std::uint64_t lost = 0;
    std::uint64_t restored = 0;
    notices.touched.for_each([&](std::uint32_t group) {
        notices.touched.remove(group);
        const std::uint32_t route = state.tables->destinations.groups[group].route;
        if (route == kNoRouteIndex) return;
        const bool is_lost = !has_path(state, state.tables->routes[route]);
        if (is_lost == notices.lost_here.has(group)) return;
        is_lost ? notices.lost_here.add(group) : notices.lost_here.remove(group);
        ++(is_lost ? lost : restored);
        notices.recent.add(group);
    });
    if (lost + restored == 0) return;
    note(lost, EventKind::DestinationsLost, now, out);
    note(restored, EventKind::DestinationsRestored, now, out);
    announce(state, now);
}

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#include "config/compile_destinations.h"

#include <bit>

#include "dataplane/core/check.h"

namespace weir {
namespace {

// Calls visit(PortId) for each port that the route may leave by; a port may come twice.
template <typename Visit>
void for_each_port(const CompiledTables& tables, const Route& route, Visit visit) {
    if (route.kind == RouteKind::Connected) visit(route.port);
    for (std::uint32_t i = 0; i < route.count; ++i) visit(tables.next_hops[route.first + i].port);
}

void fill_groups(CompiledTables& out) {
    out.destination_groups.resize(out.group_indexes.keys.size());
    for (const TriePrefix& prefix : out.prefixes) {
        const std::uint32_t group = out.routes[prefix.route].group;
        if (group == kNoDestinationGroup) continue;
        out.destination_groups[group] = {{prefix.address, prefix.length}, prefix.route};
    }
}

void fill_slots(CompiledTables& out) {
    const std::vector<DestinationGroup>& groups = out.destination_groups;
    out.destination_slots.assign(std::bit_ceil(2 * groups.size()), kNoDestinationGroup);
    const std::size_t mask = out.destination_slots.size() - 1;
    for (std::uint32_t group = 1; group < groups.size(); ++group) {
        if (groups[group].route == kNoRouteIndex) continue;
        std::uint64_t at = DestinationTable::hash(groups[group].prefix);
        while (out.destination_slots[at & mask] != kNoDestinationGroup) ++at;
        out.destination_slots[at & mask] = group;
    }
}

void fill_ports(CompiledTables& out) {
    std::vector<std::vector<std::uint32_t>> of_port(kPortsMax);
    for (std::uint32_t group = 1; group < out.destination_groups.size(); ++group) {
        const std::uint32_t route = out.destination_groups[group].route;
        if (route == kNoRouteIndex) continue;
        for_each_port(out, out.routes[route], [&](PortId port) {
            if (of_port[port].empty() || of_port[port].back() != group) {
                of_port[port].push_back(group);
            }
        });
    }
    for (const std::vector<std::uint32_t>& groups : of_port) {
        out.first_group_of_port.push_back(static_cast<std::uint32_t>(out.groups_of_port.size()));
        out.groups_of_port.insert(out.groups_of_port.end(), groups.begin(), groups.end());
    }
    out.first_group_of_port.push_back(static_cast<std::uint32_t>(out.groups_of_port.size()));
}

}  // namespace

void compile_destinations(const Settings& settings, CompiledTables& out) {
    if (!settings.notices) return;
    const NoticeSettings& notices = *settings.notices;
    out.tables.notices = {.origin = default_seed(settings.switch_.name),
                          .refresh = notices.refresh,
                          .expiry = notices.expiry,
                          .udp_port = notices.udp_port,
                          .enabled = true};
    fill_groups(out);
    fill_slots(out);
    fill_ports(out);
    out.tables.destinations = {.groups = out.destination_groups,
                               .slots = out.destination_slots,
                               .first_of_port = out.first_group_of_port,
                               .of_port = out.groups_of_port};
}

}  // namespace weir

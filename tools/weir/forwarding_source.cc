// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/forwarding_source.h"

#include <algorithm>
#include <map>
#include <utility>

#include "dataplane/core/wire.h"
#include "tools/weir/console/flow_frame.h"
#include "tools/weir/snapshot_source.h"

namespace weir {
namespace {

// Slots that a worker copies at once. 512 neighbors are 32 KiB: 1 to 3 us from L2.
constexpr std::size_t kNeighborsAtOnce = 512;
constexpr std::size_t kMacsAtOnce = 2048;

// Copies a worker's table piece by piece: it goes on changing in between, and an entry that moves
// meanwhile may be missed or seen twice.
template <typename Slot, typename SlotsOf>
std::vector<Slot> copy_slots(Running& running, std::size_t switch_index, ShardId shard,
                             std::size_t at_once, SlotsOf slots_of) {
    std::vector<Slot> copy;
    std::vector<Slot> piece(at_once);
    for (std::size_t first = 0;; first += at_once) {
        std::size_t count = 0;
        const bool done = running.dataplane.run_on_shard(
            static_cast<unsigned>(switch_index), shard, [&](const Shard& from, Time) {
                const std::span<const Slot> slots = slots_of(from);
                if (first >= slots.size()) return;
                count = std::min(at_once, slots.size() - first);
                std::copy_n(slots.begin() + static_cast<std::ptrdiff_t>(first), count,
                            piece.begin());
            });
        if (!done || count == 0) return copy;
        copy.insert(copy.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(count));
    }
}

unsigned shards_of(const Running& running, std::size_t switch_index) {
    return static_cast<unsigned>(
        running.dataplane.switch_at(static_cast<unsigned>(switch_index)).shards.size());
}

// The ports that paths may go by now; single destinations may have lost some of them.
PortSet usable_ports(const Running& running, std::size_t switch_index) {
    const Condition& condition =
        running.dataplane.switch_at(static_cast<unsigned>(switch_index)).condition;
    PortSet usable = condition.ports_up() & condition.links_usable();
    const auto& ports = running.switches[switch_index].compiled->ports;
    for (PortId port = 0; port < ports.size(); ++port) {
        if (!ports[port].enabled) usable.remove(port);
    }
    return usable;
}

// What is left of them for the destinations of a route.
PortSet left_for(const Running& running, std::size_t switch_index, const Route& route,
                 const PortSet& usable) {
    if (route.group == kNoDestinationGroup) return usable;
    const auto index = static_cast<unsigned>(switch_index);
    return usable - running.dataplane.switch_at(index).condition.lost.ports(route.group);
}

using ResolvedGateways = std::map<std::pair<PortId, IpAddress>, bool>;

// Appends to `members`, which has room: this also runs on a worker, which must not allocate.
void append_members(const Tables& tables, const Route& route, std::vector<NextHopView>& members) {
    for (const NextHop& hop : tables.next_hops.subspan(route.first, route.count)) {
        members.push_back({.port = hop.port, .gateway = tables.gateways[hop.gateway].address});
    }
}

void judge_members(const PortSet& usable, const ResolvedGateways& resolved,
                   std::vector<NextHopView>& members) {
    for (NextHopView& member : members) {
        member.usable = usable.has(member.port);
        member.resolved = resolved.contains({member.port, member.gateway});
    }
}

ResolvedGateways resolved_gateways(const Snapshot& snapshot) {
    ResolvedGateways resolved;
    for (const NeighborView& neighbor : snapshot.neighbors) {
        if (neighbor.state >= NeighborState::Reachable) {
            resolved[{neighbor.port, neighbor.address}] = true;
        }
    }
    return resolved;
}

}  // namespace

void add_neighbors(Running& running, std::size_t switch_index, Snapshot& snapshot) {
    for (unsigned shard = 0; shard < shards_of(running, switch_index); ++shard) {
        const auto slots = copy_slots<Neighbor>(
            running, switch_index, static_cast<ShardId>(shard), kNeighborsAtOnce,
            [](const Shard& from) { return from.neighbors().slots(); });
        for (const Neighbor& slot : slots) {
            if (slot.state == NeighborState::Free) continue;
            snapshot.neighbors.push_back({.address = slot.address,
                                          .port = slot.port,
                                          .state = slot.state,
                                          .mac = read_mac(slot.rewrite.data()),
                                          .gateway = slot.gateway,
                                          .waiting = slot.pending_count});
        }
    }
    std::sort(snapshot.neighbors.begin(), snapshot.neighbors.end(),
              [](const NeighborView& a, const NeighborView& b) {
                  return std::pair(a.port, a.address) < std::pair(b.port, b.address);
              });
}

void add_routes(const Running& running, std::size_t switch_index, Snapshot& snapshot) {
    const CompiledTables& compiled = *running.switches[switch_index].compiled;
    const PortSet usable = usable_ports(running, switch_index);
    const ResolvedGateways resolved = resolved_gateways(snapshot);
    for (const TriePrefix& prefix : compiled.prefixes) {
        const Route& route = compiled.routes[prefix.route];
        RouteView& view = snapshot.routes.emplace_back();
        view.prefix = {prefix.address, prefix.length};
        view.kind = route.kind;
        view.port = route.port;
        if (route.kind == RouteKind::NextHops) {
            append_members(compiled.tables, route, view.next_hops);
            judge_members(left_for(running, switch_index, route, usable), resolved, view.next_hops);
        }
    }
}

void add_macs(Running& running, std::size_t switch_index, Snapshot& snapshot) {
    const RunningSwitch& one = running.switches[switch_index];
    for (const MacSettings& mac : one.settings().macs) {
        const auto& ports = one.settings().ports;
        const auto port = std::find_if(ports.begin(), ports.end(), [&mac](const PortSettings& p) {
            return p.name == mac.port;
        });
        snapshot.macs.push_back({.mac = mac.mac,
                                 .vlan = mac.vlan,
                                 .port = static_cast<PortId>(port - ports.begin()),
                                 .fixed = true});
    }
    const std::uint32_t now = mac_seen_units(running.dataplane.clock().now());
    for (unsigned shard = 0; shard < shards_of(running, switch_index); ++shard) {
        const auto slots =
            copy_slots<MacSlot>(running, switch_index, static_cast<ShardId>(shard), kMacsAtOnce,
                                [](const Shard& from) { return from.macs().slots(); });
        for (const MacSlot& slot : slots) {
            if (slot.key == 0 || slot.remote != 0) continue;  // shown where it was learned
            // An entry refreshed since `now` was read has an age of -1 unit.
            const auto age = static_cast<std::int32_t>(now - slot.seen);
            const std::uint64_t age_ps = static_cast<std::uint64_t>(std::max(age, 0))
                                         << kMacSeenShift;
            snapshot.macs.push_back({.mac = MacAddress{slot.key >> 12},
                                     .vlan = static_cast<VlanId>(slot.key & 0xfff),
                                     .port = slot.port,
                                     .age_ms = age_ps / 1'000'000'000});
        }
    }
    std::sort(snapshot.macs.begin(), snapshot.macs.end(), [](const MacView& a, const MacView& b) {
        return std::pair(a.vlan, a.mac) < std::pair(b.vlan, b.mac);
    });
}

std::string add_flow(Running& running, std::size_t switch_index, const Arguments& arguments,
                     Snapshot& snapshot) {
    Reading<FlowFrame> made = make_flow_frame(arguments, snapshot);
    if (!made) return made.problem;
    FlowFrame& flow = *made.value;
    Frame frame;
    frame.data = flow.bytes.data();
    frame.length = flow.length;
    frame.readable = flow.length;
    frame.in_port = flow.in_port;

    const auto index = static_cast<unsigned>(switch_index);
    const SwitchRecord& record = running.dataplane.switch_at(index);
    ExplainedFlow explained;
    explained.in_port = flow.in_port;
    explained.tagged = arguments.find("vlan") != nullptr || arguments.find("pcp") != nullptr;
    Explanation& steps = explained.steps;
    const ShardId owner = record.ports[flow.in_port].options.shard;
    explained.members.reserve(kNextHopsMax);
    bool answered = running.dataplane.run_on_shard(index, owner, [&](const Shard& shard, Time now) {
        steps = explain(shard, now, flow.in_port, frame);
        if (steps.choice.rule != kNoPathRule) {
            explained.rule = shard.tables().paths.rules[steps.choice.rule];
        }
        if (steps.route.kind == RouteKind::NextHops) {
            append_members(shard.tables(), steps.route, explained.members);
        }
    });
    if (answered && steps.outcome == Explanation::Outcome::Routed) {
        answered = running.dataplane.run_on_shard(
            index, steps.egress_shard,
            [&](const Shard& shard, Time) { explain_neighbor(shard, frame, steps); });
    }
    if (!answered) return {};  // the command says so
    judge_members(left_for(running, switch_index, steps.route, usable_ports(running, switch_index)),
                  resolved_gateways(snapshot), explained.members);
    const Value* destination = arguments.find("dst");
    for (const RouteView& route : snapshot.routes) {
        if (destination == nullptr || !contains(route.prefix, destination->prefix.address))
            continue;
        if (!explained.prefix || route.prefix.length > explained.prefix->length) {
            explained.prefix = route.prefix;
        }
    }
    snapshot.flow = std::move(explained);
    return {};
}

}  // namespace weir

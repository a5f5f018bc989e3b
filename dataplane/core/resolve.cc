// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/resolve.h"

#include "dataplane/core/arp.h"
#include "dataplane/core/hold.h"
#include "dataplane/core/icmp.h"
#include "dataplane/core/mix.h"
#include "dataplane/core/neighbor_discovery.h"
#include "dataplane/core/port_address.h"
#include "dataplane/core/send.h"
#include "dataplane/core/wire.h"

namespace weir {

namespace {

// News for people: what does not fit is left out. Half of the room is for other events.
bool fits_event(const Effects& out) {
    return out.events.size() < kBurstMax;
}

void note(const Neighbor& neighbor, Time now, EventKind kind, Effects& out) {
    if (!fits_event(out)) return;
    out.events.push({.at = now,
                     .address = neighbor.address,
                     .mac = read_mac(neighbor.rewrite.data()),
                     .port = neighbor.port,
                     .kind = kind});
}

// Half to one and a half times the base (RFC 4861 6.3.2), so that neighbors found together are not
// probed together. Drawn from the address and the instant: the same in every run.
Interval reachable_interval(Interval base, const IpAddress& address, Time now) {
    const std::uint64_t draw = mix(address.low ^ address.high ^ kMixA, now.ps ^ kMixC) & 0xffff;
    return base / 65'536 * static_cast<std::int64_t>(32'768 + draw);
}

// Cached decisions name resolved neighbors only; who was merely asked for is in none.
void forget(ShardState& state, std::uint32_t slot) {
    if (state.neighbors.at(slot).resolved()) ++state.epoch;
    state.neighbors.remove(slot);
}

// Sends one request, or, when there is no room for it, comes back at the next tick. A port that is
// down is not asked, but time goes on.
void ask(ShardState& state, Time now, std::uint32_t slot, Effects& out) {
    Neighbor& neighbor = state.neighbors.at(slot);
    if (out.own.room() == 0) return state.neighbors.set_deadline(slot, now);
    if (neighbor.probes < kNeighborProbesMax) ++neighbor.probes;
    state.neighbors.set_deadline(slot, now + kNeighborProbeInterval);
    if (!state.ports_up.has(neighbor.port)) return;
    if (neighbor.address.is_v4()) {
        send_arp_request(state, neighbor, out);
    } else {
        send_neighbor_solicitation(state, neighbor, out);
    }
}

void send_waiting(ShardState& state, Time now, std::uint32_t slot, Effects& out) {
    Frame frame;
    while (state.neighbors.take_waiting(slot, frame)) send_routed(state, now, frame, out);
}

void drop_waiting(ShardState& state, std::uint32_t slot, DropReason reason, Effects& out) {
    Frame frame;
    while (state.neighbors.take_waiting(slot, frame)) {
        drop_held(state, frame.out_port, reason, frame, out);
    }
}

// Nobody answered. A gateway goes on being asked, so that traffic starts as soon as it is there.
void give_up(ShardState& state, Time now, std::uint32_t slot, Effects& out) {
    Frame frame;
    while (state.neighbors.take_waiting(slot, frame)) {
        icmp_error(state, now, frame, IcmpError::HostUnreachable, out);
        drop_held(state, frame.out_port, DropReason::NeighborUnresolved, frame, out);
    }
    if (!state.neighbors.at(slot).gateway) return forget(state, slot);
    ask(state, now, slot, out);
}

void start_asking(ShardState& state, Time now, std::uint32_t slot, NeighborState as, Effects& out) {
    state.neighbors.at(slot).state = as;
    if (as == NeighborState::Incomplete) ++state.epoch;
    state.neighbors.at(slot).probes = 0;
    ask(state, now, slot, out);
}

// No answer from a neighbor that was there.
void lose(ShardState& state, Time now, std::uint32_t slot, Effects& out) {
    const Neighbor& neighbor = state.neighbors.at(slot);
    note(neighbor, now, EventKind::NeighborLost, out);
    if (!neighbor.gateway) return forget(state, slot);
    start_asking(state, now, slot, NeighborState::Incomplete, out);
}

// The entry's deadline is reached.
void advance(ShardState& state, Time now, std::uint32_t slot, Effects& out) {
    const Neighbor& neighbor = state.neighbors.at(slot);
    if (neighbor.leaving) {
        drop_waiting(state, slot, DropReason::PortRemoved, out);
        return forget(state, slot);
    }
    const bool asked_enough = neighbor.probes >= kNeighborProbesMax;
    switch (neighbor.state) {
        case NeighborState::Free:
            WEIR_CHECK(false);
            return;
        case NeighborState::Incomplete:
            return asked_enough ? give_up(state, now, slot, out) : ask(state, now, slot, out);
        case NeighborState::Reachable:
            if (!neighbor.used && !neighbor.gateway) return forget(state, slot);
            return start_asking(state, now, slot, NeighborState::Probing, out);
        case NeighborState::Probing:
            return asked_enough ? lose(state, now, slot, out) : ask(state, now, slot, out);
        case NeighborState::Static:
            state.neighbors.clear_deadline(slot);
            return send_waiting(state, now, slot, out);
    }
}

bool belongs_here(const ShardState& state, PortId port) {
    if (port >= state.tables->ports.size()) return false;
    const PortTable& table = state.tables->ports[port];
    return table.mode == PortMode::Routed && table.shard == state.id;
}

// Before the neighbor's state changes: cached decisions hold the MACs of those that were resolved.
void set_macs(ShardState& state, Neighbor& neighbor, MacAddress mac) {
    const auto before = neighbor.rewrite;
    write_mac(neighbor.rewrite.data(), mac);
    write_mac(neighbor.rewrite.data() + 6, state.tables->ports[neighbor.port].mac);
    if (neighbor.resolved() && neighbor.rewrite != before) ++state.epoch;
}

// What is still right under the new tables stays as it is; gateways and static neighbors are bound
// afresh. What was static goes on with its MAC until a probe tells otherwise.
void keep_or_let_go(ShardState& state, Time now, std::uint32_t slot, Effects& out) {
    Neighbor& neighbor = state.neighbors.at(slot);
    neighbor.leaving = !belongs_here(state, neighbor.port) ||
                       !may_be_neighbor(*state.tables, neighbor.port, neighbor.address);
    neighbor.gateway = false;
    if (neighbor.leaving) {
        if (neighbor.pending_count > out.freed.room()) {
            return state.neighbors.set_deadline(slot, now);
        }
        drop_waiting(state, slot, DropReason::PortRemoved, out);
        return forget(state, slot);
    }
    if (neighbor.resolved()) set_macs(state, neighbor, read_mac(neighbor.rewrite.data()));
    if (neighbor.state == NeighborState::Static) {
        neighbor.state = NeighborState::Probing;
        neighbor.probes = 0;
        state.neighbors.set_deadline(slot, now);
    }
}

bool may_be_evicted(const Neighbor& neighbor) {
    return neighbor.state != NeighborState::Free && neighbor.state != NeighborState::Static &&
           !neighbor.gateway && neighbor.pending_count == 0;
}

// A slot for a neighbor that the tables name: others make way. `from`: where to look for one that
// may, so that all calls together look at each slot once.
std::uint32_t slot_for(ShardState& state, PortId port, const IpAddress& address,
                       std::uint32_t& from) {
    const std::uint32_t slot = state.neighbors.find_or_add(port, address);
    if (slot != kNoNeighbor) return slot;
    for (; from < state.neighbors.slots().size(); ++from) {
        if (!may_be_evicted(state.neighbors.at(from))) continue;
        forget(state, from);
        return state.neighbors.find_or_add(port, address);
    }
    return kNoNeighbor;
}

void note_full(Time now, const IpAddress& address, PortId port, Effects& out) {
    if (!fits_event(out)) return;
    out.events.push(
        {.at = now, .address = address, .port = port, .kind = EventKind::NeighborTableFull});
}

void bind_gateways(ShardState& state, Time now, std::uint32_t& from, Effects& out) {
    const std::span<const Gateway> gateways = state.tables->gateways;
    for (std::uint32_t& slot : state.gateway_neighbors) slot = kNoNeighbor;
    // Those that are there are marked first, so that none makes way for another.
    for (const Gateway& gateway : gateways) {
        const std::uint32_t slot = state.neighbors.find(gateway.port, gateway.address);
        if (slot != kNoNeighbor) state.neighbors.at(slot).gateway = true;
    }
    for (std::size_t i = 0; i < gateways.size(); ++i) {
        const Gateway& gateway = gateways[i];
        if (!belongs_here(state, gateway.port)) continue;
        const std::uint32_t slot = slot_for(state, gateway.port, gateway.address, from);
        state.gateway_neighbors[i] = slot;
        if (slot == kNoNeighbor) {
            note_full(now, gateway.address, gateway.port, out);
            continue;
        }
        Neighbor& neighbor = state.neighbors.at(slot);
        neighbor.gateway = true;
        neighbor.leaving = false;
        if (!state.neighbors.deadline(slot)) state.neighbors.set_deadline(slot, now);
    }
}

void bind_static(ShardState& state, Time now, std::uint32_t& from, Effects& out) {
    for (const StaticNeighbor& configured : state.tables->static_neighbors) {
        if (!belongs_here(state, configured.port)) continue;
        const std::uint32_t slot = slot_for(state, configured.port, configured.address, from);
        if (slot == kNoNeighbor) {
            note_full(now, configured.address, configured.port, out);
            continue;
        }
        Neighbor& neighbor = state.neighbors.at(slot);
        set_macs(state, neighbor, configured.mac);
        neighbor.state = NeighborState::Static;
        neighbor.leaving = false;
        // What waited for it goes out with the next tick, which knows how much room there is.
        if (neighbor.pending_count != 0) {
            state.neighbors.set_deadline(slot, now);
        } else {
            state.neighbors.clear_deadline(slot);
        }
    }
}

}  // namespace

void wait_for_neighbor(ShardState& state, Time now, std::uint32_t slot, const Frame& frame,
                       Effects& out) {
    const Neighbor& neighbor = state.neighbors.at(slot);
    if (neighbor.leaving || !state.neighbors.wait(slot, frame)) {
        return drop_held(state, frame.out_port, DropReason::NeighborQueueFull, frame, out);
    }
    if (!state.neighbors.deadline(slot)) ask(state, now, slot, out);
}

void neighbor_heard(ShardState& state, Time now, std::uint32_t slot, MacAddress mac, Effects& out) {
    Neighbor& neighbor = state.neighbors.at(slot);
    if (neighbor.state == NeighborState::Static || neighbor.leaving) return;
    if (mac.is_group() || mac.is_zero() || mac == state.tables->ports[neighbor.port].mac) return;
    const bool news = !knows_mac(neighbor, mac);
    if (news) set_macs(state, neighbor, mac);
    neighbor.state = NeighborState::Reachable;
    neighbor.probes = 0;
    neighbor.used = false;
    state.neighbors.set_deadline(
        slot, now + reachable_interval(state.tables->neighbor_reachable, neighbor.address, now));
    if (news) note(neighbor, now, EventKind::NeighborResolved, out);
    send_waiting(state, now, slot, out);
}

void neighbor_claimed(ShardState& state, Time now, std::uint32_t slot, MacAddress mac,
                      Effects& out) {
    neighbor_heard(state, now, slot, mac, out);
    Neighbor& neighbor = state.neighbors.at(slot);
    if (neighbor.state != NeighborState::Reachable) return;
    neighbor.used = true;  // so that it is probed, not forgotten
    const Time probe = now + kNeighborDelay;
    if (*state.neighbors.deadline(slot) > probe) state.neighbors.set_deadline(slot, probe);
}

void probe_neighbor(ShardState& state, Time now, std::uint32_t slot) {
    Neighbor& neighbor = state.neighbors.at(slot);
    neighbor.used = true;  // so that it is probed, not forgotten
    neighbor.probes = 0;
    state.neighbors.set_deadline(slot, now);
}

void tick_neighbors(ShardState& state, Time now, Effects& out) {
    for (unsigned i = 0; i < kNeighborsPerTick; ++i) {
        const std::uint32_t slot = state.neighbors.due(now);
        if (slot == kNoNeighbor) return;
        if (out.freed.room() < kPendingPerNeighborMax) return;
        if (out.own.room() < kPendingPerNeighborMax + 1) return;
        advance(state, now, slot, out);
    }
}

void adopt_neighbors(ShardState& state, Time now, Effects& out) {
    const auto slots = static_cast<std::uint32_t>(state.neighbors.slots().size());
    for (std::uint32_t slot = 0; slot < slots; ++slot) {
        if (state.neighbors.at(slot).state == NeighborState::Free) continue;
        keep_or_let_go(state, now, slot, out);
    }
    std::uint32_t from = 0;
    bind_gateways(state, now, from, out);
    bind_static(state, now, from, out);
}

void probe_neighbors(ShardState& state, Time now, PortId port) {
    const auto slots = static_cast<std::uint32_t>(state.neighbors.slots().size());
    for (std::uint32_t slot = 0; slot < slots; ++slot) {
        const Neighbor& neighbor = state.neighbors.at(slot);
        if (neighbor.port != port || neighbor.state == NeighborState::Free) continue;
        if (neighbor.state != NeighborState::Static) probe_neighbor(state, now, slot);
    }
}

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/sessions.h"

#include <algorithm>

#include "dataplane/core/mix.h"
#include "dataplane/core/session_packet.h"

namespace weir {

namespace {

const LinkTable& table_of(const ShardState& state, PortId port) {
    return state.tables->links[port];
}

void note(ShardState& state, Time now, PortId port, EventKind kind, Effects& out) {
    if (out.events.room() == 0) return;
    const LinkSession& session = state.links.by_port[port].session;
    const auto peer = static_cast<unsigned>(session.peer_diagnostic());
    out.events.push(
        {.at = now,
         .address = state.links.watched.has(port) ? table_of(state, port).peer : IpAddress{},
         .number = static_cast<unsigned>(session.diagnostic()) | peer << 8,
         .port = port,
         .kind = kind});
}

LinkUse use_of(const ShardState& state, Time now, PortId port) {
    const Link& link = state.links.by_port[port];
    if (link.down_by_operator) return LinkUse::DownByOperator;
    if (!link.watched) return LinkUse::Usable;
    if (link.session.state() != SessionState::Up) {
        if (link.was_up) return LinkUse::SessionDown;
        return table_of(state, port).required ? LinkUse::NeverUp : LinkUse::Usable;
    }
    return now < link.usable_from ? LinkUse::HeldDown : LinkUse::Usable;
}

// What the link's parts have become, for all shards and the operator.
void judge(ShardState& state, Time now, PortId port, Effects& out) {
    Link& link = state.links.by_port[port];
    const bool before = link.use == LinkUse::Usable;
    link.use = use_of(state, now, port);
    const bool usable = link.use == LinkUse::Usable;
    if (usable == before) return;
    state.condition->set_link_usable(port, usable);
    if (link.use == LinkUse::NeverUp) return;  // no news
    note(state, now, port, usable ? EventKind::LinkUsable : EventKind::LinkLost, out);
}

void session_is_up(ShardState& state, Time now, PortId port) {
    Link& link = state.links.by_port[port];
    const LinkTable& table = table_of(state, port);
    link.usable_from = now;
    if (link.was_up) {
        link.last_outage = now - link.down_at;
        link.usable_from = now + table.hold_down;
        if (table.damping.ps != 0) {
            link.usable_from =
                std::max(link.usable_from, link.damping.released_at(now, table.damping));
        }
    }
    link.was_up = true;
    link.arrivals_began = false;
}

// What an operator did, on either side, is no fault of the link.
bool is_wanted(const LinkSession& session) {
    return session.diagnostic() == Diagnostic::AdministrativelyDown ||
           session.peer_state() == SessionState::AdminDown;
}

void session_is_lost(ShardState& state, Time now, PortId port) {
    Link& link = state.links.by_port[port];
    link.down_at = now;
    link.last_down = link.session.diagnostic();
    // Not every peer gives its reason for AdminDown.
    link.last_peer_down = link.session.peer_state() == SessionState::AdminDown
                              ? Diagnostic::AdministrativelyDown
                              : link.session.peer_diagnostic();
    ++link.counters.flaps;
    const Interval half_life = table_of(state, port).damping;
    if (half_life.ps != 0 && !is_wanted(link.session)) link.damping.flap(now, half_life);
}

// After anything that may have moved the session from `before`.
void follow(ShardState& state, Time now, PortId port, SessionState before, Effects& out) {
    const SessionState after = state.links.by_port[port].session.state();
    if (after == before) return;
    if (after == SessionState::Up) {
        session_is_up(state, now, port);
        notice_session_changed(state, now, port, true);
        note(state, now, port, EventKind::SessionUp, out);
    } else if (before == SessionState::Up) {
        session_is_lost(state, now, port);
        notice_session_changed(state, now, port, false);
        note(state, now, port, EventKind::SessionDown, out);
    }
    judge(state, now, port, out);
}

// At most an answer to a poll and a packet of its own.
void send_due(ShardState& state, Time now, PortId port, Effects& out) {
    Link& link = state.links.by_port[port];
    while (link.session.due(now)) {
        if (!state.ports_up.has(port)) return link.session.put_off(now, kSlowTxMin);
        const std::uint8_t* rewrite = peer_rewrite(state, port);
        if (rewrite == nullptr) {
            ++link.counters.neighbor_unresolved;
            return link.session.put_off(now, kSessionRetry);
        }
        if (out.own.room() == 0) return;  // with the next tick
        write_session_packet(*state.tables, port, rewrite, link.session.take_packet(now),
                             out.own.push_slot());
        ++link.counters.packets_sent;
    }
}

Time deadline_of(const Link& link, Time now) {
    Time first = link.session.next_deadline(now);
    if (link.use == LinkUse::HeldDown) first = std::min(first, link.usable_from);
    return first;
}

void note_deadline(ShardState& state, Time now, PortId port) {
    state.links.next = std::min(state.links.next, deadline_of(state.links.by_port[port], now));
}

// Unlike those of other ports, and of the session before.
std::uint32_t new_discriminator(ShardState& state, PortId port) {
    const std::uint64_t draw = mix(state.links.seed ^ kMixA, ++state.links.sessions_begun ^ kMixC);
    return static_cast<std::uint32_t>(draw << 16) | (port + 1u);
}

void begin(ShardState& state, Time now, PortId port) {
    Link& link = state.links.by_port[port];
    link.watched = true;
    link.was_up = false;
    link.damping = {};
    link.last_outage = {};
    link.arrivals.clear();
    const std::uint32_t discriminator = new_discriminator(state, port);
    link.session.begin(now, table_of(state, port).session, discriminator,
                       state.links.seed ^ discriminator, link.down_by_operator);
    state.links.watched.add(port);
}

// The peer notices by itself: an operator who does not want that says AdminDown before.
void end(ShardState& state, Time now, PortId port, Effects& out) {
    Link& link = state.links.by_port[port];
    link.watched = false;
    state.links.watched.remove(port);
    notice_session_changed(state, now, port, false);
    judge(state, now, port, out);
}

}  // namespace

const std::uint8_t* peer_rewrite(const ShardState& state, PortId port) {
    const std::uint32_t slot = state.gateway_neighbors[table_of(state, port).gateway];
    if (slot == kNoNeighbor) return nullptr;
    const Neighbor& neighbor = state.neighbors.at(slot);
    return neighbor.resolved() ? neighbor.rewrite.data() : nullptr;
}

bool watches(const ShardState& state, PortId in_port) {
    return state.links.watched.has(in_port);
}

bool is_link_local_from_peer(const ShardState& state, const Frame& frame, const Parsed& parsed) {
    if (parsed.kind != FrameKind::Ipv6) return false;
    if (!watches(state, frame.in_port)) return false;
    const std::uint8_t* ip = frame.data + parsed.l3_offset;
    return (read_ipv6(ip + 8).is_link_local() || read_ipv6(ip + 24).is_link_local()) &&
           read_mac(frame.data) == state.tables->ports[frame.in_port].mac;
}

void adopt_sessions(ShardState& state, Time now, Effects& out) {
    for (PortId port = 0; port < state.links.by_port.size(); ++port) {
        const bool watched = state.links.watched.has(port);
        const LinkTable* table = state.tables->links.empty() ? nullptr : &table_of(state, port);
        const bool wanted = table != nullptr && table->watched && state.own_ports.has(port);
        Link& link = state.links.by_port[port];
        if (watched && (!wanted || table->peer != link.peer)) end(state, now, port, out);
        if (!wanted) continue;
        if (link.watched) {
            link.session.change(now, table->session);
        } else {
            link.peer = table->peer;
            begin(state, now, port);
        }
        judge(state, now, port, out);
    }
    state.links.next = now;
}

void session_packet_heard(ShardState& state, Time now, const Frame& frame, const Parsed& parsed,
                          Effects& out) {
    const PortId port = frame.in_port;
    Link& link = state.links.by_port[port];
    BfdPacket packet;
    BfdDiscard discard = read_session_packet(*state.tables, frame, parsed, packet);
    const SessionState before = link.session.state();
    if (discard == BfdDiscard::kCount) discard = link.session.hear(now, packet);
    if (discard != BfdDiscard::kCount) {
        ++link.counters.discards[static_cast<unsigned>(discard)];
        return drop(state, port, DropReason::SessionPacketRefused, frame, out);
    }
    ++link.counters.packets_received;
    if (link.arrivals_began) link.arrivals.add(now - link.heard_at);
    follow(state, now, port, before, out);
    link.heard_at = now;
    link.arrivals_began = link.session.state() == SessionState::Up;
    note_deadline(state, now, port);
    drop(state, port, DropReason::ControlConsumed, frame, out);
}

void send_session_packets_now(ShardState& state, Time now, Effects& out) {
    state.links.watched.for_each([&](PortId port) { send_due(state, now, port, out); });
}

void tick_sessions_now(ShardState& state, Time now, Effects& out) {
    Time next = now + kSessionIdleMax;
    state.links.watched.for_each([&](PortId port) {
        Link& link = state.links.by_port[port];
        const SessionState before = link.session.state();
        link.session.expire(now);
        follow(state, now, port, before, out);
        if (link.use == LinkUse::HeldDown) judge(state, now, port, out);
        send_due(state, now, port, out);
        next = std::min(next, deadline_of(link, now));
    });
    state.links.next = next;
}

void sessions_stalled(ShardState& state, Time now, Interval away) {
    state.links.watched.for_each([&](PortId port) {
        Link& link = state.links.by_port[port];
        if (link.session.stalled(now, away)) ++link.counters.stalls;
    });
}

void port_changed(ShardState& state, Time now, PortId port, bool up, Effects& out) {
    if (!state.links.watched.has(port)) return;
    Link& link = state.links.by_port[port];
    const SessionState before = link.session.state();
    if (up) {
        link.session.put_off(now, {});
    } else {
        link.session.fail(now, Diagnostic::PathDown);
    }
    follow(state, now, port, before, out);
    note_deadline(state, now, port);
}

void administer_link(ShardState& state, Time now, PortId port, bool down, Effects& out) {
    if (port >= state.links.by_port.size()) return;
    Link& link = state.links.by_port[port];
    link.down_by_operator = down;
    if (!link.watched) return judge(state, now, port, out);
    const SessionState before = link.session.state();
    link.session.administer(now, down);
    follow(state, now, port, before, out);
    judge(state, now, port, out);
    note_deadline(state, now, port);
}

}  // namespace weir

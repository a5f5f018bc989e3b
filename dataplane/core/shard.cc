// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/shard.h"

#include <algorithm>

#include "dataplane/core/bridge.h"
#include "dataplane/core/classify.h"
#include "dataplane/core/fast_lane.h"
#include "dataplane/core/flow_hash.h"
#include "dataplane/core/hold.h"
#include "dataplane/core/hook.h"
#include "dataplane/core/lost_here.h"
#include "dataplane/core/mix.h"
#include "dataplane/core/pause.h"
#include "dataplane/core/reroute.h"
#include "dataplane/core/resolve.h"
#include "dataplane/core/router.h"
#include "dataplane/core/send.h"
#include "dataplane/core/sessions.h"

namespace weir {

namespace {

// A pass over the MAC table takes a quarter of the ageing time, a step of it this many slots (8
// cache lines).
constexpr unsigned kAgeSlots = 32;

// `condition` is null when the bytes are only counted.
void lay_out(ShardState& state, const ShardOptions& options, Condition* condition, Arena& arena) {
    state.counters = arena.take<PortCounters>(options.ports);
    state.gateway_neighbors = arena.take<std::uint32_t>(kGatewaysMax);
    state.macs.lay_out(arena, kMacEntriesMax);
    state.neighbors.lay_out(arena, kNeighborsMax, kPendingFramesMax);
    state.egress.lay_out(arena, options.ports, options.frames_max);
    state.flows.lay_out(arena);
    state.path_counts = arena.take<PathCounts>(options.path_rules);
    state.pauses = arena.take<PortPause>(options.ports);
    state.watchdog.lay_out(arena, options.ports);
    state.notices.lay_out(arena, options.ports, options.destination_groups);
    state.links.by_port = arena.take<Link>(options.ports);
    const std::size_t groups = std::size_t{options.ports} * kPriorities;
    const auto released = arena.take<Counter>(options.shards > 1 ? groups : 0);
    state.buffer.lay_out(arena, options.ports, options.id,
                         condition != nullptr ? &condition->pool_use : nullptr);
    if (condition != nullptr) condition->released[options.id].packed = released;
    LostDestinations lost;
    if (options.id == 0) {
        lost.lay_out(arena, options.destination_groups);
        if (condition != nullptr) condition->lost = lost;
    }
    state.seen_releases =
        arena.take<std::uint64_t>(options.shards > 1 ? options.shards * groups : 0);
}

// Frames that may be held before every group is over its threshold: what the lossless groups'
// headrooms may take is kept free, as far as that leaves half. The smallest frame takes 60 B and 24
// of preamble, FCS and gap on a link, so that many bytes of headroom become at most one frame.
std::uint64_t frames_limit(const Tables& tables, std::uint32_t held_frames) {
    if (held_frames == 0) return kFramesUnlimited;
    constexpr Bytes kSmallestBytes = kEthernetFrameBytesMin + kWireOverheadBytes;
    std::uint64_t headroom_frames = 0;
    for (std::size_t id = 0; id < tables.groups.size(); ++id) {
        const BufferProfile& profile = tables.groups[id];
        if (!profile.lossless || tables.ports[id / kPriorities].mode == PortMode::Absent) continue;
        headroom_frames += profile.headroom_bytes / kSmallestBytes + 1;
    }
    const std::uint64_t half = held_frames / 2;
    return std::max(half, held_frames - std::min<std::uint64_t>(headroom_frames, held_frames));
}

// The interval between two steps of the ageing pass.
Interval age_step(const ShardState& state) {
    const auto steps = static_cast<std::int64_t>(state.macs.slots().size() / kAgeSlots);
    return state.tables->mac_ageing / (4 * steps);
}

}  // namespace

std::size_t Shard::memory_bytes(const ShardOptions& options) {
    Arena counting{{}};
    ShardState state;
    lay_out(state, options, nullptr, counting);
    return counting.used_bytes();
}

Shard::Shard(const ShardOptions& options, Condition& condition, std::span<std::byte> memory) {
    Arena arena{memory};
    lay_out(state_, options, &condition, arena);
    state_.condition = &condition;
    state_.id = options.id;
    state_.shards = options.shards;
    state_.prng = Prng{options.seed};
    state_.egress.seed(options.seed ^ kMixC);
    state_.notices.first_sequence = options.notice_sequence;
    state_.links.seed = avalanche(options.session_seed);
    held_frames_ = options.held_frames;
}

// Once per call: what has changed outside since the last one.
void Shard::read_condition() {
    if (state_.condition->changes() != seen_changes_) [[unlikely]]
        read_ports();
    if (state_.shards > 1) state_.buffer.read_pool();
}

void Shard::read_ports() {
    seen_changes_ = state_.condition->changes();
    state_.ports_up = state_.condition->ports_up() & enabled_;
    state_.usable = state_.ports_up & state_.condition->links_usable();
    for (PortId port = 0; port < state_.counters.size(); ++port) {
        see_dropping(state_, port, state_.condition->dropping(port));
    }
    ++state_.epoch;
}

void Shard::adopt(Time now, const Tables& tables, Effects& out) {
    const bool first = state_.tables == nullptr;
    if (tables.tracks_flows && (first || !state_.tables->tracks_flows))
        state_.flows.begin_uses(now);
    state_.tables = &tables;
    ++state_.epoch;
    enabled_ = {};
    state_.own_ports = {};
    for (PortId port = 0; port < tables.ports.size(); ++port) {
        const PortTable& table = tables.ports[port];
        if (table.mode == PortMode::Absent) continue;
        if (table.enabled) enabled_.add(port);
        if (table.shard == state_.id) state_.own_ports.add(port);
    }
    read_ports();
    state_.buffer.adopt(tables.groups, tables.shared_pool_bytes, [&](GroupId group) {
        resume_peer(state_, group / kPriorities, group % kPriorities);
    });
    state_.buffer.limit_frames(frames_limit(tables, held_frames_));
    adopt_pauses(state_);
    for (PortId port = 0; port < state_.counters.size(); ++port) {
        state_.egress.adopt(port, tables.egress[port], tables.queue_bytes_max);
    }
    for (PortId port = 0; port < state_.counters.size(); ++port) {
        if (guards_ring(port)) weir::guard_ring(state_, port, tables.rx_guard_frames != 0);
    }
    adopt_watchdog(state_, now, out);
    adopt_neighbors(state_, now, out);
    adopt_sessions(state_, now, out);
    adopt_notices(state_, now);
    if (first || now > state_.loads.next) state_.loads.next = now;
    if (first) next_age_ = now + age_step(state_);
    Event& event = out.events.push_slot();
    event = {.at = now, .number = tables.generation, .kind = EventKind::TablesAdopted};
    finish(now, out);
}

// Ends each call that may have changed what is held: the peers hear of it, the other shards see our
// use of the pool.
void Shard::finish(Time now, Effects& out) {
    tell_pauses(state_, now, out);
    if (state_.shards > 1) state_.buffer.publish_pool();
}

void Shard::settle(Time now, Effects& out) {
    if (state_.shards == 1) return;
    take_releases(state_);
    finish(now, out);
}

void Shard::guard_ring(Time now, PortId in_port, std::uint32_t frames, Effects& out) {
    const std::uint32_t limit = state_.tables->rx_guard_frames;
    const bool full = guards_ring(in_port) ? frames > limit / 2 : frames >= limit;
    if (full == guards_ring(in_port)) return;
    weir::guard_ring(state_, in_port, full);
    finish(now, out);
}

void Shard::receive(Time now, PortId in_port, std::span<Frame> burst, Effects& out) {
    read_condition();
    const bool routed = state_.tables->ports[in_port].mode == PortMode::Routed;
    if (routed) burst = burst.subspan(fast_lane(state_, now, in_port, burst, out));
    if (!burst.empty()) {
        parse_burst(burst, parsed_);
        classify_and_count(in_port, burst);
        std::size_t kept = routed ? route_burst(state_, now, in_port, burst, parsed_, out)
                                  : bridge_burst(state_, now, in_port, burst, parsed_, out);
        if (routed && state_.tables->hooks.uplinks.has(in_port)) {
            move_hooks(state_, now, burst.first(kept), out);
        }
        if (!state_.dropping_ports.empty()) [[unlikely]]
            kept = drop_storming(state_, burst.first(kept), out);
        kept = hold_burst(state_, in_port, burst.first(kept), out);
        send_burst(state_, now, burst.first(kept), out);
    }
    finish(now, out);
}

void Shard::classify_and_count(PortId in_port, std::span<Frame> burst) {
    const PortTable& port = state_.tables->ports[in_port];
    PriorityBytes sums;
    std::size_t roce = 0;
    for (std::size_t i = 0; i < burst.size(); ++i) {
        Frame& frame = burst[i];
        frame.in_port = in_port;
        frame.priority = classify(port, state_.tables->maps, frame, parsed_[i]);
        // PFC has counters of its own and moves no others.
        if (parsed_[i].kind == FrameKind::MacControl) continue;
        sums.add(frame.priority, frame.length);
        roce += parsed_[i].roce ? 1 : 0;
    }
    count_received(state_.counters[in_port], sums, roce);
}

void Shard::enqueue(Time now, std::span<const Frame> burst, Effects& out) {
    read_condition();
    send_handed_over(state_, now, burst, out);
    finish(now, out);
}

void Shard::originate(const Frame& frame, Effects& out) {
    send_own(state_, frame, out);
}

void Shard::lose(PortId port, DropReason reason, const Frame& frame) {
    release(state_, frame);
    state_.counters[port].drops[static_cast<unsigned>(reason)].add(1);
}

std::span<const Frame> Shard::offer(Time now, PortId out_port, unsigned room) {
    const std::uint8_t paused = peer_paused(state_.pauses[out_port], now);
    return state_.egress.offer(now, out_port, state_.tables->egress[out_port], paused, room);
}

void Shard::commit(Time now, PortId out_port, unsigned sent, Effects& out) {
    const std::span<const Frame> offered = state_.egress.offered();
    const Bytes bytes = release_sent(state_, out_port, offered.first(sent));
    if (sent < offered.size()) [[unlikely]] {
        state_.counters[out_port].refused_frames.add(offered.size() - sent);
    }
    state_.egress.commit(now, out_port, state_.tables->egress[out_port], sent, bytes);
    finish(now, out);
}

void Shard::send_session_packets(Time now, Effects& out) {
    weir::send_session_packets(state_, now, out);
}

void Shard::stalled(Time now, Interval away) {
    sessions_stalled(state_, now, away);
}

void Shard::administer_link(Time now, PortId port, bool down, Effects& out) {
    read_condition();
    weir::administer_link(state_, now, port, down, out);
}

void Shard::force_pause(Time now, PortId port, std::uint8_t priorities, Effects& out) {
    weir::force_pause(state_, port, priorities);
    finish(now, out);
}

void Shard::hear(Time now, const ShardMessage& message) {
    switch (message.kind) {
        case ShardMessageKind::MacLearned:
            return state_.macs.learn_remote(now, message.key, message.port);
        case ShardMessageKind::MacForgotten:
            return state_.macs.forget_remote(message.key);
    }
}

void Shard::hear_notice(Time now, const HeardNotice& heard, bool authentic, Effects& out) {
    weir::hear_notice(state_, now, heard, authentic, out);
    read_condition();  // what follows takes the new paths
}

void Shard::tick(Time now, Effects& out) {
    read_condition();
    refresh_pauses(state_, now, out);
    tick_sessions(state_, now, out);
    tick_notices(now, out);
    if (now >= next_age_) age_macs(now, out);
    tick_neighbors(state_, now, out);
    drain_down_ports(out);
    measure_loads(state_, now);
    watch_queues(state_, now, out);
    drain_storms(state_, now, out);
    finish(now, out);
}

void Shard::age_macs(Time now, Effects& out) {
    next_age_ = now + age_step(state_);
    state_.macs.age(now, state_.tables->mac_ageing, kAgeSlots, [&](std::uint64_t key) {
        out.messages.push({key, kNoPort, ShardMessageKind::MacForgotten});
    });
}

bool Shard::reroute(Time now, Effects& out) {
    read_condition();
    const bool more = reroute_queued(state_, now, out);
    if (!out.freed.empty()) [[unlikely]]
        finish(now, out);
    return more;
}

// What the sessions have just found out is told in the same turn.
void Shard::tick_notices(Time now, Effects& out) {
    if (!state_.tables->notices.enabled) [[likely]]
        return;
    read_condition();
    if (now >= state_.notices.next || may_have_lost(state_)) tick_notices_now(state_, now, out);
}

// What is queued for a port that is down will not leave; a burst per call, so that no turn gets
// long.
void Shard::drain_down_ports(Effects& out) {
    PortSet down = backlog();
    for (unsigned i = 0; i < PortSet::kWords; ++i) down.words[i] &= ~state_.ports_up.words[i];
    if (down.empty()) [[likely]]
        return;
    Frame frame;
    down.for_each([&](PortId port) {
        while (out.freed.room() > 0 && state_.egress.queues().pop(port, frame)) {
            drop_held(state_, port, DropReason::PortDown, frame, out);
        }
    });
}

void Shard::link_changed(Time now, PortId port, bool up, Effects& out) {
    read_condition();
    if (up) {
        probe_neighbors(state_, now, port);
        renew_pauses(state_, now, port);
    }
    port_changed(state_, now, port, up, out);
    Event& event = out.events.push_slot();
    event = {.at = now, .port = port, .kind = up ? EventKind::LinkUp : EventKind::LinkDown};
    finish(now, out);
}

void Shard::clear_watermarks() {
    state_.egress.queues().clear_watermarks();
    state_.buffer.clear_watermarks();
    for (Link& link : state_.links.by_port) {
        link.counters = {};
        link.arrivals.clear();
    }
}

Time Shard::next_deadline() const {
    Time first = next_age_;
    first = std::min(first, state_.neighbors.next_deadline().value_or(first));
    if (state_.tables->measures_loads) first = std::min(first, state_.loads.next);
    first = std::min(first, next_refresh(state_).value_or(first));
    first = std::min(first, next_session(state_).value_or(first));
    if (state_.tables->notices.enabled) first = std::min(first, state_.notices.next);
    return std::min(first, next_look(state_).value_or(first));
}

}  // namespace weir

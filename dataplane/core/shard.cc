// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/shard.h"

#include <algorithm>

#include "dataplane/core/bridge.h"
#include "dataplane/core/classify.h"
#include "dataplane/core/resolve.h"
#include "dataplane/core/router.h"
#include "dataplane/core/send.h"

namespace weir {

namespace {

// A pass over the MAC table takes a quarter of the ageing time, a step of it this many slots (8
// cache lines).
constexpr unsigned kAgeSlots = 32;

void lay_out(ShardState& state, const ShardOptions& options, Arena& arena) {
    state.counters = arena.take<PortCounters>(options.ports);
    state.gateway_neighbors = arena.take<std::uint32_t>(kGatewaysMax);
    state.macs.lay_out(arena, kMacEntriesMax);
    state.neighbors.lay_out(arena, kNeighborsMax, kPendingFramesMax);
    state.egress.lay_out(arena, options.ports, options.frames_max);
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
    lay_out(state, options, counting);
    return counting.used_bytes();
}

Shard::Shard(const ShardOptions& options, Condition& condition, std::span<std::byte> memory) {
    Arena arena{memory};
    lay_out(state_, options, arena);
    state_.condition = &condition;
    state_.id = options.id;
}

void Shard::read_condition() {
    state_.ports_up = state_.condition->ports_up() & enabled_;
}

void Shard::adopt(Time now, const Tables& tables, Effects& out) {
    const bool first = state_.tables == nullptr;
    state_.tables = &tables;
    enabled_ = {};
    for (PortId port = 0; port < tables.ports.size(); ++port) {
        const PortTable& table = tables.ports[port];
        if (table.mode != PortMode::Absent && table.enabled) enabled_.add(port);
    }
    read_condition();
    adopt_neighbors(state_, now, out);
    if (first) next_age_ = now + age_step(state_);
    Event& event = out.events.push_slot();
    event = {.at = now, .number = tables.generation, .kind = EventKind::TablesAdopted};
}

void Shard::receive(Time now, PortId in_port, std::span<Frame> burst, Effects& out) {
    read_condition();
    parse_burst(burst, parsed_);
    classify_and_count(in_port, burst);
    if (state_.tables->ports[in_port].mode == PortMode::Routed) {
        route_burst(state_, now, in_port, burst, parsed_, out);
    } else {
        bridge_burst(state_, now, in_port, burst, parsed_, out);
    }
}

void Shard::classify_and_count(PortId in_port, std::span<Frame> burst) {
    const PortTable& port = state_.tables->ports[in_port];
    PortCounters& counters = state_.counters[in_port];
    std::uint64_t bytes = 0;
    std::uint64_t roce = 0;
    for (std::size_t i = 0; i < burst.size(); ++i) {
        Frame& frame = burst[i];
        frame.in_port = in_port;
        frame.priority = classify(port, state_.tables->maps, frame, parsed_[i]);
        bytes += frame.length;
        roce += parsed_[i].roce ? 1 : 0;
        counters.received_by_priority[frame.priority].add(1);
    }
    counters.received_frames.add(burst.size());
    counters.received_bytes.add(bytes);
    counters.received_roce_frames.add(roce);
}

void Shard::enqueue(Time now, std::span<const Frame> burst, Effects& out) {
    read_condition();
    for (const Frame& queued : burst) {
        Frame frame = queued;
        if (frame.gateway != kNoGateway) {
            send_routed(state_, now, frame, out);
        } else {
            send_bridged(state_, frame, out);
        }
    }
}

void Shard::originate(Frame frame, Effects& out) {
    frame.flags |= frame_flags::kOwn;
    frame.gateway = kNoGateway;
    send(state_, frame, out);
}

std::span<const Frame> Shard::offer(Time /*now*/, PortId out_port, unsigned room) {
    return state_.egress.offer(out_port, room);
}

void Shard::commit(Time /*now*/, PortId out_port, unsigned sent, Effects& /*out*/) {
    const std::span<const Frame> offered = state_.egress.offered();
    PortCounters& counters = state_.counters[out_port];
    std::uint64_t bytes = 0;
    for (const Frame& frame : offered.first(sent)) {
        bytes += frame.length;
        counters.sent_by_priority[frame.priority].add(1);
    }
    counters.sent_frames.add(sent);
    counters.sent_bytes.add(bytes);
    if (sent < offered.size()) [[unlikely]]
        counters.refused_frames.add(offered.size() - sent);
    state_.egress.commit(out_port, sent);
}

void Shard::hear(Time now, const ShardMessage& message) {
    switch (message.kind) {
        case ShardMessageKind::MacLearned:
            return state_.macs.learn_remote(now, message.key, message.port);
        case ShardMessageKind::MacForgotten:
            return state_.macs.forget_remote(message.key);
    }
}

void Shard::tick(Time now, Effects& out) {
    read_condition();
    if (now >= next_age_) age_macs(now, out);
    tick_neighbors(state_, now, out);
    drain_down_ports(out);
}

void Shard::age_macs(Time now, Effects& out) {
    next_age_ = now + age_step(state_);
    state_.macs.age(now, state_.tables->mac_ageing, kAgeSlots, [&](std::uint64_t key) {
        out.messages.push({key, kNoPort, ShardMessageKind::MacForgotten});
    });
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
        while (out.freed.room() > 0 && state_.egress.pop(port, frame)) {
            drop(state_, port, DropReason::PortDown, frame, out);
        }
    });
}

void Shard::link_changed(Time now, PortId port, bool up, Effects& out) {
    read_condition();
    if (up) probe_neighbors(state_, now, port);
    Event& event = out.events.push_slot();
    event = {.at = now, .port = port, .kind = up ? EventKind::LinkUp : EventKind::LinkDown};
}

Time Shard::next_deadline() const {
    return std::min(next_age_, state_.neighbors.next_deadline().value_or(next_age_));
}

}  // namespace weir

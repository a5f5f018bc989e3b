// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/watchdog.h"

#include <algorithm>

#include "dataplane/core/hold.h"
#include "dataplane/core/shard_state.h"

namespace weir {

namespace {

struct Queue {
    PortId port;
    Priority priority;
};

QueueWatch& watch_of(ShardState& state, Queue queue) {
    return state.watchdog.queues[group_of(queue.port, queue.priority)];
}

bool has_room(const Effects& out) {
    return out.events.room() >= kPriorities;
}

void note(Queue queue, Time now, EventKind kind, Effects& out) {
    out.events.push({.at = now, .port = queue.port, .kind = kind, .priority = queue.priority});
}

// A queue that drops takes no frame without a second look (send.cc).
void set_free_bytes(ShardState& state, PortId port) {
    state.egress.adopt(port, state.tables->egress[port], state.tables->queue_bytes_max);
    for_each_priority(state.condition->dropping(port), [&](Priority priority) {
        state.egress.queues().at(port, priority).free_bytes = 0;
    });
}

// Other shards hear of it by the condition, and all forget their remembered flows.
void set_dropping(ShardState& state, Queue queue, bool dropping) {
    const std::uint8_t before = state.condition->dropping(queue.port);
    const std::uint8_t bit = bit_of(queue.priority);
    const auto after = static_cast<std::uint8_t>(dropping ? before | bit : before & ~bit);
    state.condition->set_dropping(queue.port, after);
    see_dropping(state, queue.port, after);
    set_free_bytes(state, queue.port);
}

void set_ignored(ShardState& state, Queue queue, bool ignored) {
    std::uint8_t& bits = state.pauses[queue.port].ignored;
    const std::uint8_t bit = bit_of(queue.priority);
    bits = static_cast<std::uint8_t>(ignored ? bits | bit : bits & ~bit);
}

void act(ShardState& state, Queue queue, WatchdogAction action, bool storming) {
    switch (action) {
        case WatchdogAction::Drop:
            return set_dropping(state, queue, storming);
        case WatchdogAction::Forward:
            return set_ignored(state, queue, storming);
        case WatchdogAction::Alert:
            return;
    }
}

void start_storm(ShardState& state, Time now, Queue queue, Effects& out) {
    QueueWatch& watch = watch_of(state, queue);
    watch.storming = true;
    watch.action = state.tables->watchdog.action;
    act(state, queue, watch.action, true);
    state.counters[queue.port].storms_detected[queue.priority].add(1);
    note(queue, now, EventKind::StormDetected, out);
}

void end_storm(ShardState& state, Time now, Queue queue, Effects& out) {
    QueueWatch& watch = watch_of(state, queue);
    watch.storming = false;
    watch.held_frames = false;
    act(state, queue, watch.action, false);
    state.counters[queue.port].storms_restored[queue.priority].add(1);
    if (out.events.room() > 0) note(queue, now, EventKind::StormRestored, out);
}

// When to look again, at the latest with the next poll.
Time look_at_storm(ShardState& state, Time now, Queue queue, Time next_poll, Effects& out) {
    const PortPause& pause = state.pauses[queue.port];
    if ((pause.peer_paused & bit_of(queue.priority)) != 0) return next_poll;
    const Time over = pause.peer_pause_ends[queue.priority] + state.tables->watchdog.restoration;
    if (now < over) return std::min(over, next_poll);
    end_storm(state, now, queue, out);
    return next_poll;
}

Time look_at_queue(ShardState& state, Time now, Queue queue, Time next_poll, Effects& out) {
    QueueWatch& watch = watch_of(state, queue);
    const EgressQueue& egress = state.egress.queues().at(queue.port, queue.priority);
    const PortPause& pause = state.pauses[queue.port];
    const bool paused = (pause.peer_paused & bit_of(queue.priority)) != 0;
    // The pause that lasts, or that ended so recently that the next one would continue it.
    const Time until = paused ? now : pause.peer_pause_ends[queue.priority];
    const bool sent = egress.departed != watch.departed;
    if (!watch.held_frames || sent || now - until > kPauseGapMax) watch.stuck_since = now;
    watch.departed = egress.departed;
    watch.held_frames = egress.frames != 0;
    if (!watch.held_frames) return next_poll;
    const Time since = std::max(watch.stuck_since, pause.peer_pause_began[queue.priority]);
    const Time storm = since + state.tables->watchdog.detection;
    if (until >= storm) {
        start_storm(state, now, queue, out);
        return next_poll;
    }
    return paused ? std::min(storm, next_poll) : next_poll;
}

bool is_watched(const ShardState& state, Queue queue) {
    const PortTable& port = state.tables->ports[queue.port];
    return state.tables->watchdog.enabled && port.mode != PortMode::Absent &&
           port.shard == state.id && (port.pfc_priorities & bit_of(queue.priority)) != 0;
}

// All watched queues of a port; when to look again.
Time look_at_port(ShardState& state, Time now, PortId port, Time next_poll, Effects& out) {
    Time next = next_poll;
    (void)peer_paused(state.pauses[port], now);
    for_each_priority(state.tables->ports[port].pfc_priorities, [&](Priority priority) {
        const Queue queue{port, priority};
        if (!is_watched(state, queue)) return;
        next = std::min(next, watch_of(state, queue).storming
                                  ? look_at_storm(state, now, queue, next_poll, out)
                                  : look_at_queue(state, now, queue, next_poll, out));
    });
    return next;
}

bool drops(const ShardState& state, const Frame& frame) {
    return (state.dropping[frame.out_port] & bit_of(frame.priority)) != 0;
}

void count_storm_drop(ShardState& state, const Frame& frame) {
    state.counters[frame.out_port].storm_drops[frame.priority].add(1);
}

}  // namespace

void watch_queues(ShardState& state, Time now, Effects& out) {
    Watchdog& watchdog = state.watchdog;
    const WatchdogTable& table = state.tables->watchdog;
    if (!table.enabled || now < watchdog.next_look) [[likely]]
        return;
    if (watchdog.next_port == 0) watchdog.next_look = now + table.poll;
    for (PortId port = watchdog.next_port; port < state.counters.size(); ++port) {
        if (!has_room(out)) {
            watchdog.next_port = port;
            watchdog.next_look = now;
            return;
        }
        watchdog.next_look =
            std::min(watchdog.next_look, look_at_port(state, now, port, now + table.poll, out));
    }
    watchdog.next_port = 0;
}

void adopt_watchdog(ShardState& state, Time now, Effects& out) {
    state.watchdog.next_look = now;
    state.watchdog.next_port = 0;
    for (PortId port = 0; port < state.counters.size(); ++port) {
        for (Priority priority = 0; priority < kPriorities; ++priority) {
            const Queue queue{port, priority};
            const QueueWatch& watch = watch_of(state, queue);
            if (!watch.storming) continue;
            const bool same = watch.action == state.tables->watchdog.action;
            if (!same || !is_watched(state, queue)) end_storm(state, now, queue, out);
        }
        // The egress side has just taken the tables' limits.
        if (state.condition->dropping(port) != 0) set_free_bytes(state, port);
    }
}

void drain_storms(ShardState& state, Time now, Effects& out) {
    if (state.dropping_ports.empty()) [[likely]]
        return;
    Frame frame;
    state.dropping_ports.for_each([&](PortId port) {
        for_each_priority(state.dropping[port], [&](Priority priority) {
            while (out.freed.room() > 0 && state.egress.queues().pop_from(port, priority, frame)) {
                drop_in_storm(state, frame, out);
            }
        });
    });
    if (out.freed.room() == 0) state.watchdog.next_look = now;
}

std::size_t drop_storming(ShardState& state, std::span<Frame> burst, Effects& out) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < burst.size(); ++i) {
        if (drops(state, burst[i])) {
            count_storm_drop(state, burst[i]);
            state.counters[burst[i].out_port].queue_drops[burst[i].priority].add(1);
            drop(state, burst[i].out_port, DropReason::PauseStorm, burst[i], out);
            continue;
        }
        if (kept != i) burst[kept] = burst[i];
        ++kept;
    }
    return kept;
}

void drop_in_storm(ShardState& state, const Frame& frame, Effects& out) {
    count_storm_drop(state, frame);
    drop_held(state, frame.out_port, DropReason::PauseStorm, frame, out);
}

std::optional<Time> next_look(const ShardState& state) {
    if (!state.tables->watchdog.enabled) return std::nullopt;
    return state.watchdog.next_look;
}

}  // namespace weir

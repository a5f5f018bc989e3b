// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/pause.h"

#include <algorithm>

#include "dataplane/core/shard_state.h"

namespace weir {

namespace {

void set_untold(ShardState& state, PortId port, Priority priority) {
    PortPause& pause = state.pauses[port];
    pause.untold |= bit_of(priority);
    state.untold_pauses.add(port);
}

// Tells the operator which of the `classes` the peer has just been told to stop or to go on. Pause
// and resume alternate: a resume is told if its pause was. A pause that the rate limit has kept
// back is told with a refresh, if it lasts.
void note_changes(ShardState& state, Time now, PortId port, std::uint8_t classes, Effects& out) {
    PortPause& pause = state.pauses[port];
    for_each_priority(classes & (pause.asked() ^ pause.noted), [&](Priority priority) {
        const bool paused = (pause.asked() & bit_of(priority)) != 0;
        if (out.events.room() == 0) return;
        if (paused && !pause.events.take(now, kPauseEventInterval, kPauseEventsAtOnce)) return;
        pause.noted ^= bit_of(priority);
        out.events.push({.at = now,
                         .number = state.counters[port].pauses_sent[priority].read(),
                         .port = port,
                         .kind = paused ? EventKind::PauseSent : EventKind::ResumeSent,
                         .priority = priority});
    });
}

// One frame for all classes in `classes`: the paused ones with the longest time, the others with 0.
void send_pause_frame(ShardState& state, Time now, PortId port, std::uint8_t classes,
                      Effects& out) {
    const PortTable& table = state.tables->ports[port];
    PortPause& pause = state.pauses[port];
    PortCounters& counters = state.counters[port];
    PfcTimes times;
    times.enabled = classes;
    for_each_priority(classes, [&](Priority priority) {
        const bool paused = (pause.asked() & bit_of(priority)) != 0;
        times.quanta[priority] = paused ? kPauseQuantaMax : 0;
        (paused ? counters.pauses_sent : counters.resumes_sent)[priority].add(1);
    });
    OwnFrame& own = out.own.push_slot();
    own.out_port = port;
    own.length = kPfcFrameBytes;
    own.priority = kOwnControlPriority;
    write_pfc_frame(std::span{own.bytes}.first<kPfcFrameBytes>(), table.mac, times);
    counters.pfc_frames_sent.add(1);
    note_changes(state, now, port, classes, out);
    pause.untold = 0;
    pause.refresh_at = now + pause_interval(kPauseQuantaMax, table.speed_bps) / 2;
}

void end_peer_pause(PortPause& pause, Time now, Priority priority) {
    if ((pause.peer_paused & bit_of(priority)) == 0) return;
    pause.peer_paused &= static_cast<std::uint8_t>(~bit_of(priority));
    pause.peer_pause_ends[priority] = std::min(pause.peer_pause_ends[priority], now);
}

void obey(ShardState& state, Time now, PortId port, const PfcTimes& times) {
    const PortTable& table = state.tables->ports[port];
    PortPause& pause = state.pauses[port];
    PortCounters& counters = state.counters[port];
    for_each_priority(times.enabled, [&](Priority priority) {
        const std::uint16_t quanta = times.quanta[priority];
        (quanta != 0 ? counters.pauses_received : counters.resumes_received)[priority].add(1);
        if ((table.pfc_priorities & bit_of(priority)) == 0) return;
        if (quanta == 0) return end_peer_pause(pause, now, priority);
        Time& ends = pause.peer_pause_ends[priority];
        if (now - ends > kPauseGapMax) pause.peer_pause_began[priority] = now;
        ends = now + pause_interval(quanta, table.speed_bps);
        pause.peer_paused |= bit_of(priority);
    });
}

}  // namespace

void pause_peer(ShardState& state, PortId port, Priority priority) {
    state.pauses[port].pausing |= bit_of(priority);
    state.pausing_ports.add(port);
    set_untold(state, port, priority);
}

void resume_peer(ShardState& state, PortId port, Priority priority) {
    if ((state.pauses[port].guarded & bit_of(priority)) != 0) return;  // by guard_ring()
    state.pauses[port].pausing &= static_cast<std::uint8_t>(~bit_of(priority));
    if (state.pauses[port].asked() == 0) state.pausing_ports.remove(port);
    set_untold(state, port, priority);
}

void guard_ring(ShardState& state, PortId port, bool full) {
    PortPause& pause = state.pauses[port];
    const std::uint8_t before = pause.guarded;
    pause.guarded = full ? state.tables->ports[port].pfc_priorities : 0;
    for_each_priority(pause.guarded & static_cast<std::uint8_t>(~pause.pausing),
                      [&](Priority priority) { pause_peer(state, port, priority); });
    for_each_priority(before & static_cast<std::uint8_t>(~pause.guarded), [&](Priority priority) {
        if (!state.buffer.group(group_of(port, priority)).paused) {
            resume_peer(state, port, priority);
        }
    });
}

void force_pause(ShardState& state, PortId port, std::uint8_t priorities) {
    PortPause& pause = state.pauses[port];
    const std::uint8_t before = pause.asked();
    pause.forced = priorities;
    const std::uint8_t asked = pause.asked();
    if (asked == before) return;
    pause.untold |= asked ^ before;
    state.untold_pauses.add(port);
    asked != 0 ? state.pausing_ports.add(port) : state.pausing_ports.remove(port);
}

void renew_pauses(ShardState& state, Time now, PortId port) {
    PortPause& pause = state.pauses[port];
    for_each_priority(pause.peer_paused,
                      [&](Priority priority) { end_peer_pause(pause, now, priority); });
    if (pause.asked() == 0) return;
    pause.untold |= pause.asked();
    state.untold_pauses.add(port);
}

void adopt_pauses(ShardState& state) {
    for (PortId port = 0; port < state.pauses.size(); ++port) {
        state.pauses[port].peer_paused &= state.tables->ports[port].pfc_priorities;
    }
}

void tell_pauses_now(ShardState& state, Time now, Effects& out) {
    const PortSet untold = state.untold_pauses;
    untold.for_each([&](PortId port) {
        if (out.own.room() == 0) return;  // told with the next call
        const PortPause& pause = state.pauses[port];
        send_pause_frame(state, now, port, pause.untold | pause.asked(), out);
        state.untold_pauses.remove(port);
    });
}

void refresh_pauses(ShardState& state, Time now, Effects& out) {
    if (state.pausing_ports.empty()) [[likely]]
        return;
    state.pausing_ports.for_each([&](PortId port) {
        const PortPause& pause = state.pauses[port];
        if (now < pause.refresh_at || out.own.room() == 0) return;
        send_pause_frame(state, now, port, pause.asked(), out);
    });
}

void mac_control_heard(ShardState& state, Time now, PortId port, const Frame& frame,
                       const Parsed& parsed, Effects& out) {
    PortCounters& counters = state.counters[port];
    PfcTimes times;
    switch (read_mac_control(frame, parsed.l3_offset, times)) {
        case MacControlKind::Truncated:
            return drop(state, port, DropReason::MacControlTruncated, frame, out);
        case MacControlKind::UnknownOpcode:
            return drop(state, port, DropReason::MacControlOpcodeUnknown, frame, out);
        case MacControlKind::Pause:
            counters.link_pauses_received.add(1);
            break;
        case MacControlKind::Pfc:
            counters.pfc_frames_received.add(1);
            obey(state, now, port, times);
            break;
    }
    out.freed.push(frame.handle);
}

std::uint8_t peer_paused(PortPause& pause, Time now) {
    for_each_priority(pause.peer_paused, [&](Priority priority) {
        if (now < pause.peer_pause_ends[priority]) return;
        pause.peer_paused &= static_cast<std::uint8_t>(~bit_of(priority));
    });
    return pause.peer_paused & static_cast<std::uint8_t>(~pause.ignored);
}

std::optional<Time> next_refresh(const ShardState& state) {
    std::optional<Time> first;
    state.pausing_ports.for_each([&](PortId port) {
        const Time at = state.pauses[port].refresh_at;
        first = first ? std::min(*first, at) : at;
    });
    return first;
}

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
// The sessions of a shard: their packets in and out, their timers, and what they mean for links.
#pragma once

#include <optional>

#include "dataplane/core/parse.h"
#include "dataplane/core/shard_state.h"

namespace weir {

// A packet that could not leave because nobody knows the peer's MAC is tried again after this.
inline constexpr Interval kSessionRetry = Interval::milliseconds(10);

// A packet for a session over one hop. Multihop (4784), micro-BFD (6784) and echo (3785) are not.
[[nodiscard]] inline bool is_session_packet(const Parsed& parsed) {
    return parsed.protocol == kProtocolUdp && (parsed.ports & 0xffff) == kBfdUdpPort;
}

// New tables: sessions begin, change or end. For a peer that is a new one, the session begins anew.
void adopt_sessions(ShardState& state, Time now, Effects& out);

// Whether the port the frame arrived on has a session that its packets could be for.
[[nodiscard]] bool watches(const ShardState& state, PortId in_port);

// A session packet from or to a link-local address of IPv6, which no route leads to.
[[nodiscard]] bool is_link_local_session_packet(const ShardState& state, const Frame& frame,
                                                const Parsed& parsed);

// Takes a frame that is a session packet to the port's session. What there is to answer leaves with
// the next send_session_packets() or tick, once for all packets of a burst.
void session_packet_heard(ShardState& state, Time now, const Frame& frame, const Parsed& parsed,
                          Effects& out);

// Sends what is due: answers to polls, news, periodic packets. For every turn, also for those in
// which timers are not judged yet. One comparison when nothing is due.
void send_session_packets_now(ShardState& state, Time now, Effects& out);
inline void send_session_packets(ShardState& state, Time now, Effects& out) {
    if (state.links.watched.empty() || now < state.links.next) [[likely]]
        return;
    send_session_packets_now(state, now, out);
}

// The same, and judges timers: detection times and hold-downs.
void tick_sessions_now(ShardState& state, Time now, Effects& out);
inline void tick_sessions(ShardState& state, Time now, Effects& out) {
    if (state.links.watched.empty() || now < state.links.next) [[likely]]
        return;
    tick_sessions_now(state, now, out);
}

// As LinkSession::stalled(), for all.
void sessions_stalled(ShardState& state, Time now, Interval away);

// The port's device says that it is up or down.
void port_changed(ShardState& state, Time now, PortId port, bool up, Effects& out);

// The operator's word: the link is not used, and its session is AdminDown, until told otherwise.
void administer_link(ShardState& state, Time now, PortId port, bool down, Effects& out);

// When tick_sessions() has something to do; none: no port is watched.
[[nodiscard]] inline std::optional<Time> next_session(const ShardState& state) {
    if (state.links.watched.empty()) return std::nullopt;
    return state.links.next;
}

}  // namespace weir

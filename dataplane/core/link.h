// SPDX-License-Identifier: BSD-3-Clause
// A link: the adjacency of one port that a session watches, and whether paths may go by it. Written
// by the worker that owns the port.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "dataplane/core/damping.h"
#include "dataplane/core/interval_histogram.h"
#include "dataplane/core/link_session.h"
#include "dataplane/core/types.h"

namespace weir {

// Read on the worker's own thread only.
struct LinkCounters {
    std::uint64_t packets_sent = 0;
    std::uint64_t packets_received = 0;  // good ones
    std::array<std::uint64_t, kBfdDiscards> discards{};
    std::uint64_t neighbor_unresolved = 0;  // packets not sent for want of the peer's MAC
    std::uint64_t flaps = 0;                // from Up to anything else
    std::uint64_t stalls = 0;               // detection times extended because our worker was away
};

// What stands between a link and its use, in the order in which an operator would ask.
enum class LinkUse : std::uint8_t {
    Usable,
    DownByOperator,
    NeverUp,      // its session has not been Up yet, and is required
    SessionDown,  // it has been
    HeldDown,     // Up again; the hold-down, or damping, runs
};

struct Link {
    LinkSession session;
    IpAddress peer;
    Damping damping;
    IntervalHistogram arrivals;                    // between two packets of a session that is Up
    Time heard_at;                                 // the last packet
    Time down_at;                                  // when the session was last lost
    Time usable_from;                              // the end of hold-down and damping
    Interval last_outage;                          // from one Up to the next; 0: there was none
    Diagnostic last_down = Diagnostic::None;       // ours, of the last time it was lost
    Diagnostic last_peer_down = Diagnostic::None;  // the peer's, then
    bool watched = false;                          // there is a session
    bool down_by_operator = false;                 // outlives sessions
    bool was_up = false;                           // since the session began
    bool arrivals_began = false;                   // heard_at is of the same Up
    LinkUse use = LinkUse::Usable;
    LinkCounters counters;
};

// The links of a shard.
struct Links {
    std::span<Link> by_port;
    PortSet watched;  // with a session, and of this shard
    Time next;        // the earliest instant at which one has something to do; if any is watched
    std::uint64_t seed = 0;
    std::uint32_t sessions_begun = 0;
};

}  // namespace weir

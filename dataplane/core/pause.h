// SPDX-License-Identifier: BSD-3-Clause
// Pausing and being paused, per priority: what we ask of the peers, and what they ask of us.
#pragma once

#include <array>

#include "dataplane/core/parse.h"
#include "dataplane/core/pfc.h"
#include "dataplane/core/time.h"

namespace weir {

struct ShardState;
struct Effects;

// Of one port. Written by the worker that owns it.
struct alignas(64) PortPause {
    std::array<Time, kPriorities> peer_pause_ends{};  // valid for the bits in peer_paused
    Time refresh_at;               // when the peer must be told again, if pausing != 0
    std::uint8_t peer_paused = 0;  // priorities that the peer has paused, as far as not yet expired
    std::uint8_t pausing = 0;      // priorities that we have paused
    std::uint8_t untold = 0;       // priorities whose change the peer has not been told
};

// The group of `port` and `priority` has passed its threshold, or has drained. The peer hears of it
// with the next tell_pauses(), which ends every call of the shard.
void pause_peer(ShardState& state, PortId port, Priority priority);
void resume_peer(ShardState& state, PortId port, Priority priority);

// New tables: a peer's pause of a priority that is not lossless any more is over.
void adopt_pauses(ShardState& state);

// Sends what the peers have not been told: one frame per port with all classes that changed or stay
// paused.
void tell_pauses_now(ShardState& state, Time now, Effects& out);

// Repeats pauses that last, at half their time, so that they never run out by themselves.
void refresh_pauses(ShardState& state, Time now, Effects& out);

// A MAC control frame arrived on `port`: obeys PFC for its lossless priorities, counts, never
// forwards.
void mac_control_heard(ShardState& state, Time now, PortId port, const Frame& frame,
                       const Parsed& parsed, Effects& out);

// Priorities of `port` that may not send now; pauses whose time has come are over.
[[nodiscard]] std::uint8_t peer_paused(PortPause& pause, Time now);

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
// Pausing and being paused, per priority: what we ask of the peers, and what they ask of us.
#pragma once

#include <array>
#include <optional>

#include "dataplane/core/parse.h"
#include "dataplane/core/pfc.h"
#include "dataplane/core/rate_limit.h"
#include "dataplane/core/time.h"

namespace weir {

struct ShardState;
struct Effects;

// Pauses of a peer with no more than this between them are one: a hundredth of the shortest
// detection time of the watchdog, and more than a peer that refreshes in time ever leaves.
inline constexpr Interval kPauseGapMax = Interval::milliseconds(1);

// Pauses that a port tells the operator of: so many at once, then one a second. An incast pauses a
// port thousands of times a second; with 256 ports these are 512 lines a second at most.
inline constexpr unsigned kPauseEventsAtOnce = 4;
inline constexpr Interval kPauseEventInterval = Interval::seconds(1);

// Of one port. Written by the worker that owns it.
struct alignas(64) PortPause {
    // When the peer's pause of a priority ends, or ended.
    std::array<Time, kPriorities> peer_pause_ends{};
    Time refresh_at;               // when the peer must be told again, if pausing != 0
    std::uint8_t peer_paused = 0;  // priorities that the peer has paused, as far as not yet expired
    std::uint8_t ignored = 0;      // of these, the ones that the watchdog does not obey
    std::uint8_t pausing = 0;      // priorities that we have paused
    std::uint8_t guarded = 0;      // of these, the ones paused because the RX ring fills up
    std::uint8_t forced = 0;       // priorities paused because the operator wants it
    std::uint8_t untold = 0;       // priorities whose change the peer has not been told
    std::uint8_t noted = 0;        // priorities whose pause is the last that the operator was told
    // Since when the peer has paused a priority without a gap of more than kPauseGapMax.
    std::array<Time, kPriorities> peer_pause_began{};
    RateLimit events;

    // Priorities that the peer is to see as paused, whoever wants it.
    [[nodiscard]] std::uint8_t asked() const { return pausing | forced; }
};

// The group of `port` and `priority` has passed its threshold, or has drained. The peer hears of it
// with the next tell_pauses(), which ends every call of the shard.
void pause_peer(ShardState& state, PortId port, Priority priority);
void resume_peer(ShardState& state, PortId port, Priority priority);

// The RX ring of `port` fills up, or has emptied: its lossless priorities are paused whatever their
// groups hold, and resumed as far as their groups are not paused.
void guard_ring(ShardState& state, PortId port, bool full);

// Pauses the peer's `priorities` (a bit each) until called with others, whatever the buffer holds:
// a pause storm, to see what peers make of it.
void force_pause(ShardState& state, PortId port, std::uint8_t priorities);

// The link of `port` is up again: what was told meanwhile is lost, so the peer hears of our pauses
// anew, and his own are over.
void renew_pauses(ShardState& state, Time now, PortId port);

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

// Priorities that may not send now; pauses whose time has come are over.
[[nodiscard]] std::uint8_t peer_paused(PortPause& pause, Time now);

// When a pause that lasts must be repeated; none: no pause lasts.
[[nodiscard]] std::optional<Time> next_refresh(const ShardState& state);

}  // namespace weir

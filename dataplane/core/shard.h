// SPDX-License-Identifier: BSD-3-Clause
// The surface of the core: the part of a switch that one worker owns, both directions of its ports.
//
// One thread calls a shard at a time. Nothing here reads a clock, allocates, locks or logs; what is
// to be done outside is appended to Effects, which the caller empties after each call.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "dataplane/core/arena.h"
#include "dataplane/core/condition.h"
#include "dataplane/core/effects.h"
#include "dataplane/core/frame.h"
#include "dataplane/core/parse.h"
#include "dataplane/core/shard_state.h"

namespace weir {

struct ShardOptions {
    ShardId id = 0;
    ShardId shards = 1;               // how many the switch has
    std::uint16_t ports = kPortsMax;  // the switch's port indexes are below this
    // Frames that all queues of the shard may hold together: the number of mbufs that can be in its
    // hands.
    std::uint32_t frames_max = 16'384;
    std::uint64_t seed = 1;  // of the draws for ECN marks
    // Of discriminators and jitter: a switch that starts again should not say what it said before.
    std::uint64_t session_seed = 1;
    // Frames (mbufs) that the switch may hold in queues, headroom included; 0: no limit. Many small
    // frames pause their senders before these are used up.
    std::uint32_t held_frames = 0;
    std::uint32_t path_rules = 0;  // whose frames are counted: those with numbers below this
    std::uint32_t destination_groups = kDestinationGroupsMax;  // Route::group is below this
};

class Shard {
  public:
    // Bytes of 64-byte aligned memory that a shard with these options needs.
    [[nodiscard]] static std::size_t memory_bytes(const ShardOptions& options);

    // `condition` is shared by the shards of one switch and outlives them, as does `memory`.
    Shard(const ShardOptions& options, Condition& condition, std::span<std::byte> memory);
    Shard(const Shard&) = delete;
    Shard& operator=(const Shard&) = delete;

    // Takes new tables into use, between two bursts. `tables` must stay valid until the next
    // adopt() has returned. Frames queued for ports that are gone are freed, the rest stays queued.
    void adopt(Time now, const Tables& tables, Effects& out);

    // Begins a turn: takes what other shards have let go of, so that what arrives now finds the
    // room and peers are resumed. Nothing else does; nothing to do with one shard.
    void settle(Time now, Effects& out);

    // `frames` wait in the RX ring of `in_port`: from Tables::rx_guard_frames on its lossless
    // priorities are paused, at half of that they are resumed.
    void guard_ring(Time now, PortId in_port, std::uint32_t frames, Effects& out);

    // Takes a burst (at most kBurstMax) that arrived on `in_port`: data, handle, length and
    // readable are set by the caller, the rest here. Afterwards each frame is queued, waiting for a
    // neighbor, in out.hand_offs, out.floods or out.freed.
    void receive(Time now, PortId in_port, std::span<Frame> burst, Effects& out);

    // Takes frames whose egress port belongs to this shard: hand-offs from other shards and flood
    // copies.
    void enqueue(Time now, std::span<const Frame> burst, Effects& out);

    // Takes a frame that was made for an OwnFrame: `frame.out_port` and `frame.priority` are set.
    void originate(const Frame& frame, Effects& out);

    // The frames that may be sent on `out_port` now, best first, at most `room` (<= kBurstMax).
    // They stay the switch's until commit(). The view ends with the next call on this shard.
    [[nodiscard]] std::span<const Frame> offer(Time now, PortId out_port, unsigned room);

    // The device took the first `sent` frames of the last offer(), which was for this port.
    void commit(Time now, PortId out_port, unsigned sent, Effects& out);

    // A frame of this shard's port that was to be copied or handed off was lost outside; its handle
    // is the caller's.
    void lose(PortId port, DropReason reason, const Frame& frame);

    // News from another shard of the same switch.
    void hear(Time now, const ShardMessage& message);

    // Timers: ageing, address resolution. Cheap when nothing is due; bounded work per call.
    void tick(Time now, Effects& out);

    // Local reroute: what waits for ports that are no longer usable goes to its new paths. To be
    // called at the start of a turn and after tick(), before anything is received; again when it
    // returns true and `out` was emptied.
    [[nodiscard]] bool reroute(Time now, Effects& out);

    // Whether reroute() may have something to do: a look at two words for most turns.
    [[nodiscard]] bool may_reroute() const {
        return state_.condition->changes() != seen_changes_ || !(backlog() - state_.usable).empty();
    }

    // `port` went up or down (the condition is already changed). Frames queued for a port that is
    // down, and that reroute() found no other path for, are freed by tick().
    void link_changed(Time now, PortId port, bool up, Effects& out);

    // Sends the sessions' packets that are due. Part of tick(); for turns without one.
    void send_session_packets(Time now, Effects& out);

    // The caller, about to call tick(), was away for `away` and has fed what arrived meanwhile:
    // sessions do not take its absence for their peers'.
    void stalled(Time now, Interval away);

    // The operator takes the link of `port` out of use, or gives it back (sessions.h).
    void administer_link(Time now, PortId port, bool down, Effects& out);

    // An experiment: pauses these priorities of the peer until called with others (0: none).
    void force_pause(Time now, PortId port, std::uint8_t priorities, Effects& out);

    // Frames of this shard's port that never got as far as receive() or originate() were dropped.
    // NOLINTNEXTLINE(readability-make-member-function-const): what is counted is the shard's state
    void count_drop(PortId port, DropReason reason, std::uint64_t frames) {
        state_.counters[port].drops[static_cast<unsigned>(reason)].add(frames);
    }

    // Watermarks of queues and buffer start again from what is held now, counters of links from 0.
    void clear_watermarks();

    // The earliest instant at which tick() has something to do; the lab jumps there.
    [[nodiscard]] Time next_deadline() const;

    // Ports with frames to offer.
    [[nodiscard]] const PortSet& backlog() const { return state_.egress.queues().backlog(); }

    // Whether the port's lossless priorities are paused for its RX ring.
    [[nodiscard]] bool guards_ring(PortId port) const { return state_.pauses[port].guarded != 0; }

    [[nodiscard]] const PortCounters& counters(PortId port) const { return state_.counters[port]; }
    [[nodiscard]] const Tables& tables() const { return *state_.tables; }
    [[nodiscard]] const Condition& condition() const { return *state_.condition; }
    [[nodiscard]] const MacTable& macs() const { return state_.macs; }
    [[nodiscard]] const NeighborTable& neighbors() const { return state_.neighbors; }
    [[nodiscard]] const Egress& egress() const { return state_.egress; }
    [[nodiscard]] const ShardState& state() const { return state_; }
    [[nodiscard]] ShardId id() const { return state_.id; }

  private:
    void read_condition();
    void read_ports();
    void classify_and_count(PortId in_port, std::span<Frame> burst);
    void age_macs(Time now, Effects& out);
    void drain_down_ports(Effects& out);
    void finish(Time now, Effects& out);

    ShardState state_;
    PortSet enabled_;                 // ports that the configuration wants
    std::uint32_t seen_changes_ = 0;  // of the condition
    std::uint32_t held_frames_ = 0;
    Time next_age_;
    std::array<Parsed, kBurstMax> parsed_;
};

}  // namespace weir

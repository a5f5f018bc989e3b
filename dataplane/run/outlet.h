// SPDX-License-Identifier: BSD-3-Clause
// Carries out what a shard wants done: frees, own frames, copies of flooded frames, hand-offs,
// news, events.
#pragma once

#include "dataplane/core/effects.h"
#include "dataplane/io/mbuf_frames.h"
#include "dataplane/run/seat.h"
#include "dataplane/run/worker_counters.h"

namespace weir {

class Outlet {
  public:
    Outlet(rte_mempool* pool, WorkerCounters& counters) : pool_(pool), counters_(&counters) {}

    // To be given to one call of a shard, and then to be emptied.
    [[nodiscard]] Effects& effects() { return effects_; }

    // Carries out everything in effects().
    void flush(Time now, Seat& seat) {
        flush_one(seat, effects_);
        if (!effects_.heard_notices.empty()) [[unlikely]]
            check_notices(now, seat);
        if (!effects_.floods.empty()) [[unlikely]]
            flood_all(now, seat);
    }

    void set_event_ring(ItemRing<EventRecord> ring) { events_ = ring; }

  private:
    // All but floods.
    void flush_one(Seat& seat, Effects& effects) {
        if (!effects.freed.empty()) free_all(effects);
        if (!effects.own.empty()) [[unlikely]]
            originate_all(seat, effects);
        if (seat.rings != nullptr) hand_off_all(seat, effects);
        if (!effects.notices.empty()) [[unlikely]]
            send_notices(seat, effects);
        if (!effects.messages.empty()) [[unlikely]]
            tell_all(seat, effects);
        if (!effects.events.empty()) [[unlikely]]
            report_all(seat, effects);
    }
    static void free_all(Effects& effects) {
        free_frames(effects.freed.all());
        effects.freed.clear();
    }
    void originate_all(Seat& seat, Effects& effects);
    void send_notices(Seat& seat, Effects& effects);
    void check_notices(Time now, Seat& seat);
    void hand_off_all(Seat& seat, Effects& effects) {
        for (unsigned to = 0; to < seat.rings->shards(); ++to) {
            if (effects.hand_offs[to].empty()) continue;
            hand_off(seat, static_cast<ShardId>(to), effects.hand_offs[to].all());
            effects.hand_offs[to].clear();
        }
    }
    void hand_off(Seat& seat, ShardId to, std::span<const Frame> frames);
    void tell_all(Seat& seat, Effects& effects);
    void report_all(Seat& seat, Effects& effects);
    void flood_all(Time now, Seat& seat);
    void flood(Time now, Seat& seat, const FloodRequest& request);
    void enqueue_copies(Time now, Seat& seat);

    rte_mempool* pool_;
    WorkerCounters* counters_;
    ItemRing<EventRecord> events_;
    Effects effects_;
    Effects copies_effects_;            // of queueing flood copies, while effects_ holds the floods
    Bounded<Frame, kBurstMax> copies_;  // for ports of the own shard
};

}  // namespace weir

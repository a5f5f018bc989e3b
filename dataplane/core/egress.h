// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "dataplane/core/arena.h"
#include "dataplane/core/counter.h"
#include "dataplane/core/ecn.h"
#include "dataplane/core/egress_queues.h"
#include "dataplane/core/prng.h"
#include "dataplane/core/time.h"

namespace weir {

// How one port sends: strict priorities first, the rest by deficit-weighted round robin (Shreedhar
// and Varghese, SIGCOMM 1995), all of it at no more than the shaper's rate.
struct alignas(64) EgressTable {
    std::array<std::uint32_t, kPriorities> quantum_bytes{};  // DWRR: bytes per round, > 0
    std::array<EcnProfile, kPriorities> ecn{};
    Bytes shaper_burst_bytes = 0;
    // Picoseconds per byte at the shaped rate, times 2^16: exact to 10^-6 at 800 Gb/s. 0: not
    // shaped.
    std::uint64_t shaper_ps_per_byte_q16 = 0;
    std::uint8_t strict = 0xff;       // bit p: priority p is strict, higher ones first
    std::uint8_t ecn_priorities = 0;  // bit p: ecn[p] is enabled
};

// A frame on the wire also takes preamble 8, FCS 4 and the gap 12 (802.3 clauses 3.2.1, 4.4.2).
inline constexpr unsigned kWireOverheadBytes = 24;

// The egress side of a shard's ports: queues, scheduler, marking, shaper.
class Egress {
  public:
    void lay_out(Arena& arena, unsigned ports, std::uint32_t frames_max);
    // New tables: up to how many bytes each queue of the port needs no second look.
    void adopt(PortId port, const EgressTable& table, Bytes queue_bytes_max);
    void seed(std::uint64_t seed) { prng_ = Prng{seed}; }

    [[nodiscard]] EgressQueues& queues() { return queues_; }
    [[nodiscard]] const EgressQueues& queues() const { return queues_; }

    // The frames that may leave `port` now, best first, at most `room`; the priorities in `paused`
    // are left out. Frames that are to be marked have been marked. They stay queued until commit().
    [[nodiscard]] std::span<const Frame> offer(Time now, PortId port, const EgressTable& table,
                                               std::uint8_t paused, unsigned room);
    [[nodiscard]] std::span<const Frame> offered() const { return offer_; }

    // The first `sent` frames of the last offer() have left; they hold `bytes` together.
    void commit(Time now, PortId port, const EgressTable& table, unsigned sent, Bytes bytes);

    // When a shaped port may send again; at or before `now` when it may.
    [[nodiscard]] Time sends_again(PortId port) const { return ports_[port].sends_again; }

    // Frames that this switch marked, by port and priority; frames that came with CE do not count.
    [[nodiscard]] const Counter& marked(PortId port, Priority priority) const {
        return ports_[port].marked[priority];
    }

  private:
    struct Dwrr {
        std::array<std::uint32_t, kPriorities> deficit_bytes{};
        std::uint8_t current = 0;  // whose turn it is
        bool granted = false;      // the current queue has had its quantum this round
    };
    struct alignas(64) Port {
        Dwrr dwrr;
        Time sends_again;
        bool shaping = false;  // sends_again is meaningful
        std::array<Counter, kPriorities> marked;
    };
    struct Budget {
        unsigned frames = 0;
        Bytes bytes = 0;
    };

    [[nodiscard]] std::span<const Frame> offer_only_queue(PortId port, unsigned index,
                                                          const EgressTable& table, Budget budget);
    [[nodiscard]] Bytes shaper_budget(Time now, const Port& port, const EgressTable& table) const;
    void pick(PortId port, const EgressTable& table, std::uint16_t ready, Budget budget,
              Dwrr& dwrr);
    [[nodiscard]] bool take(unsigned queue, unsigned frames, Budget& budget);
    void pick_dwrr(const EgressTable& table, unsigned ready, Budget& budget, Dwrr& dwrr);
    void take_picked(PortId port, const EgressTable& table, unsigned sent);
    void mark(PortId port, const EgressTable& table);
    static void charge(Time now, Port& port, const EgressTable& table, Bytes wire_bytes);

    EgressQueues queues_;
    std::span<Port> ports_;
    Prng prng_;
    Dwrr next_dwrr_;                // state of the port's DWRR if the whole offer is sent
    std::uint16_t ready_ = 0;       // queues that the last offer drew from
    std::span<const Frame> offer_;  // the last offer: in picked_, or in the block of the only queue
    unsigned picks_ = 0;
    std::array<QueueCursor, kQueuesPerPort> cursors_;
    std::array<Frame, kBurstMax> picked_;
};

}  // namespace weir

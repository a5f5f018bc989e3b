// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "dataplane/core/arena.h"
#include "dataplane/core/frame.h"
#include "dataplane/core/time.h"
#include "dataplane/core/types.h"

namespace weir {

// RFC 4861 section 7.3.2, used for ARP as well. Stale is merged into Probing: a used entry is asked
// for again before it expires.
enum class NeighborState : std::uint8_t { Free, Incomplete, Reachable, Probing, Static };

inline constexpr std::uint32_t kNoNeighbor = 0xffff'ffff;
inline constexpr std::uint32_t kNoDeadline = 0xffff'ffff;

// One host or router next to us. The first twelve bytes are what the frame path needs.
struct alignas(64) Neighbor {
    std::array<std::uint8_t, 12> rewrite{};  // destination and source MAC as they stand on the wire
    NeighborState state = NeighborState::Free;
    bool used = false;  // frames went to it since it was last confirmed
    PortId port = kNoPort;
    IpAddress address;
    std::uint32_t pending = kNoNeighbor;   // first of the frames that wait for it
    std::uint32_t deadline = kNoDeadline;  // place of its deadline in the table's heap
    std::uint8_t pending_count = 0;
    std::uint8_t probes = 0;  // requests sent without an answer
    bool gateway = false;     // routes go through it: never expires, is probed for ever (slowly)
    bool leaving = false;     // not in the tables any more: freed once nothing waits for it

    // The MACs may be written into frames.
    [[nodiscard]] bool resolved() const { return state >= NeighborState::Reachable; }
};
static_assert(sizeof(Neighbor) == 64);

// The neighbors on the ports of one shard, by (port, address), and the frames that wait for them.
// Slots keep their index while in use, so a route may remember it.
class NeighborTable {
  public:
    void lay_out(Arena& arena, std::uint32_t neighbors_max, std::uint32_t pending_max);

    [[nodiscard]] std::uint32_t find(PortId port,
                                     const IpAddress& address) const;  // or kNoNeighbor
    // Finds the entry or makes an Incomplete one; kNoNeighbor when the table is full.
    [[nodiscard]] std::uint32_t find_or_add(PortId port, const IpAddress& address);
    // Frees the slot. Nothing may wait for it any more.
    void remove(std::uint32_t slot);

    [[nodiscard]] Neighbor& at(std::uint32_t slot) { return slots_[slot]; }
    [[nodiscard]] const Neighbor& at(std::uint32_t slot) const { return slots_[slot]; }

    // Appends `frame` to those that wait for `slot`; false when its queue (kPendingPerNeighborMax)
    // or the memory for all is full.
    [[nodiscard]] bool wait(std::uint32_t slot, const Frame& frame);
    // Takes the oldest waiting frame; false when there is none.
    [[nodiscard]] bool take_waiting(std::uint32_t slot, Frame& frame);

    // When something is to be done about the entry next (a probe, its expiry); at most one instant.
    void set_deadline(std::uint32_t slot, Time deadline);
    void clear_deadline(std::uint32_t slot);
    [[nodiscard]] std::optional<Time> deadline(std::uint32_t slot) const;
    // The earliest deadline of all entries; none when nothing is to be done.
    [[nodiscard]] std::optional<Time> next_deadline() const;
    // The entry with the earliest deadline if that is reached, else kNoNeighbor.
    [[nodiscard]] std::uint32_t due(Time now) const;

    [[nodiscard]] std::span<const Neighbor> slots() const { return slots_; }
    [[nodiscard]] std::uint32_t size() const { return size_; }

  private:
    struct Waiting {
        Frame frame;
        std::uint32_t next = kNoNeighbor;
    };
    struct Deadline {
        Time at;
        std::uint32_t slot = kNoNeighbor;
    };

    [[nodiscard]] std::uint32_t home_of(PortId port, const IpAddress& address) const;
    void remove_from_index(std::uint32_t slot);
    void place(std::uint32_t at, const Deadline& deadline);
    void sift_up(std::uint32_t at, const Deadline& deadline);
    void sift_down(std::uint32_t at, const Deadline& deadline);

    std::span<Neighbor> slots_;
    std::span<std::uint32_t> index_;  // hash of (port, address) -> slot, open addressing
    std::span<Deadline> deadlines_;   // binary heap, the earliest first
    std::span<Waiting> waiting_;
    std::uint32_t deadline_count_ = 0;
    std::uint32_t free_slot_ = kNoNeighbor;  // chained by Neighbor::pending
    std::uint32_t free_waiting_ = kNoNeighbor;
    std::uint32_t size_ = 0;
};

}  // namespace weir

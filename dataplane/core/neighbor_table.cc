// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/neighbor_table.h"

#include <bit>

#include "dataplane/core/check.h"
#include "dataplane/core/mix.h"

namespace weir {

void NeighborTable::lay_out(Arena& arena, std::uint32_t neighbors_max, std::uint32_t pending_max) {
    slots_ = arena.take<Neighbor>(neighbors_max);
    // At most half full, so that a search ends after one or two steps.
    index_ = arena.take<std::uint32_t>(std::bit_ceil(2 * std::size_t{neighbors_max}));
    deadlines_ = arena.take<Deadline>(neighbors_max);
    waiting_ = arena.take<Waiting>(pending_max);
    for (std::uint32_t& entry : index_) entry = kNoNeighbor;
    for (std::size_t i = slots_.size(); i-- > 0;) {
        slots_[i].pending = free_slot_;
        free_slot_ = static_cast<std::uint32_t>(i);
    }
    for (std::size_t i = waiting_.size(); i-- > 0;) {
        waiting_[i].next = free_waiting_;
        free_waiting_ = static_cast<std::uint32_t>(i);
    }
}

std::uint32_t NeighborTable::home_of(PortId port, const IpAddress& address) const {
    const std::uint64_t hash = mix(address.high ^ kMixB ^ port, address.low ^ kMixA);
    return static_cast<std::uint32_t>(hash >> 16) & static_cast<std::uint32_t>(index_.size() - 1);
}

std::uint32_t NeighborTable::find(PortId port, const IpAddress& address) const {
    const auto mask = static_cast<std::uint32_t>(index_.size() - 1);
    for (std::uint32_t at = home_of(port, address);; at = (at + 1) & mask) {
        const std::uint32_t slot = index_[at];
        if (slot == kNoNeighbor) return kNoNeighbor;
        const Neighbor& neighbor = slots_[slot];
        if (neighbor.address == address && neighbor.port == port) return slot;
    }
}

std::uint32_t NeighborTable::find_or_add(PortId port, const IpAddress& address) {
    const std::uint32_t known = find(port, address);
    if (known != kNoNeighbor || free_slot_ == kNoNeighbor) return known;
    const std::uint32_t slot = free_slot_;
    Neighbor& neighbor = slots_[slot];
    free_slot_ = neighbor.pending;
    neighbor = {};
    neighbor.state = NeighborState::Incomplete;
    neighbor.port = port;
    neighbor.address = address;
    const auto mask = static_cast<std::uint32_t>(index_.size() - 1);
    std::uint32_t at = home_of(port, address);
    while (index_[at] != kNoNeighbor) at = (at + 1) & mask;
    index_[at] = slot;
    ++size_;
    return slot;
}

// Closes the gap that the entry leaves: what follows it up to the next gap moves back unless that
// would put it before its home (Knuth, volume 3, section 6.4, algorithm R).
void NeighborTable::remove_from_index(std::uint32_t slot) {
    const auto mask = static_cast<std::uint32_t>(index_.size() - 1);
    std::uint32_t gap = home_of(slots_[slot].port, slots_[slot].address);
    while (index_[gap] != slot) gap = (gap + 1) & mask;
    for (std::uint32_t at = (gap + 1) & mask; index_[at] != kNoNeighbor; at = (at + 1) & mask) {
        const Neighbor& moved = slots_[index_[at]];
        const std::uint32_t home = home_of(moved.port, moved.address);
        if (((at - home) & mask) < ((at - gap) & mask)) continue;
        index_[gap] = index_[at];
        gap = at;
    }
    index_[gap] = kNoNeighbor;
}

void NeighborTable::remove(std::uint32_t slot) {
    Neighbor& neighbor = slots_[slot];
    WEIR_CHECK(neighbor.state != NeighborState::Free && neighbor.pending_count == 0);
    remove_from_index(slot);
    clear_deadline(slot);
    neighbor = {};
    neighbor.pending = free_slot_;
    free_slot_ = slot;
    --size_;
}

bool NeighborTable::wait(std::uint32_t slot, const Frame& frame) {
    Neighbor& neighbor = slots_[slot];
    if (neighbor.pending_count == kPendingPerNeighborMax || free_waiting_ == kNoNeighbor) {
        return false;
    }
    const std::uint32_t added = free_waiting_;
    free_waiting_ = waiting_[added].next;
    waiting_[added] = {frame, kNoNeighbor};
    std::uint32_t* last = &neighbor.pending;
    for (unsigned i = 0; i < neighbor.pending_count; ++i) last = &waiting_[*last].next;
    *last = added;
    ++neighbor.pending_count;
    return true;
}

bool NeighborTable::take_waiting(std::uint32_t slot, Frame& frame) {
    Neighbor& neighbor = slots_[slot];
    if (neighbor.pending_count == 0) return false;
    const std::uint32_t taken = neighbor.pending;
    frame = waiting_[taken].frame;
    neighbor.pending = waiting_[taken].next;
    --neighbor.pending_count;
    waiting_[taken].next = free_waiting_;
    free_waiting_ = taken;
    return true;
}

void NeighborTable::place(std::uint32_t at, const Deadline& deadline) {
    deadlines_[at] = deadline;
    slots_[deadline.slot].deadline = at;
}

void NeighborTable::sift_up(std::uint32_t at, const Deadline& deadline) {
    while (at > 0) {
        const std::uint32_t parent = (at - 1) / 2;
        if (deadlines_[parent].at <= deadline.at) break;
        place(at, deadlines_[parent]);
        at = parent;
    }
    place(at, deadline);
}

void NeighborTable::sift_down(std::uint32_t at, const Deadline& deadline) {
    for (;;) {
        std::uint32_t child = 2 * at + 1;
        if (child >= deadline_count_) break;
        if (child + 1 < deadline_count_ && deadlines_[child + 1].at < deadlines_[child].at) {
            ++child;
        }
        if (deadline.at <= deadlines_[child].at) break;
        place(at, deadlines_[child]);
        at = child;
    }
    place(at, deadline);
}

void NeighborTable::set_deadline(std::uint32_t slot, Time deadline) {
    const std::uint32_t at = slots_[slot].deadline;
    if (at == kNoDeadline) return sift_up(deadline_count_++, {deadline, slot});
    if (deadline < deadlines_[at].at) return sift_up(at, {deadline, slot});
    sift_down(at, {deadline, slot});
}

void NeighborTable::clear_deadline(std::uint32_t slot) {
    const std::uint32_t at = slots_[slot].deadline;
    if (at == kNoDeadline) return;
    slots_[slot].deadline = kNoDeadline;
    const Deadline last = deadlines_[--deadline_count_];
    if (last.slot == slot) return;
    if (at > 0 && last.at < deadlines_[(at - 1) / 2].at) return sift_up(at, last);
    sift_down(at, last);
}

std::optional<Time> NeighborTable::deadline(std::uint32_t slot) const {
    const std::uint32_t at = slots_[slot].deadline;
    if (at == kNoDeadline) return std::nullopt;
    return deadlines_[at].at;
}

std::optional<Time> NeighborTable::next_deadline() const {
    if (deadline_count_ == 0) return std::nullopt;
    return deadlines_[0].at;
}

std::uint32_t NeighborTable::due(Time now) const {
    return deadline_count_ != 0 && now >= deadlines_[0].at ? deadlines_[0].slot : kNoNeighbor;
}

}  // namespace weir

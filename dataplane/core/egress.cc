// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/egress.h"

#include <algorithm>
#include <bit>

namespace weir {

namespace {

constexpr Bytes kNoByteLimit = ~Bytes{0};
constexpr unsigned kOwnQueueBits = 1u << kOwnQueue | 1u << kUrgentQueue;

[[nodiscard]] constexpr unsigned highest(unsigned bits) {
    return static_cast<unsigned>(std::bit_width(bits)) - 1;
}

}  // namespace

void Egress::lay_out(Arena& arena, unsigned ports, std::uint32_t frames_max) {
    queues_.lay_out(arena, ports, frames_max);
    ports_ = arena.take<Port>(ports);
}

// Bytes that may leave now: those that the shaped rate has earned since sends_again, and the burst.
// A frame may start while the budget is not used up, so the last one may overdraw; the debt is paid
// before the next.
Bytes Egress::shaper_budget(Time now, const Port& port, const EgressTable& table) const {
    if (table.shaper_ps_per_byte_q16 == 0) return kNoByteLimit;
    if (!port.shaping) return std::max<Bytes>(table.shaper_burst_bytes, 1);
    if (now < port.sends_again) return 0;
    const auto earned_ps = static_cast<std::uint64_t>((now - port.sends_again).ps);
    // Capped first, so that the shift below cannot overflow: 2^40 ps are 1.1 s.
    const std::uint64_t capped = std::min(earned_ps, std::uint64_t{1} << 40);
    const Bytes earned = (capped << 16) / table.shaper_ps_per_byte_q16;
    return std::max<Bytes>(std::min(earned, table.shaper_burst_bytes), 1);
}

void Egress::adopt(PortId port, const EgressTable& table, Bytes queue_bytes_max) {
    for (unsigned queue = 0; queue < kPriorities; ++queue) {
        const bool ecn = ((table.ecn_priorities >> queue) & 1) != 0;
        queues_.at(port, queue).free_bytes =
            ecn ? std::min(queue_bytes_max, table.ecn[queue].kmin_bytes) : queue_bytes_max;
    }
    queues_.at(port, kOwnQueue).free_bytes = kOwnQueueBytesMax;
    queues_.at(port, kUrgentQueue).free_bytes = kOwnQueueBytesMax;
}

std::span<const Frame> Egress::offer(Time now, PortId port, const EgressTable& table,
                                     std::uint8_t paused, unsigned room) {
    offer_ = {};
    ready_ = static_cast<std::uint16_t>(queues_.waiting(port) & ~unsigned{paused});
    if (ready_ == 0) return {};
    const Budget budget{std::min(room, kBurstMax), shaper_budget(now, ports_[port], table)};
    if ((ready_ & (ready_ - 1)) == 0) [[likely]] {
        offer_ = offer_only_queue(port, highest(ready_), table, budget);
        if (!offer_.empty()) return offer_;
    }
    next_dwrr_ = ports_[port].dwrr;
    pick(port, table, ready_, budget, next_dwrr_);
    offer_ = {picked_.data(), picks_};
    if (table.ecn_priorities != 0) mark(port, table);
    return offer_;
}

// The usual case: one queue has frames, all of them may go, and none is to be marked. Then they
// need no copy.
std::span<const Frame> Egress::offer_only_queue(PortId port, unsigned index,
                                                const EgressTable& table, Budget budget) {
    EgressQueue& queue = queues_.at(port, index);
    queue.bytes_max = std::max(queue.bytes_max, queue.bytes);
    if (queue.bytes + Bytes{kWireOverheadBytes} * queue.frames > budget.bytes) return {};
    if (index < kPriorities && ((table.ecn_priorities >> index) & 1) != 0 &&
        queue.bytes > table.ecn[index].kmin_bytes) {
        return {};
    }
    const std::span<const Frame> frames = queues_.in_one_block(queue);
    return frames.first(std::min<std::size_t>(frames.size(), budget.frames));
}

// Fills picked_ from the queues in `ready`. The same arguments give the same frames.
void Egress::pick(PortId port, const EgressTable& table, std::uint16_t ready, Budget budget,
                  Dwrr& dwrr) {
    picks_ = 0;
    if (budget.frames == 0) return;
    for (unsigned left = ready; left != 0; left &= left - 1) {
        const auto queue = static_cast<unsigned>(std::countr_zero(left));
        cursors_[queue] = queues_.front(port, queue);
        EgressQueue& state = queues_.at(port, queue);
        state.bytes_max = std::max(state.bytes_max, state.bytes);
    }
    for (unsigned own = ready & kOwnQueueBits; own != 0;) {
        const unsigned queue = highest(own);
        Budget unshaped{budget.frames, kNoByteLimit};
        const bool more = take(queue, kBurstMax, unshaped);
        budget.frames = unshaped.frames;
        if (!more) return;
        own &= ~(1u << queue);
    }
    if (budget.bytes == 0) return;
    for (unsigned strict = ready & table.strict; strict != 0;) {
        const unsigned queue = highest(strict);
        if (!take(queue, kBurstMax, budget)) return;
        strict &= ~(1u << queue);
    }
    const unsigned weighted = ready & 0xffu & ~unsigned{table.strict};
    if (weighted != 0) pick_dwrr(table, weighted, budget, dwrr);
}

// Takes up to `frames` frames of one queue as far as the budget goes; false when that is used up.
bool Egress::take(unsigned queue, unsigned frames, Budget& budget) {
    QueueCursor& cursor = cursors_[queue];
    unsigned wanted = std::min({frames, cursor.left, budget.frames});
    budget.frames -= wanted;
    for (; wanted != 0; --wanted) {
        const Frame& frame = queues_.peek(cursor);
        picked_[picks_++] = frame;
        EgressQueues::advance(cursor);
        if (budget.bytes == kNoByteLimit) continue;
        const Bytes wire = frame.length + Bytes{kWireOverheadBytes};
        budget.bytes -= std::min(budget.bytes, wire);
        if (budget.bytes == 0) return false;
    }
    return budget.frames != 0;
}

// Deficit round robin by bytes: a queue gets its quantum when its turn begins and sends while its
// deficit covers the next frame; an empty queue loses what is left.
void Egress::pick_dwrr(const EgressTable& table, unsigned ready, Budget& budget, Dwrr& dwrr) {
    while (ready != 0) {
        const unsigned queue = dwrr.current;
        QueueCursor& cursor = cursors_[queue];
        const bool here = ((ready >> queue) & 1) != 0;
        if (here && !dwrr.granted) {
            dwrr.deficit_bytes[queue] += table.quantum_bytes[queue];
            dwrr.granted = true;
        }
        while (here && cursor.left != 0) {
            const std::uint32_t length = queues_.peek(cursor).length;
            if (length > dwrr.deficit_bytes[queue]) break;
            dwrr.deficit_bytes[queue] -= length;
            if (!take(queue, 1, budget)) return;
        }
        if (here && cursor.left == 0) {
            dwrr.deficit_bytes[queue] = 0;
            ready &= ~(1u << queue);
        }
        dwrr.granted = false;
        dwrr.current = static_cast<std::uint8_t>((queue + 1) % kPriorities);
    }
}

// Decides marking once for each frame that is offered, by the bytes of its queue as it leaves.
void Egress::mark(PortId port, const EgressTable& table) {
    std::array<Bytes, kPriorities> ahead{};
    std::array<std::uint32_t, kPriorities> seen{};
    for (unsigned i = 0; i < picks_; ++i) {
        Frame& frame = picked_[i];
        const unsigned queue = queue_of(frame);
        if (queue >= kPriorities || ((table.ecn_priorities >> queue) & 1) == 0) continue;
        EgressQueue& state = queues_.at(port, queue);
        const Bytes depth = state.bytes - ahead[queue];
        ahead[queue] += frame.length;
        if (seen[queue]++ < state.decided) continue;
        ++state.decided;
        const std::uint32_t probability = mark_per_64k(table.ecn[queue], depth);
        if (probability == 0 || prng_.below(65'536) >= probability) continue;
        const Ecn ecn = ecn_of(frame);
        if (ecn == Ecn::NotEct || ecn == Ecn::Ce) continue;
        set_ce(frame);
        ports_[port].marked[queue].add(1);
    }
}

void Egress::commit(Time now, PortId port, const EgressTable& table, unsigned sent, Bytes bytes) {
    WEIR_CHECK(sent <= offer_.size());
    if (sent == 0) return;
    if (offer_.data() == picked_.data()) {
        take_picked(port, table, sent);
    } else {
        queues_.drop_front(port, queue_of(offer_.front()), sent, bytes);
    }
    offer_ = {};
    if (table.shaper_ps_per_byte_q16 == 0) return;
    charge(now, ports_[port], table, bytes + Bytes{kWireOverheadBytes} * sent);
}

// Takes the first `sent` of picked_ off their queues.
void Egress::take_picked(PortId port, const EgressTable& table, unsigned sent) {
    Port& state = ports_[port];
    if (sent < picks_) {
        // The device took fewer: the scheduler's state is that after the frames it did take.
        next_dwrr_ = state.dwrr;
        pick(port, table, ready_, {sent, kNoByteLimit}, next_dwrr_);
    }
    state.dwrr = next_dwrr_;
    for (unsigned first = 0; first < sent;) {
        const unsigned queue = queue_of(picked_[first]);
        Bytes bytes = 0;
        unsigned behind = first;
        for (; behind < sent && queue_of(picked_[behind]) == queue; ++behind) {
            bytes += picked_[behind].length;
        }
        queues_.drop_front(port, queue, behind - first, bytes);
        first = behind;
    }
}

// Moves the instant at which the shaper's credit is zero; what was earned beyond the burst is lost.
void Egress::charge(Time now, Port& port, const EgressTable& table, Bytes wire_bytes) {
    const Interval burst{
        static_cast<std::int64_t>((table.shaper_burst_bytes * table.shaper_ps_per_byte_q16) >> 16)};
    if (!port.shaping || port.sends_again < now - burst) port.sends_again = now - burst;
    port.shaping = true;
    port.sends_again =
        port.sends_again +
        Interval{static_cast<std::int64_t>((wire_bytes * table.shaper_ps_per_byte_q16) >> 16)};
}

}  // namespace weir

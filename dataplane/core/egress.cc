// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/egress.h"

#include <algorithm>

namespace weir {

void Egress::lay_out(Arena& arena, unsigned ports, std::uint32_t frames_max) {
    // n frames whose first one stands at index h <= 31 take ceil((h + n) / 32) < n / 32 + 2 blocks;
    // an empty queue keeps one.
    const std::uint32_t queues = ports * kPriorities;
    blocks_ = arena.take_raw<QueueBlock>(frames_max / kQueueBlockFrames + 2 * queues);
    queues_ = arena.take<EgressQueue>(queues);
    waiting_ = arena.take<std::uint8_t>(ports);
}

// Blocks never used before come last, so that memory is touched only as far as queues really grew.
std::uint32_t Egress::take_block() {
    std::uint32_t block = free_block_;
    if (block != kNoBlock) {
        free_block_ = blocks_[block].next;
    } else if (fresh_block_ < blocks_.size()) {
        block = fresh_block_++;
    } else {
        return kNoBlock;
    }
    blocks_[block].next = kNoBlock;
    return block;
}

void Egress::give_block(std::uint32_t block) {
    blocks_[block].next = free_block_;
    free_block_ = block;
}

// Makes room for one frame behind the tail; false when the pool is empty.
bool Egress::grow(EgressQueue& queue) {
    const std::uint32_t block = take_block();
    if (block == kNoBlock) return false;
    if (queue.tail_block == kNoBlock) {
        queue.head_block = block;
        queue.head = 0;
    } else {
        blocks_[queue.tail_block].next = block;
    }
    queue.tail_block = block;
    queue.tail = 0;
    return true;
}

Egress::Enqueue Egress::push(const Frame& frame, std::uint64_t limit_bytes) {
    const PortId port = frame.out_port;
    EgressQueue& queue = queues_[port * kPriorities + frame.priority];
    if (queue.bytes + frame.length > limit_bytes) [[unlikely]]
        return Enqueue::QueueFull;
    if (queue.tail_block == kNoBlock || queue.tail == kQueueBlockFrames) [[unlikely]] {
        if (!grow(queue)) return Enqueue::MemoryExhausted;
    }
    blocks_[queue.tail_block].frames[queue.tail++] = frame;
    queue.bytes += frame.length;
    ++queue.frames;
    queue.bytes_max = std::max(queue.bytes_max, queue.bytes);
    waiting_[port] |= static_cast<std::uint8_t>(1u << frame.priority);
    backlog_.add(port);
    return Enqueue::Queued;
}

std::span<const Frame> Egress::offer(PortId port, unsigned room) {
    room = std::min(room, kBurstMax);
    offered_ = 0;
    for (unsigned waiting = waiting_[port]; waiting != 0 && offered_ < room;) {
        const auto priority = static_cast<unsigned>(31 - std::countl_zero(waiting));
        offered_ += peek(queues_[port * kPriorities + priority], offered_, room - offered_);
        waiting &= ~(1u << priority);
    }
    return offered();
}

// Copies the oldest frames of `queue` to offer_[at ..], at most `room`; how many it were.
unsigned Egress::peek(const EgressQueue& queue, unsigned at, unsigned room) {
    const unsigned wanted = std::min(room, queue.frames);
    std::uint32_t block = queue.head_block;
    unsigned first = queue.head;
    for (unsigned done = 0; done < wanted;) {
        const unsigned here = std::min(wanted - done, kQueueBlockFrames - first);
        std::copy_n(blocks_[block].frames.data() + first, here, offer_.data() + at + done);
        done += here;
        first = 0;
        block = blocks_[block].next;
    }
    return wanted;
}

void Egress::commit(PortId port, unsigned sent) {
    for (unsigned first = 0; first < sent;) {
        const Priority priority = offer_[first].priority;
        std::uint64_t bytes = 0;
        unsigned behind = first;
        for (; behind < sent && offer_[behind].priority == priority; ++behind) {
            bytes += offer_[behind].length;
        }
        EgressQueue& queue = queues_[port * kPriorities + priority];
        drop_front(queue, behind - first, bytes);
        if (queue.frames == 0) empty(port, priority);
        first = behind;
    }
}

void Egress::drop_front(EgressQueue& queue, unsigned frames, std::uint64_t bytes) {
    WEIR_CHECK(frames <= queue.frames && bytes <= queue.bytes);
    queue.frames -= frames;
    queue.bytes -= bytes;
    unsigned head = queue.head + frames;
    while (head >= kQueueBlockFrames && queue.head_block != queue.tail_block) {
        const std::uint32_t next = blocks_[queue.head_block].next;
        give_block(queue.head_block);
        queue.head_block = next;
        head -= kQueueBlockFrames;
    }
    queue.head = static_cast<std::uint16_t>(head);
}

// The queue ran empty: it keeps its block and starts at its beginning again.
void Egress::empty(PortId port, Priority priority) {
    EgressQueue& queue = queues_[port * kPriorities + priority];
    queue.head = 0;
    queue.tail = 0;
    waiting_[port] &= static_cast<std::uint8_t>(~(1u << priority));
    if (waiting_[port] == 0) backlog_.remove(port);
}

bool Egress::pop(PortId port, Frame& frame) {
    const std::span<const Frame> best = offer(port, 1);
    if (best.empty()) return false;
    frame = best.front();
    commit(port, 1);
    return true;
}

}  // namespace weir

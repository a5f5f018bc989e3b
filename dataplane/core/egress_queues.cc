// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/egress_queues.h"

#include <algorithm>
#include <bit>

namespace weir {

void EgressQueues::lay_out(Arena& arena, unsigned ports, std::uint32_t frames_max) {
    // n frames whose first one stands at index h <= 31 take ceil((h + n) / 32) < n / 32 + 2 blocks;
    // an empty queue keeps one.
    const std::uint32_t queues = ports * kQueuesPerPort;
    blocks_ = arena.take_raw<QueueBlock>(frames_max / kQueueBlockFrames + 2 * queues);
    queues_ = arena.take<EgressQueue>(queues);
    waiting_ = arena.take<std::uint16_t>(ports);
    for (std::size_t i = 0; i < queues_.size(); ++i) {
        queues_[i].port = static_cast<PortId>(i / kQueuesPerPort);
        queues_[i].index = static_cast<std::uint8_t>(i % kQueuesPerPort);
    }
}

// Blocks never used before come last, so that memory is touched only as far as queues really grew.
std::uint32_t EgressQueues::take_block() {
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

void EgressQueues::give_block(std::uint32_t block) {
    blocks_[block].next = free_block_;
    free_block_ = block;
}

// Makes room for frames behind the tail; false when the pool is empty.
bool EgressQueues::grow(EgressQueue& queue) {
    const std::uint32_t block = take_block();
    if (block == kNoBlock) return false;
    if (queue.tail_block == kNoBlock) {
        queue.head_block = block;
        queue.head = 0;
    } else {
        blocks_[queue.tail_block].next = block;
    }
    queue.tail_block = block;
    queue.slot = blocks_[block].frames.data();
    queue.slot_end = queue.slot + kQueueBlockFrames;
    return true;
}

EgressQueues::Pushed EgressQueues::push(const Frame& frame, Bytes limit_bytes) {
    EgressQueue& queue = at(frame.out_port, queue_of(frame));
    if (queue.bytes + frame.length > limit_bytes) return Pushed::QueueFull;
    if (queue.slot == queue.slot_end && !grow(queue)) return Pushed::MemoryExhausted;
    append(queue, frame.length) = frame;
    return Pushed::Queued;
}

void EgressQueues::drop_front(PortId port, unsigned index, unsigned frames, Bytes bytes) {
    EgressQueue& queue = at(port, index);
    WEIR_CHECK(frames <= queue.frames && bytes <= queue.bytes);
    queue.frames -= frames;
    queue.departed += frames;
    queue.bytes -= bytes;
    queue.decided -= std::min(queue.decided, frames);
    unsigned head = queue.head + frames;
    while (head >= kQueueBlockFrames && queue.head_block != queue.tail_block) {
        const std::uint32_t next = blocks_[queue.head_block].next;
        give_block(queue.head_block);
        queue.head_block = next;
        head -= kQueueBlockFrames;
    }
    queue.head = static_cast<std::uint8_t>(head);
    if (queue.frames != 0) return;
    // Empty: it keeps its block and starts at its beginning again.
    queue.head = 0;
    queue.slot = blocks_[queue.tail_block].frames.data();
    waiting_[port] = static_cast<std::uint16_t>(waiting_[port] & ~(1u << index));
    if (waiting_[port] == 0) backlog_.remove(port);
}

bool EgressQueues::pop(PortId port, Frame& frame) {
    if (waiting_[port] == 0) return false;
    return pop_from(port, static_cast<unsigned>(std::bit_width(waiting_[port]) - 1), frame);
}

bool EgressQueues::pop_from(PortId port, unsigned queue, Frame& frame) {
    if (at(port, queue).frames == 0) return false;
    QueueCursor cursor = front(port, queue);
    frame = peek(cursor);
    drop_front(port, queue, 1, frame.length);
    return true;
}

void EgressQueues::clear_watermarks() {
    for (EgressQueue& queue : queues_) queue.bytes_max = queue.bytes;
}

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "dataplane/core/arena.h"
#include "dataplane/core/frame.h"
#include "dataplane/core/limits.h"

namespace weir {

inline constexpr std::uint32_t kNoBlock = 0xffff'ffff;
// Eight priorities, and two queues for the switch's own frames, which go first and are never paused
// or shaped: one for those that other switches wait for (PFC, BFD, notices), which no flood of ARP
// requests can fill or delay, and one for answers.
inline constexpr unsigned kQueuesPerPort = kPriorities + 2;
inline constexpr unsigned kOwnQueue = kPriorities;
inline constexpr unsigned kUrgentQueue = kPriorities + 1;

[[nodiscard]] constexpr unsigned queue_of(const Frame& frame) {
    if ((frame.flags & frame_flags::kOwn) == 0) [[likely]]
        return frame.priority;
    return frame.priority == kOwnControlPriority ? kUrgentQueue : kOwnQueue;
}

// Queues are chains of blocks from one pool, so memory follows what is really queued: a full set of
// 256 x 8 rings would need hundreds of megabytes.
struct alignas(64) QueueBlock {
    std::array<Frame, kQueueBlockFrames> frames;
    std::uint32_t next = kNoBlock;
};

// One egress queue, first in first out.
struct alignas(64) EgressQueue {
    Frame* slot = nullptr;      // where the next frame goes, if that is not slot_end
    Frame* slot_end = nullptr;  // behind the last slot of the newest block
    Bytes bytes = 0;
    Bytes free_bytes = 0;  // up to here neither a limit nor ECN can matter
    Bytes bytes_max = 0;   // watermark, as of the last offer
    std::uint32_t frames = 0;
    std::uint32_t head_block = kNoBlock;
    std::uint32_t tail_block = kNoBlock;
    std::uint32_t decided = 0;   // oldest frames whose marking has been decided
    std::uint32_t departed = 0;  // frames that have left it, ever, modulo 2^32
    PortId port = 0;
    std::uint8_t index = 0;  // its number among the port's queues
    std::uint8_t head = 0;   // index of the oldest frame in head_block
};
static_assert(sizeof(EgressQueue) == 64);

// A place in a queue: frames before it have been looked at.
struct QueueCursor {
    std::uint32_t block = kNoBlock;
    std::uint32_t index = 0;
    std::uint32_t left = 0;  // frames from here to the tail
};

class EgressQueues {
  public:
    void lay_out(Arena& arena, unsigned ports, std::uint32_t frames_max);

    // Whether a frame of `length` bytes stays within free_bytes and has a slot in the tail's block.
    [[nodiscard]] static bool fits_freely(const EgressQueue& queue, std::uint16_t length) {
        return queue.bytes + length <= queue.free_bytes && queue.slot != queue.slot_end;
    }
    // The slot behind the tail, which is there, for a frame of `length` bytes (not 0); to be filled
    // in at once.
    [[nodiscard]] Frame& append(EgressQueue& queue, std::uint16_t length) {
        if (queue.bytes == 0) {
            waiting_[queue.port] |= static_cast<std::uint16_t>(1u << queue.index);
            backlog_.add(queue.port);
        }
        queue.bytes += length;
        ++queue.frames;
        return *queue.slot++;
    }

    enum class Pushed : std::uint8_t { Queued, QueueFull, MemoryExhausted };
    // `limit_bytes`: the queue may hold at most that many with the frame.
    [[nodiscard]] Pushed push(const Frame& frame, Bytes limit_bytes);

    [[nodiscard]] QueueCursor front(PortId port, unsigned queue) const {
        const EgressQueue& q = at(port, queue);
        return {q.head_block, q.head, q.frames};
    }
    // All frames of the queue, if they stand in one block; else empty.
    [[nodiscard]] std::span<const Frame> in_one_block(const EgressQueue& queue) const {
        if (queue.head_block != queue.tail_block) return {};
        return {blocks_[queue.head_block].frames.data() + queue.head, queue.frames};
    }
    // The frame at the cursor, which is not at the end.
    [[nodiscard]] const Frame& peek(QueueCursor& cursor) const {
        if (cursor.index == kQueueBlockFrames) {
            cursor.block = blocks_[cursor.block].next;
            cursor.index = 0;
        }
        return blocks_[cursor.block].frames[cursor.index];
    }
    static void advance(QueueCursor& cursor) {
        ++cursor.index;
        --cursor.left;
    }

    // Takes the `frames` oldest frames, which hold `bytes` together, off the queue.
    void drop_front(PortId port, unsigned index, unsigned frames, Bytes bytes);

    // Takes the oldest frame of the best queue of a port; false when all are empty.
    [[nodiscard]] bool pop(PortId port, Frame& frame);
    // Takes the oldest frame of one queue; false when it is empty.
    [[nodiscard]] bool pop_from(PortId port, unsigned queue, Frame& frame);

    // Bit q: queue q of the port holds frames.
    [[nodiscard]] std::uint16_t waiting(PortId port) const { return waiting_[port]; }
    [[nodiscard]] const PortSet& backlog() const { return backlog_; }
    [[nodiscard]] EgressQueue& at(PortId port, unsigned queue) {
        return queues_[port * kQueuesPerPort + queue];
    }
    [[nodiscard]] const EgressQueue& at(PortId port, unsigned queue) const {
        return queues_[port * kQueuesPerPort + queue];
    }
    void clear_watermarks();

  private:
    [[nodiscard]] bool grow(EgressQueue& queue);
    [[nodiscard]] std::uint32_t take_block();
    void give_block(std::uint32_t block);

    PortSet backlog_;
    std::uint32_t free_block_ = kNoBlock;  // given back, newest first
    std::uint32_t fresh_block_ = 0;        // blocks from here on were never used
    std::span<QueueBlock> blocks_;
    std::span<EgressQueue> queues_;
    std::span<std::uint16_t> waiting_;
};

}  // namespace weir

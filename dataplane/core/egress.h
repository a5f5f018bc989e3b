// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "dataplane/core/arena.h"
#include "dataplane/core/bounded.h"
#include "dataplane/core/drop_reason.h"
#include "dataplane/core/frame.h"
#include "dataplane/core/limits.h"

namespace weir {

inline constexpr std::uint32_t kNoBlock = 0xffff'ffff;

// Queues are chains of blocks from one pool, so memory follows what is really queued: a full set of
// 256 x 8 rings would need hundreds of megabytes.
struct alignas(64) QueueBlock {
    std::array<Frame, kQueueBlockFrames> frames;
    std::uint32_t next = kNoBlock;
};

// One egress queue, first in first out.
struct alignas(64) EgressQueue {
    std::uint64_t bytes = 0;
    std::uint32_t frames = 0;
    std::uint32_t head_block = kNoBlock;
    std::uint32_t tail_block = kNoBlock;
    std::uint16_t head = 0;       // index of the oldest frame in head_block
    std::uint16_t tail = 0;       // index behind the newest frame in tail_block
    std::uint64_t bytes_max = 0;  // watermark since start
};
static_assert(sizeof(EgressQueue) == 64);

// The egress queues of a shard's ports, one per priority, and the strict order between them: a
// higher priority always goes first (802.1Q clause 8.6.8.1).
class Egress {
  public:
    void lay_out(Arena& arena, unsigned ports, std::uint32_t frames_max);

    enum class Enqueue : std::uint8_t { Queued, QueueFull, MemoryExhausted };
    // `limit_bytes`: the queue may hold at most that many after the frame was added.
    [[nodiscard]] Enqueue push(const Frame& frame, std::uint64_t limit_bytes);

    [[nodiscard]] std::span<const Frame> offer(PortId port, unsigned room);
    [[nodiscard]] std::span<const Frame> offered() const { return {offer_.data(), offered_}; }
    // Takes the first `sent` frames of the last offer() for this port off their queues.
    void commit(PortId port, unsigned sent);

    // Takes the oldest frame of a port off its queues, best priority first; false when there is
    // none.
    [[nodiscard]] bool pop(PortId port, Frame& frame);

    [[nodiscard]] const PortSet& backlog() const { return backlog_; }
    [[nodiscard]] const EgressQueue& queue(PortId port, Priority priority) const {
        return queues_[port * kPriorities + priority];
    }

  private:
    [[nodiscard]] bool grow(EgressQueue& queue);
    [[nodiscard]] unsigned peek(const EgressQueue& queue, unsigned at, unsigned room);
    void drop_front(EgressQueue& queue, unsigned frames, std::uint64_t bytes);
    void empty(PortId port, Priority priority);
    [[nodiscard]] std::uint32_t take_block();
    void give_block(std::uint32_t block);

    PortSet backlog_;
    std::uint32_t free_block_ = kNoBlock;  // given back, newest first
    std::uint32_t fresh_block_ = 0;        // blocks from here on were never used
    std::span<QueueBlock> blocks_;
    std::span<EgressQueue> queues_;
    std::span<std::uint8_t>
        waiting_;           // per port: bit p set when the queue of priority p holds frames
    unsigned offered_ = 0;  // frames of the last offer
    std::array<Frame, kBurstMax> offer_;
};

}  // namespace weir

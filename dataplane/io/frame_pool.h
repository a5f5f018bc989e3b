// SPDX-License-Identifier: BSD-3-Clause
// The mbufs of the process: one pool for all ports, so that a frame crosses from one to the other
// without a copy.
#pragma once

#include <cstdint>
#include <string>

#include <rte_mempool.h>

namespace weir {

struct FramePoolOptions {
    std::uint32_t frames = 0;           // as many as may be in rings, queues and workers' hands
    std::uint32_t frames_min = 0;       // take fewer, down to this, if memory is short; 0: do not
    std::uint16_t frame_bytes_max = 0;  // every mbuf holds such a frame in one piece
    std::string name = "weir_frames";
};

class FramePool {
  public:
    FramePool() = default;
    ~FramePool() { close(); }
    FramePool(const FramePool&) = delete;
    FramePool& operator=(const FramePool&) = delete;

    // What is wrong, or empty. Takes fewer frames than asked for when memory does not hold them.
    [[nodiscard]] std::string open(const FramePoolOptions& options);
    void close();

    [[nodiscard]] rte_mempool* pool() const { return pool_; }
    [[nodiscard]] std::uint32_t frames() const { return pool_ == nullptr ? 0 : pool_->size; }
    [[nodiscard]] std::uint32_t in_use() const {
        return pool_ == nullptr ? 0 : rte_mempool_in_use_count(pool_);
    }

    // Bytes of memory for `frames` mbufs, to size EAL's memory before there is a pool.
    [[nodiscard]] static std::uint64_t memory_bytes(std::uint32_t frames,
                                                    std::uint16_t frame_bytes_max);

    static constexpr unsigned kCacheFrames = 256;  // per worker: eight bursts

  private:
    rte_mempool* pool_ = nullptr;
};

}  // namespace weir

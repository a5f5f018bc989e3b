// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/io/frame_pool.h"

#include <algorithm>

#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>

namespace weir {

namespace {

// NICs are told the room in steps of 1 KiB (ixgbe's SRRCTL.BSIZEPACKET); what is above the last
// whole step is lost to them. FCS (4) and a second tag (4) may come on top of the frame.
std::uint16_t data_room(std::uint16_t frame_bytes_max) {
    constexpr unsigned kStep = 1024;
    const unsigned bytes = std::max<unsigned>(frame_bytes_max + 8u, 2 * kStep);
    return static_cast<std::uint16_t>(RTE_PKTMBUF_HEADROOM + (bytes + kStep - 1) / kStep * kStep);
}

}  // namespace

std::uint64_t FramePool::memory_bytes(std::uint32_t frames, std::uint16_t frame_bytes_max) {
    // Object header and rounding to cache lines, and one more line against equal DRAM channels.
    constexpr std::uint64_t kPerObject = sizeof(rte_mbuf) + 3 * 64;
    return frames * (kPerObject + data_room(frame_bytes_max));
}

std::string FramePool::open(const FramePoolOptions& options) {
    const std::uint16_t room = data_room(options.frame_bytes_max);
    const std::uint32_t fewest =
        options.frames_min == 0 ? options.frames : std::min(options.frames_min, options.frames);
    std::uint32_t frames = options.frames;
    for (;;) {
        // A cache may hold at most two thirds of a pool.
        pool_ = rte_pktmbuf_pool_create(options.name.c_str(), frames,
                                        std::min(kCacheFrames, frames / 2), 0, room,
                                        static_cast<int>(rte_socket_id()));
        if (pool_ != nullptr) return {};
        if (rte_errno != ENOMEM || frames == fewest) break;
        frames = std::max(fewest, frames - (frames + 7) / 8);
    }
    const std::uint64_t mebibytes =
        memory_bytes(options.frames, options.frame_bytes_max) / (1u << 20) + 1;
    return "frames: no memory for " + std::to_string(frames) + " buffers of " +
           std::to_string(room) + " B (" + rte_strerror(rte_errno) + "): write eal: [-m " +
           std::to_string(mebibytes + 64) + "] or a smaller frame_bytes_max";
}

void FramePool::close() {
    rte_mempool_free(pool_);
    pool_ = nullptr;
}

}  // namespace weir

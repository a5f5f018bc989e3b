// SPDX-License-Identifier: BSD-3-Clause
// mbuf <-> Frame, in bursts. A frame's handle is its mbuf; its bytes lie in one segment.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>

#include <rte_mbuf.h>

#include "dataplane/core/effects.h"
#include "dataplane/core/frame.h"
#include "dataplane/io/thread_sanitizer.h"

namespace weir {

using MbufBurst = std::array<rte_mbuf*, kBurstMax>;

[[nodiscard]] inline rte_mbuf* mbuf_of(const Frame& frame) {
    return static_cast<rte_mbuf*>(frame.handle);
}

// The slow way for bursts in which some mbuf has several segments: makes them whole, frees those
// that are too long for one segment. Returns how many frames there are.
[[nodiscard]] unsigned frames_of_chains(std::span<rte_mbuf* const> mbufs, Frame* frames);

// Fills `frames` (room for all) from what a device delivered; how many frames there are: fewer
// than mbufs only when some were chains too long for the switch, which are freed.
[[nodiscard]] inline unsigned frames_of(std::span<rte_mbuf* const> mbufs, Frame* frames) {
    unsigned segments = 0;
    for (std::size_t i = 0; i < mbufs.size(); ++i) {
        rte_mbuf* mbuf = mbufs[i];
        took_over(mbuf);
        auto* data = rte_pktmbuf_mtod(mbuf, std::uint8_t*);
        __builtin_prefetch(data);
        frames[i] = Frame{
            .data = data, .handle = mbuf, .length = mbuf->data_len, .readable = mbuf->data_len};
        segments |= mbuf->nb_segs ^ 1u;
    }
    if (segments != 0) [[unlikely]]
        return frames_of_chains(mbufs, frames);
    return static_cast<unsigned>(mbufs.size());
}

// The mbufs of `frames`, ready for a device.
inline void mbufs_of(std::span<const Frame> frames, MbufBurst& mbufs) {
    for (std::size_t i = 0; i < frames.size(); ++i) {
        const Frame& frame = frames[i];
        rte_mbuf* mbuf = mbuf_of(frame);
        if ((frame.flags & frame_flags::kMoved) != 0) {
            mbuf->data_off =
                static_cast<std::uint16_t>(frame.data - static_cast<std::uint8_t*>(mbuf->buf_addr));
            mbuf->data_len = frame.length;
            mbuf->pkt_len = frame.length;
        }
        mbufs[i] = mbuf;
        gave_away(mbuf);
    }
}

// Frees frames by their handles.
inline void free_frames(std::span<void* const> handles) {
    for (void* handle : handles) gave_away(handle);
    rte_pktmbuf_free_bulk(
        const_cast<rte_mbuf**>(reinterpret_cast<rte_mbuf* const*>(handles.data())),
        static_cast<unsigned>(handles.size()));
}

// Fresh mbufs for copies; all of them, or false and none.
[[nodiscard]] inline bool take_mbufs(rte_mempool* pool, std::span<rte_mbuf*> mbufs) {
    if (rte_mempool_get_bulk(pool, reinterpret_cast<void**>(mbufs.data()),
                             static_cast<unsigned>(mbufs.size())) != 0) {
        return false;
    }
    for (rte_mbuf* mbuf : mbufs) {
        took_over(mbuf);
        rte_pktmbuf_reset(mbuf);
    }
    return true;
}

// A frame in `mbuf`, otherwise as `original`, with a copy of its bytes.
[[nodiscard]] inline Frame copy_into(rte_mbuf* mbuf, const Frame& original) {
    Frame copy = original;
    copy.handle = mbuf;
    copy.data = rte_pktmbuf_mtod(mbuf, std::uint8_t*);
    copy.flags &= static_cast<std::uint8_t>(~frame_flags::kMoved);
    std::memcpy(copy.data, original.data, original.length);
    mbuf->data_len = original.length;
    mbuf->pkt_len = original.length;
    return copy;
}

// The frame that was asked for, in `mbuf`.
[[nodiscard]] inline Frame frame_of_bytes_in(rte_mbuf* mbuf, const std::uint8_t* bytes,
                                             std::uint16_t length) {
    Frame frame;
    frame.handle = mbuf;
    frame.data = rte_pktmbuf_mtod(mbuf, std::uint8_t*);
    frame.length = length;
    frame.readable = length;
    std::memcpy(frame.data, bytes, length);
    mbuf->data_len = length;
    mbuf->pkt_len = length;
    return frame;
}

[[nodiscard]] inline Frame own_frame_in(rte_mbuf* mbuf, const OwnFrame& own) {
    Frame frame = frame_of_bytes_in(mbuf, own.bytes.data(), own.length);
    frame.out_port = own.out_port;
    frame.priority = own.priority;
    return frame;
}

[[nodiscard]] inline Frame notice_frame_in(rte_mbuf* mbuf, const UnsignedNotice& notice) {
    Frame frame = frame_of_bytes_in(mbuf, notice.bytes.data(), notice.length());
    frame.out_port = notice.out_port;
    frame.priority = kOwnControlPriority;
    return frame;
}

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/run/port_fault.h"

#include <algorithm>

#include "dataplane/io/thread_sanitizer.h"

namespace weir {

namespace {

void free_one(rte_mbuf* mbuf) {
    gave_away(mbuf);
    rte_pktmbuf_free(mbuf);
}

}  // namespace

PortFault::PortFault(const PortFaultSettings& settings)
    : settings_(settings), prng_(settings.seed), late_(kLateFramesMax) {}

PortFault::~PortFault() {
    for (; first_ != behind_; ++first_) free_one(late_[first_ % kLateFramesMax].mbuf);
}

void PortFault::change(const PortFaultSettings& settings) {
    settings_ = settings;
    prng_ = Prng{settings.seed};
}

unsigned PortFault::take(Time now, std::span<rte_mbuf* const> mbufs) {
    unsigned lost = 0;
    for (rte_mbuf* mbuf : mbufs) {
        if (keep(now, mbuf)) continue;
        free_one(mbuf);
        ++lost;
    }
    return lost;
}

bool PortFault::keep(Time now, rte_mbuf* mbuf) {
    took_over(mbuf);
    if (settings_.silent || prng_.below(kFaultShares) < settings_.loss_ppm) return false;
    if (behind_ - first_ == kLateFramesMax) return false;
    if (prng_.below(kFaultShares) < settings_.corrupt_ppm) corrupt(mbuf);
    Time at = now + settings_.delay;
    // Never before the one in front, also when the delay has become shorter.
    if (!empty()) at = std::max(at, late_[(behind_ - 1) % kLateFramesMax].at);
    gave_away(mbuf);
    late_[behind_++ % kLateFramesMax] = {at, mbuf};
    return true;
}

unsigned PortFault::give(Time now, std::span<rte_mbuf*> mbufs) {
    unsigned given = 0;
    while (given < mbufs.size() && !empty() && late_[first_ % kLateFramesMax].at <= now) {
        mbufs[given++] = late_[first_++ % kLateFramesMax].mbuf;
    }
    return given;
}

void PortFault::corrupt(rte_mbuf* mbuf) {
    constexpr std::uint32_t kFirstByte = 64;
    const std::uint32_t length = mbuf->data_len;
    if (length == 0) return;
    const std::uint32_t byte =
        length > kFirstByte ? kFirstByte + prng_.below(length - kFirstByte) : length - 1;
    *rte_pktmbuf_mtod_offset(mbuf, std::uint8_t*, byte) ^=
        static_cast<std::uint8_t>(1u << prng_.below(8));
}

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/console/port_counts.h"

#include <numeric>

namespace weir {
namespace {

std::uint64_t since(std::uint64_t now, std::uint64_t then) {
    return now >= then ? now - then : now;
}

template <std::size_t N>
std::array<std::uint64_t, N> since(const std::array<std::uint64_t, N>& now,
                                   const std::array<std::uint64_t, N>& then) {
    std::array<std::uint64_t, N> difference{};
    for (std::size_t i = 0; i < N; ++i) difference[i] = since(now[i], then[i]);
    return difference;
}

template <std::size_t N>
std::array<std::uint64_t, N> read(const std::array<Counter, N>& counters) {
    std::array<std::uint64_t, N> values{};
    for (std::size_t i = 0; i < N; ++i) values[i] = counters[i].read();
    return values;
}

}  // namespace

std::uint64_t PortCounts::dropped() const {
    return std::accumulate(drops.begin(), drops.end(), std::uint64_t{0});
}

PortCounts read_counts(const PortCounters& counters) {
    PortCounts counts;
    counts.received_frames = counters.received_frames.read();
    counts.received_bytes = counters.received_bytes.read();
    counts.sent_frames = counters.sent_frames.read();
    counts.sent_bytes = counters.sent_bytes.read();
    counts.received_roce_frames = counters.received_roce_frames.read();
    counts.refused_frames = counters.refused_frames.read();
    counts.received_by_priority = read(counters.received_by_priority);
    counts.sent_by_priority = read(counters.sent_by_priority);
    counts.drops = read(counters.drops);
    return counts;
}

PortCounts counted_since(const PortCounts& now, const PortCounts& then) {
    PortCounts counts;
    counts.received_frames = since(now.received_frames, then.received_frames);
    counts.received_bytes = since(now.received_bytes, then.received_bytes);
    counts.sent_frames = since(now.sent_frames, then.sent_frames);
    counts.sent_bytes = since(now.sent_bytes, then.sent_bytes);
    counts.received_roce_frames = since(now.received_roce_frames, then.received_roce_frames);
    counts.refused_frames = since(now.refused_frames, then.refused_frames);
    counts.received_by_priority = since(now.received_by_priority, then.received_by_priority);
    counts.sent_by_priority = since(now.sent_by_priority, then.sent_by_priority);
    counts.drops = since(now.drops, then.drops);
    counts.device_missed = since(now.device_missed, then.device_missed);
    counts.device_errors = since(now.device_errors, then.device_errors);
    counts.device_no_memory = since(now.device_no_memory, then.device_no_memory);
    return counts;
}

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/console/port_counts.h"

#include <numeric>

namespace weir {
namespace {

std::uint64_t since(std::uint64_t now, std::uint64_t then) {
    return now >= then ? now - then : now;
}

}  // namespace

std::uint64_t PortCounts::dropped() const {
    return std::accumulate(drops.begin(), drops.end(), std::uint64_t{0});
}

void add_counts(const PortCounters& counters, PortCounts& sum) {
    for (const CountField& field : kCountFields) {
        if (field.source != nullptr) sum.*field.value += (counters.*field.source).read();
    }
    for (const PriorityCountField& field : kPriorityCountFields) {
        if (field.source == nullptr) continue;
        for (unsigned p = 0; p < kPriorities; ++p) {
            (sum.*field.values)[p] += (counters.*field.source)[p].read();
        }
    }
    for (unsigned i = 0; i < kDropReasons; ++i) sum.drops[i] += counters.drops[i].read();
}

PortCounts counted_since(const PortCounts& now, const PortCounts& then) {
    PortCounts counts;
    for (const CountField& field : kCountFields) {
        counts.*field.value = since(now.*field.value, then.*field.value);
    }
    for (const PriorityCountField& field : kPriorityCountFields) {
        for (unsigned p = 0; p < kPriorities; ++p) {
            (counts.*field.values)[p] = since((now.*field.values)[p], (then.*field.values)[p]);
        }
    }
    for (unsigned i = 0; i < kDropReasons; ++i)
        counts.drops[i] = since(now.drops[i], then.drops[i]);
    return counts;
}

}  // namespace weir

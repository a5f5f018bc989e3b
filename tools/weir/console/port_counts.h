// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

#include "dataplane/core/port_counters.h"

namespace weir {

// What PortCounters and the device count, at one moment.
struct PortCounts {
    std::uint64_t received_frames = 0;
    std::uint64_t received_bytes = 0;
    std::uint64_t sent_frames = 0;
    std::uint64_t sent_bytes = 0;
    std::uint64_t received_roce_frames = 0;
    std::uint64_t refused_frames = 0;
    std::array<std::uint64_t, kPriorities> received_by_priority{};
    std::array<std::uint64_t, kPriorities> sent_by_priority{};
    std::array<std::uint64_t, kDropReasons> drops{};
    // The device's own, where its driver counts them.
    std::uint64_t device_missed = 0;     // arrived while the RX ring was full
    std::uint64_t device_errors = 0;     // arrived broken, or failed to leave
    std::uint64_t device_no_memory = 0;  // RX found no mbuf

    [[nodiscard]] std::uint64_t dropped() const;
    friend bool operator==(const PortCounts&, const PortCounts&) = default;
};

[[nodiscard]] PortCounts read_counts(const PortCounters& counters);
// What was counted between two moments. A device that starts its counters again (it was stopped)
// counts from 0: never a wrapped number.
[[nodiscard]] PortCounts counted_since(const PortCounts& now, const PortCounts& then);

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "dataplane/core/port_counters.h"

namespace weir {

// What PortCounters and the device count, at one moment.
struct PortCounts {
    std::uint64_t received_frames = 0;
    std::uint64_t received_bytes = 0;
    std::uint64_t sent_frames = 0;
    std::uint64_t sent_bytes = 0;
    std::uint64_t received_roce_frames = 0;
    std::uint64_t mac_table_full = 0;
    std::uint64_t refused_frames = 0;
    std::uint64_t rerouted_frames = 0;
    std::uint64_t pfc_frames_sent = 0;
    std::uint64_t pfc_frames_received = 0;
    std::uint64_t link_pauses_received = 0;
    // The device's own, where its driver counts them.
    std::uint64_t device_missed = 0;     // arrived while the RX ring was full
    std::uint64_t device_errors = 0;     // arrived broken, or failed to leave
    std::uint64_t device_no_memory = 0;  // RX found no mbuf
    using ByPriority = std::array<std::uint64_t, kPriorities>;
    ByPriority pauses_sent{};
    ByPriority resumes_sent{};
    ByPriority pauses_received{};
    ByPriority resumes_received{};
    ByPriority received_by_priority{};
    ByPriority sent_by_priority{};
    ByPriority marked{};  // CE set by this switch
    ByPriority queue_drops{};
    ByPriority storms_detected{};
    ByPriority storms_restored{};
    ByPriority storm_drops{};
    ByPriority hooked_first{};
    ByPriority hooked_second{};
    std::array<std::uint64_t, kDropReasons> drops{};

    [[nodiscard]] std::uint64_t dropped() const;
    friend bool operator==(const PortCounts&, const PortCounts&) = default;
};

// The counters by name: whoever shows or subtracts all of them goes through these.
struct CountField {
    std::string_view name;
    std::uint64_t PortCounts::*value;
    Counter PortCounters::*source;  // null: the device's
};
struct PriorityCountField {
    std::string_view name;
    PortCounts::ByPriority PortCounts::*values;
    std::array<Counter, kPriorities> PortCounters::*source;  // null: the egress side's
};

inline constexpr std::array kCountFields = {
    CountField{"received_frames", &PortCounts::received_frames, &PortCounters::received_frames},
    CountField{"received_bytes", &PortCounts::received_bytes, &PortCounters::received_bytes},
    CountField{"sent_frames", &PortCounts::sent_frames, &PortCounters::sent_frames},
    CountField{"sent_bytes", &PortCounts::sent_bytes, &PortCounters::sent_bytes},
    CountField{"received_roce_frames", &PortCounts::received_roce_frames,
               &PortCounters::received_roce_frames},
    CountField{"mac_table_full", &PortCounts::mac_table_full, &PortCounters::mac_table_full},
    CountField{"refused_frames", &PortCounts::refused_frames, &PortCounters::refused_frames},
    CountField{"rerouted_frames", &PortCounts::rerouted_frames, &PortCounters::rerouted_frames},
    CountField{"pfc_frames_sent", &PortCounts::pfc_frames_sent, &PortCounters::pfc_frames_sent},
    CountField{"pfc_frames_received", &PortCounts::pfc_frames_received,
               &PortCounters::pfc_frames_received},
    CountField{"link_pauses_received", &PortCounts::link_pauses_received,
               &PortCounters::link_pauses_received},
    CountField{"device_missed", &PortCounts::device_missed, nullptr},
    CountField{"device_errors", &PortCounts::device_errors, nullptr},
    CountField{"device_no_memory", &PortCounts::device_no_memory, nullptr},
};

inline constexpr std::array kPriorityCountFields = {
    PriorityCountField{"pauses_sent", &PortCounts::pauses_sent, &PortCounters::pauses_sent},
    PriorityCountField{"resumes_sent", &PortCounts::resumes_sent, &PortCounters::resumes_sent},
    PriorityCountField{"pauses_received", &PortCounts::pauses_received,
                       &PortCounters::pauses_received},
    PriorityCountField{"resumes_received", &PortCounts::resumes_received,
                       &PortCounters::resumes_received},
    PriorityCountField{"received_by_priority", &PortCounts::received_by_priority,
                       &PortCounters::received_by_priority},
    PriorityCountField{"sent_by_priority", &PortCounts::sent_by_priority,
                       &PortCounters::sent_by_priority},
    PriorityCountField{"marked", &PortCounts::marked, nullptr},
    PriorityCountField{"queue_drops", &PortCounts::queue_drops, &PortCounters::queue_drops},
    PriorityCountField{"storms_detected", &PortCounts::storms_detected,
                       &PortCounters::storms_detected},
    PriorityCountField{"storms_restored", &PortCounts::storms_restored,
                       &PortCounters::storms_restored},
    PriorityCountField{"storm_drops", &PortCounts::storm_drops, &PortCounters::storm_drops},
    PriorityCountField{"hooked_first", &PortCounts::hooked_first, &PortCounters::hooked_first},
    PriorityCountField{"hooked_second", &PortCounts::hooked_second, &PortCounters::hooked_second},
};

// A counter that is in no table would never be shown nor cleared.
static_assert(sizeof(PortCounts) ==
              sizeof(std::uint64_t) *
                  (kCountFields.size() + kPriorityCountFields.size() * kPriorities + kDropReasons));
static_assert(sizeof(PortCounters) ==
              (sizeof(Counter) * (kCountFields.size() - 3 +  // those of the device
                                  (kPriorityCountFields.size() - 1) * kPriorities +  // `marked`
                                  kDropReasons) +
               63) /
                  64 * 64);

// A port's frames may be counted by several shards (a drop where its reason showed).
void add_counts(const PortCounters& counters, PortCounts& sum);
// What was counted between two moments. A device that starts its counters again (it was stopped)
// counts from 0: never a wrapped number.
[[nodiscard]] PortCounts counted_since(const PortCounts& now, const PortCounts& then);

}  // namespace weir

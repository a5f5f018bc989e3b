// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "config/settings.h"
#include "dataplane/core/limits.h"
#include "dataplane/core/tables.h"
#include "dataplane/core/time.h"
#include "dataplane/core/types.h"

namespace weir {

// What only the devices and the machine know.
struct PortFacts {
    struct Device {
        MacAddress mac;
        std::uint16_t frame_bytes_max = kFrameBytesMax;  // the longest frame it takes, without FCS
        std::uint64_t speed_bps = 0;                     // 0: it does not say
        std::uint16_t rx_ring_frames = 256;
    };
    std::vector<Device> ports;  // by PortId; missing ones have the defaults
    unsigned shards = 1;
    // mbufs that this switch may hold in its queues, and those that its devices and workers have;
    // 0: not known.
    std::uint32_t queued_frames = 0;
    std::uint32_t device_frames = 0;
    std::optional<Interval> reaction;  // the longest worker turn, if it was measured
};

// What a port's link is like, from the file and from its device.
struct PortLink {
    std::uint64_t speed_bps = 0;
    std::uint16_t frame_bytes_max = 0;
};

[[nodiscard]] inline PortLink link_of(const Settings& settings, const PortFacts& facts,
                                      std::size_t port) {
    const PortSettings& said = settings.ports[port];
    const PortFacts::Device device =
        port < facts.ports.size() ? facts.ports[port] : PortFacts::Device{};
    PortLink link{
        PortTable{}.speed_bps,
        std::min(said.frame_bytes_max.value_or(settings.frame_bytes_max), device.frame_bytes_max)};
    if (device.speed_bps != 0) link.speed_bps = device.speed_bps;
    if (said.speed) link.speed_bps = said.speed->bps;
    return link;
}

// For `weir --check`, which opens no device.
[[nodiscard]] inline PortFacts facts_without_devices(const Settings& settings) {
    PortFacts facts;
    facts.shards = std::max(1u, static_cast<unsigned>(settings.workers.cores.size()));
    return facts;
}

}  // namespace weir

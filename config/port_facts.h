// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "config/settings.h"
#include "dataplane/core/limits.h"
#include "dataplane/core/types.h"

namespace weir {

// What only the devices and the machine know.
struct PortFacts {
    struct Device {
        MacAddress mac;
        std::uint16_t frame_bytes_max = kFrameBytesMax;  // the longest frame it takes, without FCS
        std::uint64_t speed_bps = 0;                     // 0: it does not say
    };
    std::vector<Device> ports;  // by PortId; missing ones have the defaults
    unsigned shards = 1;
};

// For `weir --check`, which opens no device.
[[nodiscard]] inline PortFacts facts_without_devices(const Settings& settings) {
    PortFacts facts;
    facts.shards = std::max(1u, static_cast<unsigned>(settings.workers.cores.size()));
    return facts;
}

}  // namespace weir

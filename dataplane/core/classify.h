// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dataplane/core/frame.h"
#include "dataplane/core/parse.h"
#include "dataplane/core/tables.h"

namespace weir {

// The priority of a frame that arrived on `port`. Trusting DSCP: IP frames by their DSCP, others by
// PCP if tagged. Trusting PCP: tagged frames by their PCP. What carries neither gets the port's
// default priority.
[[nodiscard]] inline Priority classify(const PortTable& port, const PriorityMaps& maps,
                                       const Frame& frame, const Parsed& parsed) {
    constexpr std::uint8_t kIp = frame_flags::kIpv4 | frame_flags::kIpv6;
    if (port.trust == Trust::Dscp && (frame.flags & kIp) != 0) [[likely]] {
        return maps.from_dscp[parsed.traffic_class >> 2];
    }
    if ((frame.flags & frame_flags::kTagged) != 0) return maps.from_pcp[parsed.tag >> 13];
    return port.default_priority;
}

}  // namespace weir

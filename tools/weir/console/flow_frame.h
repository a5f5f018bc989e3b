// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

#include "config/reading.h"
#include "tools/weir/console/pattern.h"
#include "tools/weir/console/snapshot.h"

namespace weir {

// The first frame of the flow that `explain flow` asks about, as it would stand on the wire.
struct FlowFrame {
    PortId in_port = kNoPort;
    std::uint16_t length = 0;
    std::array<std::uint8_t, 128>
        bytes{};  // Ethernet 14 + tag 4 + IPv6 40 + UDP 8 + BTH 12 + ICRC 4
};

// What was not written is as a RoCEv2 sender to this port would have it: the port's own MAC as the
// destination, UDP to port 4791.
[[nodiscard]] Reading<FlowFrame> make_flow_frame(const Arguments& arguments,
                                                 const Snapshot& snapshot);

}  // namespace weir

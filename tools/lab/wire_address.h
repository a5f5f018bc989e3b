// SPDX-License-Identifier: BSD-3-Clause
// Addresses of a switch's tables in the words of the RoCE end point.
#pragma once

#include <cstdint>

#include "dataplane/core/types.h"
#include "tools/roce/frame.h"

namespace weir::lab {

[[nodiscard]] inline roce::MacAddress wire_mac(MacAddress mac) {
    roce::MacAddress wire;
    for (unsigned i = 0; i < wire.bytes.size(); ++i) {
        wire.bytes[i] = static_cast<std::uint8_t>(mac.value >> (40 - 8 * i));
    }
    return wire;
}

[[nodiscard]] inline roce::IpAddress wire_ip(std::uint32_t address) {
    roce::IpAddress wire;
    for (unsigned i = 0; i < 4; ++i) {
        wire.bytes[i] = static_cast<std::uint8_t>(address >> (24 - 8 * i));
    }
    return wire;
}

}  // namespace weir::lab

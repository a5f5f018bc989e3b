// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "dataplane/core/tables.h"

namespace weir {

// A session (BFD) with the router at the other end of a routed port. docs/links.md
struct LinkSettings {
    IpAddress peer;
    Interval desired_min_tx = SessionSettings{}.desired_min_tx;
    Interval required_min_rx = SessionSettings{}.required_min_rx;
    std::uint8_t detect_mult = SessionSettings{}.detect_mult;
    bool passive = SessionSettings{}.passive;
    bool required = LinkTable{}.required;
    Interval hold_down = LinkTable{}.hold_down;
    Interval damping = LinkTable{}.damping;
    bool operator==(const LinkSettings&) const = default;
};

// Failure notices to and from the peers of links.
struct NoticeSettings {
    std::string key;  // the fabric's: 64 hexadecimal digits
    std::uint16_t udp_port = kNoticePort;
    Interval refresh = Interval::milliseconds(100);
    Interval expiry = Interval::milliseconds(350);
    bool operator==(const NoticeSettings&) const = default;
};

}  // namespace weir

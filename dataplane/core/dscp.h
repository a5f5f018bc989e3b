// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "dataplane/core/checksum.h"
#include "dataplane/core/frame.h"
#include "dataplane/core/wire.h"

namespace weir {

// The DSCP (RFC 2474) of an IP frame.
[[nodiscard]] inline std::uint8_t dscp_of(const Frame& frame) {
    const std::uint8_t* ip = frame.data + l3_offset(frame);
    if ((frame.flags & frame_flags::kIpv4) != 0) return ip[1] >> 2;
    return static_cast<std::uint8_t>((read_be16(ip) >> 6) & 0x3f);
}

// Changes the DSCP of an IP frame. IPv4's checksum follows; RoCE's ICRC masks the field (IBTA annex
// A17: traffic class, TTL and checksum count as ones), so it stays right.
inline void set_dscp(Frame& frame, std::uint8_t dscp) {
    std::uint8_t* ip = frame.data + l3_offset(frame);
    const std::uint16_t before = read_be16(ip);
    if ((frame.flags & frame_flags::kIpv4) != 0) {
        ip[1] = static_cast<std::uint8_t>((dscp << 2) | (ip[1] & 3));
        write_be16(ip + 10, checksum_changed(read_be16(ip + 10), before, read_be16(ip)));
        return;
    }
    // Version 4 bits, DSCP 6, ECN 2, and the flow label's first 4.
    write_be16(ip, static_cast<std::uint16_t>((before & 0xf03f) | (dscp << 6)));
}

}  // namespace weir

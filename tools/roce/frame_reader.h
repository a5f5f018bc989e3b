// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tools/roce/frame.h"

namespace weir::roce {

enum class ReadError : std::uint8_t {
    None,
    NotRoce,       // another protocol or UDP port: nothing is wrong with it
    Truncated,     // ends before its headers, or before the length that they state
    BadIpHeader,   // version, header length or IPv4 header checksum
    Fragment,      // a RoCEv2 packet is never fragmented
    BadUdpLength,  // does not fill the IP packet, or leaves no room for the headers and the ICRC
    BadPadCount,   // more pad than payload
    BadTransport,  // transport header version is not 0
};

const char* to_string(ReadError error);

struct Reading {
    Frame frame;  // its payload points into the bytes that were read
    std::uint32_t icrc = 0;
    bool icrc_right = false;
    std::size_t ip_offset = 0;
    std::size_t trailer_bytes = 0;  // Ethernet padding after the ICRC
};

// Reads Ethernet header to ICRC of a frame without FCS. The ICRC is computed and compared, but a
// wrong one is not an error of reading. `reading` is complete only if None is returned.
[[nodiscard]] ReadError read_frame(std::span<const std::uint8_t> bytes, Reading& reading);

}  // namespace weir::roce

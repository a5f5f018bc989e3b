// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "dataplane/core/drop_reason.h"
#include "dataplane/core/frame.h"

namespace weir {

enum class FrameKind : std::uint8_t {
    Other,  // any EtherType the switch does not look into
    Ipv4,
    Ipv6,
    Arp,
    MacControl,  // 0x8808
    Malformed,   // `error` says why
};

// What the headers of one frame say. Offsets count from the first byte of the Ethernet header.
struct Parsed {
    std::uint32_t ports =
        0;  // UDP/TCP: source port << 16 | destination port; 0 for fragments, others
    std::uint32_t dest_qp = 0;  // RoCEv2 only
    std::uint16_t l3_offset = 0;
    std::uint16_t l4_offset = 0;  // behind IPv4 options or the IPv6 header
    std::uint16_t ether_type = 0;
    std::uint16_t tag = 0;  // TCI of the outer 802.1Q tag, if frame_flags::kTagged
    FrameKind kind = FrameKind::Other;
    std::uint8_t protocol =
        0;  // IPv4 protocol, IPv6 next header (extension headers are not walked)
    std::uint8_t traffic_class = 0;  // DSCP << 2 | ECN
    std::uint8_t ttl = 0;            // or hop limit
    bool roce = false;               // UDP destination port 4791 and a whole BTH and ICRC
    bool fragment = false;           // IPv4: offset != 0 or more fragments
    DropReason error = DropReason::EthernetTruncated;
};

static_assert(sizeof(Parsed) <= 32);

// Reads the headers of `frame` and sets its flags. Never reads at or behind data + readable;
// lengths that headers claim are held against `length`.
[[nodiscard]] Parsed parse(Frame& frame);

// The same for each frame; `parsed` has at least as many entries as `burst`.
void parse_burst(std::span<Frame> burst, std::span<Parsed> parsed);

}  // namespace weir

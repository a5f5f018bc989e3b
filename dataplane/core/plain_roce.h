// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dataplane/core/frame.h"
#include "dataplane/core/protocols.h"
#include "dataplane/core/wire.h"

namespace weir {

// Where the headers of a plain RoCEv2 frame stand.
namespace plain {
inline constexpr unsigned kIp = kEthernetBytes;
inline constexpr unsigned kUdp = kIp + kIpv4BytesMin;
inline constexpr unsigned kBth = kUdp + kUdpBytes;
inline constexpr unsigned kEnd = kBth + kBthBytes;
inline constexpr std::uint32_t kTotalMin = kIpv4BytesMin + kUdpBytes + kBthBytes + kIcrcBytes;
}  // namespace plain

// An untagged, whole, unfragmented IPv4 datagram without options whose UDP length fills it and has
// room for a BTH. Fields are compared as they stand on the wire, as many at once as lie together.
[[nodiscard]] inline bool is_plain_udp(const Frame& frame) {
    if (frame.readable < plain::kEnd) return false;
    const std::uint8_t* data = frame.data;
    // EtherType, version 4, five words; not TOS.
    constexpr std::uint32_t kFrontMask = 0x00ff'ffff;
    constexpr std::uint32_t kFront = 0x45u << 16 | wire_16(kEtherTypeIpv4);
    if ((load_32(data + 12) & kFrontMask) != kFront) return false;
    // From total length to protocol: fragment offset and "more fragments" (not "don't fragment")
    // are 0, the protocol is UDP.
    constexpr std::uint64_t kMiddleMask = 0xffull << 56 | std::uint64_t{wire_16(0x3fff)} << 32;
    constexpr std::uint64_t kMiddle = std::uint64_t{kProtocolUdp} << 56;
    if ((load_64(data + plain::kIp + 2) & kMiddleMask) != kMiddle) return false;
    const std::uint32_t total = read_be16(data + plain::kIp + 2);
    return total >= plain::kTotalMin && plain::kIp + total <= frame.length &&
           read_be16(data + plain::kUdp + 4) + std::uint32_t{kIpv4BytesMin} == total;
}

// What nearly every frame of an RDMA fabric is: a plain UDP datagram to port 4791 from a unicast
// source. parse() of such a frame finds kind Ipv4, roce, l3_offset 14 and l4_offset 34.
[[nodiscard]] inline bool is_plain_roce(const Frame& frame) {
    return is_plain_udp(frame) && (frame.data[kMacBytes] & 1) == 0 &&
           load_16(frame.data + plain::kUdp + 2) == wire_16(kRoceUdpPort);
}

}  // namespace weir

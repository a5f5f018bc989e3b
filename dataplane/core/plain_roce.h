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

// What nearly every frame of an RDMA fabric is: an untagged, whole, unfragmented IPv4 datagram
// without options, UDP to port 4791 that fills it, from a unicast source. parse() of such a frame
// finds kind Ipv4, roce, l3_offset 14 and l4_offset 34. Fields are compared as they stand on the
// wire: a compare each, no byte swaps.
[[nodiscard]] inline bool is_plain_roce(const Frame& frame) {
    if (frame.readable < plain::kEnd) return false;
    const std::uint8_t* data = frame.data;
    if (load_16(data + 12) != wire_16(kEtherTypeIpv4) || (data[kMacBytes] & 1) != 0) return false;
    if (data[plain::kIp] != 0x45) return false;  // version 4, five words
    // Fragment offset and "more fragments", not "don't fragment".
    if ((load_16(data + plain::kIp + 6) & wire_16(0x3fff)) != 0) return false;
    if (data[plain::kIp + 9] != kProtocolUdp) return false;
    if (load_16(data + plain::kUdp + 2) != wire_16(kRoceUdpPort)) return false;
    const std::uint32_t total = read_be16(data + plain::kIp + 2);
    return total >= plain::kTotalMin && plain::kIp + total <= frame.length &&
           read_be16(data + plain::kUdp + 4) + std::uint32_t{kIpv4BytesMin} == total;
}

}  // namespace weir

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
inline constexpr std::uint32_t kUdpLengthMin = kUdpBytes + kBthBytes + kIcrcBytes;
}  // namespace plain

// What nearly every frame of an RDMA fabric is: an untagged, whole, unfragmented IPv4 datagram
// without options, UDP to port 4791 with lengths that fit, from a unicast source. parse() of such a
// frame finds kind Ipv4, roce, l3_offset 14 and l4_offset 34.
[[nodiscard]] inline bool is_plain_roce(const Frame& frame) {
    if (frame.readable < plain::kEnd) return false;
    const std::uint8_t* data = frame.data;
    // Source MAC's group bit and the EtherType; version and header length, and the fragment word
    // without its "don't fragment"; protocol and UDP destination port.
    const std::uint64_t ethernet = read_be64(data + 6) & 0x0100'0000'0000'ffff;
    const std::uint64_t ip = read_be64(data + plain::kIp) & 0xff00'0000'0000'3fff;
    const std::uint32_t l4 = (std::uint32_t{data[23]} << 16) | read_be16(data + 36);
    constexpr std::uint32_t kRoce = (std::uint32_t{kProtocolUdp} << 16) | kRoceUdpPort;
    if (((ethernet ^ kEtherTypeIpv4) | (ip ^ 0x4500'0000'0000'0000) | (l4 ^ kRoce)) != 0) {
        return false;
    }
    const std::uint32_t total = read_be16(data + plain::kIp + 2);
    const std::uint32_t udp = read_be16(data + plain::kUdp + 4);
    return plain::kIp + total <= frame.length && udp + kIpv4BytesMin <= total &&
           udp >= plain::kUdpLengthMin;
}

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
// Numbers of the wire formats, with their source.
#pragma once

#include <cstdint>

#include "dataplane/core/types.h"

namespace weir {

// 802.3 and 802.1Q.
inline constexpr std::uint16_t kMacBytes = 6;
inline constexpr std::uint16_t kEthernetBytes = 14;
inline constexpr std::uint16_t kVlanTagBytes = 4;
inline constexpr std::uint16_t kEtherTypeIpv4 = 0x0800;
inline constexpr std::uint16_t kEtherTypeArp = 0x0806;
inline constexpr std::uint16_t kEtherTypeVlan = 0x8100;
inline constexpr std::uint16_t kEtherTypeIpv6 = 0x86dd;
inline constexpr std::uint16_t kEtherTypeMacControl = 0x8808;  // 802.3 annex 31A
// 01-80-C2-00-00-00 to -0F: never forwarded by a bridge (802.1Q table 8-1).
inline constexpr std::uint64_t kLinkLocalGroup = 0x0180'c200'0000;
inline constexpr std::uint64_t kLinkLocalGroupMask = 0xffff'ffff'fff0;

// IPv4 (RFC 791), IPv6 (RFC 8200).
inline constexpr std::uint16_t kIpv4BytesMin = 20;
inline constexpr std::uint16_t kIpv6Bytes = 40;
inline constexpr std::uint8_t kProtocolIcmp = 1;
inline constexpr std::uint8_t kProtocolTcp = 6;
inline constexpr std::uint8_t kProtocolUdp = 17;
inline constexpr std::uint8_t kProtocolIcmpv6 = 58;
inline constexpr std::uint8_t kProtocolIpv6Fragment = 44;

// UDP (RFC 768) and RoCEv2 (IBTA annex A17: UDP destination port 4791).
inline constexpr std::uint16_t kUdpBytes = 8;
inline constexpr std::uint16_t kRoceUdpPort = 4791;
inline constexpr std::uint16_t kBthBytes = 12;
inline constexpr std::uint16_t kIcrcBytes = 4;
inline constexpr std::uint16_t kBthDestQpOffset = 5;  // three bytes

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
// What neighbor discovery and ICMPv6 have in common: the header and the checksum (RFC 4443 2.3).
#pragma once

#include "dataplane/core/checksum.h"
#include "dataplane/core/protocols.h"
#include "dataplane/core/wire.h"

namespace weir {

// Traffic class of our own control frames: DSCP CS6, "network control" (RFC 4594 section 3.1).
inline constexpr std::uint8_t kControlTrafficClass = 48 << 2;

// The checksum over a message of `bytes` bytes that follows the IPv6 header at `ip`, whose
// addresses are set. 0 if the message holds its own, right checksum.
[[nodiscard]] inline std::uint16_t icmpv6_checksum(const std::uint8_t* ip, std::uint16_t bytes) {
    const std::uint64_t pseudo_header =
        checksum_sum(ip + 8, 32) + checksum_word(bytes) + checksum_word(kProtocolIcmpv6);
    return checksum_of(pseudo_header + checksum_sum(ip + kIpv6Bytes, bytes));
}

struct Icmpv6Ends {
    IpAddress source;
    IpAddress destination;
    std::uint8_t hop_limit = 0;
};

// Writes the IPv6 header before a message of `bytes` bytes at ip + kIpv6Bytes, and then the
// message's checksum, which was 0.
inline void finish_icmpv6(std::uint8_t* ip, const Icmpv6Ends& ends, std::uint16_t bytes) {
    write_be32(ip, 0x6000'0000u | (std::uint32_t{kControlTrafficClass} << 20));
    write_be16(ip + 4, bytes);
    ip[6] = kProtocolIcmpv6;
    ip[7] = ends.hop_limit;
    write_ipv6(ip + 8, ends.source);
    write_ipv6(ip + 24, ends.destination);
    write_be16(ip + kIpv6Bytes + 2, icmpv6_checksum(ip, bytes));
}

// Where the message that begins at `l4_offset`, right behind the IPv6 header, ends.
[[nodiscard]] inline unsigned icmpv6_end(const std::uint8_t* ip, std::uint16_t l4_offset) {
    return unsigned{l4_offset} + read_be16(ip + 4);
}

}  // namespace weir

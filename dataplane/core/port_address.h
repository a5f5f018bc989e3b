// SPDX-License-Identifier: BSD-3-Clause
// The addresses that a routed port has, and what they say about others.
#pragma once

#include <span>

#include "dataplane/core/tables.h"

namespace weir {

[[nodiscard]] inline std::span<const PortAddress> addresses_of(const Tables& tables, PortId port) {
    return tables.addresses.subspan(tables.ports[port].first_address,
                                    tables.ports[port].address_count);
}

// Whether both begin with the same `prefix_length` of 128 bits.
[[nodiscard]] constexpr bool same_prefix(const IpAddress& a, const IpAddress& b,
                                         unsigned prefix_length) {
    const std::uint64_t high = a.high ^ b.high;
    const std::uint64_t low = a.low ^ b.low;
    if (prefix_length < 64) return prefix_length == 0 || (high >> (64 - prefix_length)) == 0;
    if (prefix_length == 64) return high == 0;
    return high == 0 && (low >> (128 - prefix_length)) == 0;
}

// The address that a port with this MAC has on every link: fe80::/64 and the MAC as modified EUI-64
// (RFC 4291 section 2.5.6 and appendix A).
[[nodiscard]] constexpr IpAddress link_local_of(MacAddress mac) {
    const std::uint64_t upper = (mac.value >> 24) ^ 0x02'0000;
    return {0xfe80'0000'0000'0000, (upper << 40) | 0xff'fe00'0000 | (mac.value & 0xff'ffff)};
}

// The port's own address that `neighbor` shares a subnet with; null when there is none.
[[nodiscard]] const PortAddress* address_facing(const Tables& tables, PortId port,
                                                const IpAddress& neighbor);

// One of the configured addresses of the port or, on a routed port, its link-local one.
[[nodiscard]] bool is_address_of(const Tables& tables, PortId port, const IpAddress& address);

// A host that may be next to us on this port: link-local, or in one of its subnets without being
// the subnet's own or its broadcast address, and none of the port's own.
[[nodiscard]] bool may_be_neighbor(const Tables& tables, PortId port, const IpAddress& address);

// The source of what the port itself says to `peer`: the address in the same subnet, else the first
// of that family, for IPv6 else the link-local one; is_v4() and 0 when there is no IPv4 address.
[[nodiscard]] IpAddress source_for(const Tables& tables, PortId port, const IpAddress& peer);

}  // namespace weir

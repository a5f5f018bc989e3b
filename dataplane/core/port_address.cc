// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/port_address.h"

namespace weir {

namespace {

constexpr IpAddress kNoIpv4 = IpAddress::v4(0);

// The all-zeros and all-ones host parts of an IPv4 subnet name no host (RFC 1122 3.2.1.3); a /31
// and a /32 have no such addresses (RFC 3021).
bool names_ipv4_subnet(const PortAddress& own, const IpAddress& address) {
    if (!address.is_v4() || own.prefix_length > 126) return false;
    const std::uint32_t host_mask = 0xffff'ffffu >> (own.prefix_length - 96);
    const std::uint32_t host = address.v4_value() & host_mask;
    return host == 0 || host == host_mask;
}

}  // namespace

const PortAddress* address_facing(const Tables& tables, PortId port, const IpAddress& neighbor) {
    const PortAddress* best = nullptr;
    for (const PortAddress& own : addresses_of(tables, port)) {
        if (own.address.is_v4() != neighbor.is_v4()) continue;
        if (!same_prefix(own.address, neighbor, own.prefix_length)) continue;
        if (best == nullptr || own.prefix_length > best->prefix_length) best = &own;
    }
    return best;
}

bool is_address_of(const Tables& tables, PortId port, const IpAddress& address) {
    for (const PortAddress& own : addresses_of(tables, port)) {
        if (own.address == address) return true;
    }
    return address == link_local_of(tables.ports[port].mac);
}

bool may_be_neighbor(const Tables& tables, PortId port, const IpAddress& address) {
    if (is_address_of(tables, port, address)) return false;
    if (address.is_link_local()) return true;
    const PortAddress* own = address_facing(tables, port, address);
    return own != nullptr && !names_ipv4_subnet(*own, address);
}

IpAddress source_for(const Tables& tables, PortId port, const IpAddress& peer) {
    const PortAddress* facing = address_facing(tables, port, peer);
    if (facing != nullptr) return facing->address;
    if (peer.is_link_local()) return link_local_of(tables.ports[port].mac);
    for (const PortAddress& own : addresses_of(tables, port)) {
        if (own.address.is_v4() == peer.is_v4()) return own.address;
    }
    return peer.is_v4() ? kNoIpv4 : link_local_of(tables.ports[port].mac);
}

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/address_text.h"
#include "dataplane/core/tables.h"

namespace weir {

// What the router does with a frame's destination.
inline std::uint32_t find_in(const RouteTrie& trie, const IpAddress& address) {
    return address.is_v4() ? trie.find(std::uint64_t{address.v4_value()} << 32, 0)
                           : trie.find(address.high, address.low);
}

inline const Route& route_to(const Tables& tables, const char* destination) {
    const IpAddress address = *parse_ip(destination);
    return tables
        .routes[find_in(address.is_v4() ? tables.ipv4_routes : tables.ipv6_routes, address)];
}

}  // namespace weir

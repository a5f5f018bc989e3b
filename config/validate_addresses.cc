// SPDX-License-Identifier: BSD-3-Clause
// Own addresses and their subnets.
#include <algorithm>
#include <tuple>

#include "config/validation.h"

namespace weir {
namespace {

std::string address_path(std::size_t port, std::size_t index) {
    return item_path("ports", port, ".addresses") + "[" + std::to_string(index) + "]";
}

bool is_loopback(const IpAddress& address) {
    return address.is_v4() ? (address.v4_value() >> 24) == 127
                           : address.high == 0 && address.low == 1;
}

// The subnet's own first address: of IPv4 the network, of IPv6 the anycast address of all its
// routers (RFC 4291 2.6.1). Two-address subnets have neither (RFC 3021, RFC 6164).
bool is_subnet_address(const IpPrefix& own) {
    return own.length < 127 && own.address == first_of(own);
}

bool is_broadcast_address(const IpPrefix& own) {
    return own.is_v4() && own.length < 127 && own.address == last_of(own);
}

// What an own address cannot be; empty: it can.
std::string why_not_own(const IpPrefix& own) {
    const std::string text = format(own);
    const IpAddress first{own.address.high, first_of(own).low + 1};
    if (own.address.is_multicast()) return text + " is a multicast address";
    if (is_loopback(own.address)) return text + " is a loopback address";
    if (own.is_v4() ? (own.address.v4_value() >> 24) == 0 || own.address.v4_value() >= 0xf000'0000
                    : own.address == IpAddress{}) {
        return text + " is no address of a host";
    }
    if (own.written_length() == 0) {
        return text + " makes every address a neighbor; write the length of the subnet";
    }
    if (is_subnet_address(own)) {
        return text + " is the subnet itself; write a host in it, like " +
               format(IpPrefix{first, own.length});
    }
    if (is_broadcast_address(own)) {
        return text + " is the broadcast address of its subnet; write a host in it, like " +
               format(IpPrefix{first, own.length});
    }
    return {};
}

struct OwnSubnet {
    IpPrefix prefix;
    std::size_t port = 0;
    std::size_t index = 0;
};

void check_port(Validation& validation, std::size_t port, std::vector<OwnSubnet>& subnets) {
    const std::vector<IpPrefix>& addresses = *validation.settings.ports[port].addresses;
    if (addresses.size() > kAddressesPerPortMax) {
        validation.add(item_path("ports", port, ".addresses"),
                       std::to_string(addresses.size()) + " addresses; at most " +
                           std::to_string(kAddressesPerPortMax));
    }
    for (std::size_t i = 0; i < addresses.size(); ++i) {
        const auto same = std::find_if(
            addresses.begin(), addresses.begin() + static_cast<long>(i),
            [&](const IpPrefix& other) { return other.address == addresses[i].address; });
        const std::string problem = why_not_own(addresses[i]);
        if (!problem.empty()) {
            validation.add(address_path(port, i), problem);
        } else if (same != addresses.begin() + static_cast<long>(i)) {
            validation.add(address_path(port, i),
                           format(addresses[i].address) + " is listed twice");
        } else if (!addresses[i].address.is_link_local()) {
            subnets.push_back({network_of(addresses[i]), port, i});
        }
    }
}

// In order of address, prefixes lie inside each other or apart; so each needs to be compared only
// with the outermost one in front of it.
void check_overlaps(Validation& validation, std::vector<OwnSubnet>& subnets) {
    std::sort(subnets.begin(), subnets.end(), [](const OwnSubnet& a, const OwnSubnet& b) {
        return std::tie(a.prefix, a.port, a.index) < std::tie(b.prefix, b.port, b.index);
    });
    const OwnSubnet* outer = nullptr;
    for (const OwnSubnet& subnet : subnets) {
        if (outer == nullptr || !contains(outer->prefix, subnet.prefix.address)) {
            outer = &subnet;
            continue;
        }
        if (outer->port == subnet.port) continue;
        const auto& [first, second] =
            outer->port < subnet.port ? std::tie(*outer, subnet) : std::tie(subnet, *outer);
        validation.add(address_path(second.port, second.index),
                       format(second.prefix) + " overlaps " + format(first.prefix) + " of port " +
                           validation.port_name(static_cast<PortId>(first.port)) +
                           "; give each port its own subnet");
    }
}

}  // namespace

void validate_addresses(Validation& validation) {
    std::vector<OwnSubnet> subnets;
    for (std::size_t i = 0; i < validation.settings.ports.size(); ++i) {
        if (validation.misread("ports", i) || !validation.settings.ports[i].routed()) continue;
        check_port(validation, i, subnets);
    }
    check_overlaps(validation, subnets);
}

}  // namespace weir

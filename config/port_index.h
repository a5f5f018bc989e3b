// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "config/settings.h"

namespace weir {

struct IpAddressHash {
    [[nodiscard]] std::size_t operator()(const IpAddress& address) const {
        return std::hash<std::uint64_t>{}(address.high ^ (address.low * 0x9e37'79b9'7f4a'7c15ull));
    }
};

// A connected subnet and the port it is on.
struct Subnet {
    IpPrefix prefix;  // without host bits
    PortId port = kNoPort;
};

// The ports of a switch by name, by subnet and by own address. Refers to `ports`.
class PortIndex {
  public:
    explicit PortIndex(std::span<const PortSettings> ports);

    // kNoPort when there is none.
    [[nodiscard]] PortId by_name(std::string_view name) const;
    [[nodiscard]] PortId owner_of(const IpAddress& own_address) const;
    // The subnet that holds the address, or null. Link-local addresses are in no subnet: every
    // port has the same.
    [[nodiscard]] const Subnet* subnet_of(const IpAddress& address) const;
    // The port behind which a gateway or neighbor is: the named one, or that of the subnet.
    [[nodiscard]] PortId port_of(const IpAddress& address, std::string_view port_name) const;

    // In ascending order of address, the longer prefix behind the shorter one that holds it.
    [[nodiscard]] std::span<const Subnet> subnets() const { return subnets_; }

  private:
    std::unordered_map<std::string_view, PortId> names_;
    std::unordered_map<IpAddress, PortId, IpAddressHash> own_;
    std::vector<Subnet> subnets_;
    // Those that no other subnet holds: they do not overlap, so that a binary search finds them.
    std::vector<Subnet> outermost_;
};

}  // namespace weir

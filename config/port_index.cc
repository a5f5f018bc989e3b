// SPDX-License-Identifier: BSD-3-Clause
#include "config/port_index.h"

#include <algorithm>
#include <tuple>

namespace weir {

PortIndex::PortIndex(std::span<const PortSettings> ports) {
    for (std::size_t i = 0; i < ports.size(); ++i) {
        const auto port = static_cast<PortId>(i);
        names_.emplace(ports[i].name, port);
        if (!ports[i].routed()) continue;
        for (const IpPrefix& own : *ports[i].addresses) {
            if (own.address.is_link_local()) continue;
            own_.emplace(own.address, port);
            subnets_.push_back({network_of(own), port});
        }
    }
    std::sort(subnets_.begin(), subnets_.end(), [](const Subnet& a, const Subnet& b) {
        return std::tie(a.prefix, a.port) < std::tie(b.prefix, b.port);
    });
    for (const Subnet& subnet : subnets_) {
        if (outermost_.empty() || !contains(outermost_.back().prefix, subnet.prefix.address)) {
            outermost_.push_back(subnet);
        }
    }
}

PortId PortIndex::by_name(std::string_view name) const {
    const auto found = names_.find(name);
    return found == names_.end() ? kNoPort : found->second;
}

PortId PortIndex::owner_of(const IpAddress& own_address) const {
    const auto found = own_.find(own_address);
    return found == own_.end() ? kNoPort : found->second;
}

const Subnet* PortIndex::subnet_of(const IpAddress& address) const {
    const auto behind = std::upper_bound(
        outermost_.begin(), outermost_.end(), address,
        [](const IpAddress& a, const Subnet& subnet) { return a < subnet.prefix.address; });
    if (behind == outermost_.begin()) return nullptr;
    const Subnet& candidate = *(behind - 1);
    return contains(candidate.prefix, address) ? &candidate : nullptr;
}

PortId PortIndex::port_of(const IpAddress& address, std::string_view port_name) const {
    if (!port_name.empty()) return by_name(port_name);
    const Subnet* subnet = subnet_of(address);
    return subnet == nullptr ? kNoPort : subnet->port;
}

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "tools/lab/addressing.h"
#include "tools/plan/input.h"

namespace weir::plan {

// What ports, hosts and leaves are called in the files of the switches.
class Names {
  public:
    explicit Names(const Input& input) : input_(input), addressing_(input.topology) {}

    [[nodiscard]] std::string port(NodeId node, PortId port) const {
        const auto own = input_.ports.find(input_.topology.name(node));
        return own == input_.ports.end() ? "p" + std::to_string(port) : own->second[port];
    }
    [[nodiscard]] std::optional<PortId> find_port(NodeId node, const std::string& name) const {
        for (PortId port = 0; port < input_.topology.links_of(node).size(); ++port) {
            if (this->port(node, port) == name) return port;
        }
        return std::nullopt;
    }
    [[nodiscard]] IpAddress address(NodeId host) const {
        const auto own = input_.addresses.find(input_.topology.name(host));
        return own == input_.addresses.end() ? IpAddress::v4(addressing_.host(host)) : own->second;
    }
    // All hosts of a leaf, by the lab's addresses.
    [[nodiscard]] IpPrefix prefix(NodeId leaf) const {
        return {IpAddress::v4(addressing_.leaf_prefix(leaf)),
                static_cast<std::uint8_t>(kV4PrefixOffset + addressing_.leaf_prefix_length())};
    }

  private:
    const Input& input_;
    lab::Addressing addressing_;
};

}  // namespace weir::plan

// SPDX-License-Identifier: BSD-3-Clause
// Who has which address in a fabric. Hosts of leaf L (counted over the switches with hosts, from 1)
// are in 10.L.0.0/16: the one on its n-th host port (from 1) is 10.L.n.2/24 and its gateway
// 10.L.n.1. Link l between switches is 172.16.0.0/12 + 2 l, a /31.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataplane/core/types.h"
#include "tools/lab/topology.h"

namespace weir::lab {

inline constexpr unsigned kLeavesMax = 254;
inline constexpr unsigned kHostsPerLeafMax = 254;

class Addressing {
  public:
    explicit Addressing(const Topology& topology);

    [[nodiscard]] std::uint32_t host(NodeId host) const { return hosts_[host - first_host_]; }
    // The switch's side of a host's link.
    [[nodiscard]] std::uint32_t gateway(NodeId host) const { return this->host(host) - 1; }
    // 10.L.0.0 of a switch with hosts, else 0.
    [[nodiscard]] std::uint32_t leaf_prefix(NodeId node) const { return leaves_[node]; }
    // The address of one end of a link between switches.
    [[nodiscard]] static std::uint32_t link(std::uint32_t link, bool is_a) {
        return 0xac10'0000u + 2 * link + (is_a ? 0 : 1);
    }
    [[nodiscard]] static MacAddress switch_mac(NodeId node, PortId port) {
        return {0x0200'0000'0000u + (std::uint64_t{node} << 16) + port};
    }
    [[nodiscard]] static MacAddress host_mac(NodeId host) { return {0x0201'0000'0000u + host}; }
    [[nodiscard]] static MacAddress mac(const Topology& topology, Link::End end) {
        return topology.is_switch(end.node) ? switch_mac(end.node, end.port) : host_mac(end.node);
    }

  private:
    NodeId first_host_;
    std::vector<std::uint32_t> hosts_;   // by host
    std::vector<std::uint32_t> leaves_;  // by switch
};

[[nodiscard]] std::string ipv4_text(std::uint32_t address);

}  // namespace weir::lab

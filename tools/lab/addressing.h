// SPDX-License-Identifier: BSD-3-Clause
// Who has which address in a fabric. Hosts of leaf L (counted over the switches with hosts, from 1)
// are in 10.L.0.0/16: the one on its n-th host port (from 1) is 10.L.n.2/24 and its gateway
// 10.L.n.1. Link l between switches is 172.16.0.0/12 + 2 l, a /31.
//
// More leaves than that share 10.0.0.0/8 in blocks of a power of two of /24 subnets, as many as the
// largest leaf has hosts; leaves and hosts are then counted from 0. 2,048 leaves of 32 hosts fill
// it.
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
    // Whether 10.0.0.0/8 holds so many leaves and hosts.
    [[nodiscard]] static bool fits(const Topology& topology);

    explicit Addressing(const Topology& topology);

    [[nodiscard]] std::uint32_t host(NodeId host) const { return hosts_[host - first_host_]; }
    // The switch's side of a host's link.
    [[nodiscard]] std::uint32_t gateway(NodeId host) const { return this->host(host) - 1; }
    // 10.L.0.0 of a switch with hosts, else 0; and how long such a prefix is.
    [[nodiscard]] std::uint32_t leaf_prefix(NodeId node) const { return leaves_[node]; }
    [[nodiscard]] unsigned leaf_prefix_length() const { return leaf_prefix_length_; }
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
    unsigned leaf_prefix_length_ = 16;
    std::vector<std::uint32_t> hosts_;   // by host
    std::vector<std::uint32_t> leaves_;  // by switch
};

[[nodiscard]] std::string ipv4_text(std::uint32_t address);

}  // namespace weir::lab

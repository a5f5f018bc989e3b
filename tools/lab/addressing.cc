// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lab/addressing.h"

#include <algorithm>
#include <bit>

#include "dataplane/core/check.h"

namespace weir::lab {

namespace {

constexpr std::uint32_t kTen = 0x0a00'0000u;
constexpr unsigned kSubnetsBits = 16;  // the /24 subnets of 10.0.0.0/8

struct Census {
    unsigned leaves = 0;     // switches with hosts
    unsigned hosts_max = 0;  // of one of them
};

Census census_of(const Topology& topology) {
    Census census;
    std::vector<unsigned> hosts(topology.switches(), 0);
    for (unsigned i = 0; i < topology.hosts(); ++i) {
        unsigned& count = hosts[topology.leaf_of(topology.host(i)).node];
        if (count++ == 0) ++census.leaves;
        census.hosts_max = std::max(census.hosts_max, count);
    }
    return census;
}

bool small(const Census& census) {
    return census.leaves <= kLeavesMax && census.hosts_max <= kHostsPerLeafMax;
}

// Bits of the number of a host in its leaf's block.
unsigned block_bits(const Census& census) {
    return static_cast<unsigned>(std::bit_width(std::max(census.hosts_max, 1u) - 1));
}

}  // namespace

bool Addressing::fits(const Topology& topology) {
    const Census census = census_of(topology);
    return small(census) ||
           (std::uint64_t{census.leaves} << block_bits(census)) <= (1u << kSubnetsBits);
}

Addressing::Addressing(const Topology& topology)
    : first_host_(topology.host(0)), leaves_(topology.switches(), 0) {
    WEIR_CHECK(fits(topology));
    const Census census = census_of(topology);
    const unsigned bits = small(census) ? 8 : block_bits(census);
    const std::uint32_t first = small(census) ? 1 : 0;
    leaf_prefix_length_ = 8 + kSubnetsBits - bits;
    std::uint32_t leaves = first;
    std::vector<std::uint32_t> hosts_of(topology.switches(), first);
    for (unsigned i = 0; i < topology.hosts(); ++i) {
        const NodeId leaf = topology.leaf_of(topology.host(i)).node;
        if (leaves_[leaf] == 0) leaves_[leaf] = kTen + (leaves++ << (8 + bits));
        hosts_.push_back(leaves_[leaf] + (hosts_of[leaf]++ << 8) + 2);
    }
}

std::string ipv4_text(std::uint32_t address) {
    std::string text;
    for (int shift = 24; shift >= 0; shift -= 8) {
        text += std::to_string((address >> shift) & 0xff) + (shift > 0 ? "." : "");
    }
    return text;
}

}  // namespace weir::lab

// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lab/addressing.h"

#include "dataplane/core/check.h"

namespace weir::lab {

Addressing::Addressing(const Topology& topology)
    : first_host_(topology.host(0)), leaves_(topology.switches(), 0) {
    std::uint32_t leaves = 0;
    std::vector<std::uint32_t> hosts_of(topology.switches(), 0);
    for (unsigned i = 0; i < topology.hosts(); ++i) {
        const NodeId leaf = topology.leaf_of(topology.host(i)).node;
        if (leaves_[leaf] == 0) leaves_[leaf] = 0x0a00'0000u + (++leaves << 16);
        hosts_.push_back(leaves_[leaf] + (++hosts_of[leaf] << 8) + 2);
        WEIR_CHECK(leaves <= kLeavesMax && hosts_of[leaf] <= kHostsPerLeafMax);
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

// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lab/shortest_paths.h"

#include <deque>

namespace weir::lab {

std::vector<std::vector<PortId>> ports_towards(const Topology& topology, NodeId to) {
    constexpr unsigned kFar = ~0u;
    std::vector<unsigned> hops(topology.switches(), kFar);
    std::deque<NodeId> next{to};
    hops[to] = 0;
    const auto for_each_port = [&](NodeId node, auto visit) {
        for (PortId port = 0; port < topology.links_of(node).size(); ++port) {
            const NodeId peer = topology.far_end(node, port).node;
            if (topology.is_switch(peer)) visit(port, peer);
        }
    };
    for (; !next.empty(); next.pop_front()) {
        const NodeId node = next.front();
        for_each_port(node, [&](PortId, NodeId peer) {
            if (hops[peer] != kFar) return;
            hops[peer] = hops[node] + 1;
            next.push_back(peer);
        });
    }
    std::vector<std::vector<PortId>> ports(topology.switches());
    for (NodeId node = 0; node < topology.switches(); ++node) {
        if (node == to || hops[node] == kFar) continue;
        for_each_port(node, [&](PortId port, NodeId peer) {
            if (hops[peer] + 1 == hops[node]) ports[node].push_back(port);
        });
    }
    return ports;
}

}  // namespace weir::lab

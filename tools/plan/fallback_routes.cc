// SPDX-License-Identifier: BSD-3-Clause
#include "tools/plan/fallback_routes.h"

#include <algorithm>

#include "tools/lab/shortest_paths.h"

namespace weir::plan {

FallbackRoutes::FallbackRoutes(const Input& input, const Tiers& tiers)
    : input_(input),
      tiers_(tiers),
      regular_(tiers.kind() != Tiers::Kind::Other && tiers.leaves().uniform &&
               input.fabric.routes.empty()) {}

const std::vector<PortId>& FallbackRoutes::ports(NodeId at, NodeId leaf) {
    if (regular_) {
        find_in_tiers(at, leaf);
        return found_;
    }
    if (leaf != leaf_) load(leaf);
    return ports_[at];
}

void FallbackRoutes::add_ports(NodeId at, NodeId next) {
    for (const Hop hop : tiers_.bundle(at, next)) {
        found_.push_back(port_of(input_.topology, hop));
    }
}

void FallbackRoutes::find_in_tiers(NodeId at, NodeId leaf) {
    found_.clear();
    const bool three = tiers_.kind() == Tiers::Kind::Three;
    if (tiers_.tier_of(at) == 0) {
        for (const NodeId upper : tiers_.leaves().upper) {
            add_ports(at, three ? tiers_.aggregation(tiers_.pod_of(at), upper) : upper);
        }
    } else if (!three || (tiers_.tier_of(at) == 1 && tiers_.pod_of(at) == tiers_.pod_of(leaf))) {
        add_ports(at, leaf);
    } else if (tiers_.tier_of(at) == 1) {
        for (const NodeId core : tiers_.planes()[tiers_.index_of(at)].upper) add_ports(at, core);
    } else {
        for (const Stage& plane : tiers_.planes()) add_ports(at, plane.lower[tiers_.pod_of(leaf)]);
    }
}

void FallbackRoutes::load(NodeId leaf) {
    const Topology& topology = input_.topology;
    leaf_ = leaf;
    ports_ = lab::ports_towards(topology, leaf);
    for (const lab::RouteOverride& route : input_.fabric.routes) {
        if (topology.find(route.to) != leaf) continue;
        const NodeId at = topology.find(route.at);
        ports_[at].clear();
        for (PortId port = 0; port < topology.links_of(at).size(); ++port) {
            const std::string& peer = topology.name(topology.far_end(at, port).node);
            if (std::find(route.via.begin(), route.via.end(), peer) != route.via.end()) {
                ports_[at].push_back(port);
            }
        }
    }
}

}  // namespace weir::plan

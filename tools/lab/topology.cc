// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lab/topology.h"

#include <algorithm>

#include "dataplane/core/check.h"

namespace weir::lab {

namespace {

std::string numbered(const char* name, unsigned number) {
    return name + std::to_string(number);
}

void add_hosts(Topology& topology, NodeId leaf, unsigned hosts, const CableOptions& options) {
    for (unsigned i = 0; i < hosts; ++i) {
        topology.add_host(numbered("h", topology.hosts()), leaf, options);
    }
}

}  // namespace

NodeId Topology::add(std::string name) {
    names_.push_back(std::move(name));
    links_of_.emplace_back();
    return static_cast<NodeId>(names_.size() - 1);
}

NodeId Topology::add_switch(std::string name) {
    WEIR_CHECK(nodes() == switches_);
    ++switches_;
    return add(std::move(name));
}

NodeId Topology::add_host(std::string name, NodeId leaf, const CableOptions& options) {
    const NodeId host = add(std::move(name));
    add_link(host, leaf, options);
    return host;
}

void Topology::add_link(NodeId a, NodeId b, const CableOptions& options) {
    const auto port = [this](NodeId node) { return static_cast<PortId>(links_of_[node].size()); };
    const auto index = static_cast<std::uint32_t>(links_.size());
    links_.push_back({{a, port(a)}, {b, port(b)}, options});
    links_of_[a].push_back(index);
    links_of_[b].push_back(index);
}

NodeId Topology::find(const std::string& name) const {
    const auto found = std::find(names_.begin(), names_.end(), name);
    return found == names_.end() ? kNoNode : static_cast<NodeId>(found - names_.begin());
}

Link::End Topology::far_end(NodeId node, PortId port) const {
    const Link& link = links_[links_of_[node][port]];
    return link.a.node == node ? link.b : link.a;
}

// Leaf l has its hosts on ports 0 .. hosts_per_leaf - 1, then its uplinks in order of the spines.
Topology make_leaf_spine(const LeafSpine& shape, const LinkKinds& links) {
    Topology topology;
    for (unsigned l = 0; l < shape.leaves; ++l) topology.add_switch(numbered("leaf", l));
    for (unsigned s = 0; s < shape.spines; ++s) topology.add_switch(numbered("spine", s));
    for (unsigned l = 0; l < shape.leaves; ++l) {
        add_hosts(topology, l, shape.hosts_per_leaf, links.host);
        for (unsigned s = 0; s < shape.spines; ++s) {
            for (unsigned i = 0; i < shape.links_per_pair; ++i) {
                topology.add_link(l, shape.leaves + s, links.fabric);
            }
        }
    }
    return topology;
}

Topology make_fat_tree(const FatTree& shape, const LinkKinds& links) {
    const unsigned half = shape.k / 2;
    Topology topology;
    for (unsigned i = 0; i < shape.k * half; ++i) topology.add_switch(numbered("edge", i));
    for (unsigned i = 0; i < shape.k * half; ++i) topology.add_switch(numbered("agg", i));
    for (unsigned i = 0; i < half * half; ++i) topology.add_switch(numbered("core", i));
    const auto agg = [&](unsigned pod, unsigned i) { return shape.k * half + pod * half + i; };
    for (unsigned pod = 0; pod < shape.k; ++pod) {
        for (unsigned e = 0; e < half; ++e) {
            const NodeId edge = pod * half + e;
            add_hosts(topology, edge, half, links.host);
            for (unsigned a = 0; a < half; ++a) topology.add_link(edge, agg(pod, a), links.fabric);
        }
    }
    for (unsigned pod = 0; pod < shape.k; ++pod) {
        for (unsigned c = 0; c < half * half; ++c) {
            topology.add_link(agg(pod, c / half), 2 * shape.k * half + c, links.fabric);
        }
    }
    return topology;
}

Topology make_ring(const Ring& shape, const LinkKinds& links) {
    Topology topology;
    for (unsigned s = 0; s < shape.switches; ++s) topology.add_switch(numbered("s", s));
    for (unsigned s = 0; s < shape.switches; ++s) {
        add_hosts(topology, s, shape.hosts_per_switch, links.host);
    }
    for (unsigned s = 0; s < shape.switches; ++s) {
        topology.add_link(s, (s + 1) % shape.switches, links.fabric);
    }
    return topology;
}

}  // namespace weir::lab

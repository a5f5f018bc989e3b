// SPDX-License-Identifier: BSD-3-Clause
// A fabric on paper: which switches and hosts there are, and which links join them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataplane/core/types.h"
#include "tools/lab/cable.h"

namespace weir::lab {

// A switch has port 0, 1, ... in the order in which its links were added. A host has one link.
struct Link {
    struct End {
        NodeId node = 0;
        PortId port = 0;
    };
    End a;
    End b;
    CableOptions options;
};

class Topology {
  public:
    NodeId add_switch(std::string name);
    // After the last switch. Its link goes to `leaf`.
    NodeId add_host(std::string name, NodeId leaf, const CableOptions& options);
    void add_link(NodeId a, NodeId b, const CableOptions& options);

    [[nodiscard]] unsigned switches() const { return switches_; }
    [[nodiscard]] unsigned hosts() const { return nodes() - switches_; }
    [[nodiscard]] unsigned nodes() const { return static_cast<unsigned>(names_.size()); }
    [[nodiscard]] bool is_switch(NodeId node) const { return node < switches_; }
    [[nodiscard]] NodeId host(unsigned index) const { return switches_ + index; }
    [[nodiscard]] const std::string& name(NodeId node) const { return names_[node]; }
    // kNoNode when nobody has that name.
    [[nodiscard]] NodeId find(const std::string& name) const;
    [[nodiscard]] const std::vector<Link>& links() const { return links_; }
    // Indexes into links(), by port of the node.
    [[nodiscard]] const std::vector<std::uint32_t>& links_of(NodeId node) const {
        return links_of_[node];
    }
    [[nodiscard]] Link::End far_end(NodeId node, PortId port) const;
    // The switch that a host hangs on, and the port there.
    [[nodiscard]] Link::End leaf_of(NodeId host) const { return far_end(host, 0); }

    static constexpr NodeId kNoNode = 0xffff'ffff;

  private:
    NodeId add(std::string name);

    unsigned switches_ = 0;
    std::vector<std::string> names_;
    std::vector<Link> links_;
    std::vector<std::vector<std::uint32_t>> links_of_;
};

struct LeafSpine {
    unsigned leaves = 2;
    unsigned spines = 2;
    unsigned hosts_per_leaf = 4;
    unsigned links_per_pair = 1;  // between a leaf and a spine
};

// Al-Fares, Loukissas, Vahdat, SIGCOMM 2008: k pods of k/2 edge and k/2 aggregation switches, k^2/4
// cores, k^3/4 hosts.
struct FatTree {
    unsigned k = 4;
};

struct Ring {
    unsigned switches = 4;
    unsigned hosts_per_switch = 1;
};

struct LinkKinds {
    CableOptions host{};    // host to switch
    CableOptions fabric{};  // switch to switch
};

[[nodiscard]] Topology make_leaf_spine(const LeafSpine& shape, const LinkKinds& links);
[[nodiscard]] Topology make_fat_tree(const FatTree& shape, const LinkKinds& links);
[[nodiscard]] Topology make_ring(const Ring& shape, const LinkKinds& links);

}  // namespace weir::lab

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tools/plan/input.h"
#include "tools/plan/tiers.h"

namespace weir::plan {

// The ports that the routes of the switches give: all shortest ways, or what the fabric's `routes`
// say instead.
class FallbackRoutes {
  public:
    FallbackRoutes(const Input& input, const Tiers& tiers);

    // Of a switch that is not the leaf; valid until the next call. Cheap when calls for one leaf
    // come one after the other.
    [[nodiscard]] const std::vector<PortId>& ports(NodeId at, NodeId leaf);

  private:
    void load(NodeId leaf);
    void find_in_tiers(NodeId at, NodeId leaf);
    void add_ports(NodeId at, NodeId next);

    const Input& input_;
    const Tiers& tiers_;
    bool regular_;  // full tiers: the ways are known without a search
    NodeId leaf_ = kNone;
    std::vector<std::vector<PortId>> ports_;  // by switch, towards leaf_
    std::vector<PortId> found_;
};

}  // namespace weir::plan

// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lab/reconvergence.h"

#include "tools/lab/shortest_paths.h"

namespace weir::lab {

namespace {

// Which switches still have a way to one leaf, over links that are up.
class Reach {
  public:
    Reach(const Fabric& fabric, NodeId leaf)
        : fabric_(fabric),
          leaf_(leaf),
          ways_(ports_towards(fabric.topology(), leaf)),
          known_(fabric.topology().switches(), State::Unknown) {}

    [[nodiscard]] const std::vector<PortId>& ports(NodeId node) const { return ways_[node]; }

    // The ways are shortest ones: no cycle. NOLINTNEXTLINE(misc-no-recursion)
    [[nodiscard]] bool by(NodeId node, PortId port) {
        const std::uint32_t link = fabric_.topology().links_of(node)[port];
        if (!fabric_.cable(link, true).up()) return false;
        return from(fabric_.topology().far_end(node, port).node);
    }

  private:
    enum class State : std::uint8_t { Unknown, Reached, Lost };

    // NOLINTNEXTLINE(misc-no-recursion)
    [[nodiscard]] bool from(NodeId node) {
        if (node == leaf_) return true;
        if (known_[node] == State::Unknown) {
            bool any = false;
            for (const PortId port : ways_[node]) any = any || by(node, port);
            known_[node] = any ? State::Reached : State::Lost;
        }
        return known_[node] == State::Reached;
    }

    const Fabric& fabric_;
    NodeId leaf_;
    std::vector<std::vector<PortId>> ways_;
    std::vector<State> known_;
};

}  // namespace

void reconverge(Fabric& fabric) {
    constexpr std::uint8_t kLeafPrefixLength = 96 + 16;
    const unsigned switches = fabric.topology().switches();
    for (NodeId leaf = 0; leaf < switches; ++leaf) {
        const std::uint32_t prefix = fabric.addressing().leaf_prefix(leaf);
        if (prefix == 0) continue;
        Reach reach(fabric, leaf);
        for (NodeId node = 0; node < switches; ++node) {
            if (node == leaf) continue;
            SwitchNode& at = fabric.switch_at(node);
            const std::uint32_t group =
                at.tables().tables.destinations.find({IpAddress::v4(prefix), kLeafPrefixLength});
            WEIR_CHECK(group != kNoDestinationGroup);
            for (const PortId port : reach.ports(node)) {
                at.condition().lost.set(group, port, !reach.by(node, port));
            }
            at.condition().tell_lost_change();
        }
    }
}

}  // namespace weir::lab

// SPDX-License-Identifier: BSD-3-Clause
// How the switches of a fabric stand above one another.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "tools/plan/flow.h"

namespace weir::plan {

// A set of switches that are joined by way of others above them: the leaves and all spines; the
// switches of one pod; one plane of a fat tree (an aggregation switch of each pod, and cores).
struct Stage {
    std::vector<NodeId> lower{};
    std::vector<NodeId> upper{};
    bool uniform = true;  // every lower switch has equal links to each upper one
};

class Tiers {
  public:
    enum class Kind : std::uint8_t { Two, Three, Other };

    explicit Tiers(const Topology& topology);

    [[nodiscard]] const Topology& topology() const { return topology_; }
    [[nodiscard]] Kind kind() const { return kind_; }
    // 0: a switch with hosts; then by distance from these; kNone: further than two.
    [[nodiscard]] unsigned tier_of(NodeId node) const { return tier_[node]; }
    // The parallel links of two neighbors, from the one to the other.
    [[nodiscard]] const std::vector<Hop>& bundle(NodeId from, NodeId to) const;

    // Two tiers: leaves and spines. Three tiers: edge switches; `upper` are then the numbers of
    // planes, as many as each pod has aggregation switches.
    [[nodiscard]] const Stage& leaves() const { return leaves_; }
    [[nodiscard]] const std::vector<Stage>& planes() const { return planes_; }  // lower: by pod
    [[nodiscard]] unsigned pods() const { return pods_; }
    [[nodiscard]] std::uint32_t pod_of(NodeId edge) const { return pod_[edge]; }
    [[nodiscard]] NodeId aggregation(std::uint32_t pod, std::uint32_t plane) const {
        return planes_[plane].lower[pod];
    }
    // Index of a switch with hosts in leaves().lower, of a core in its plane's upper.
    [[nodiscard]] std::uint32_t index_of(NodeId node) const { return index_[node]; }

  private:
    void find_bundles();
    [[nodiscard]] bool find_two();
    [[nodiscard]] bool find_three();
    [[nodiscard]] bool find_planes(const std::vector<NodeId>& cores);
    [[nodiscard]] bool equal_links(NodeId node, const std::vector<NodeId>& uppers) const;

    const Topology& topology_;
    Kind kind_ = Kind::Other;
    std::unordered_map<std::uint64_t, std::vector<Hop>> bundles_;
    std::vector<std::vector<NodeId>> peers_;  // of each switch: its neighbor switches, once
    std::vector<unsigned> tier_;              // 0: with hosts; then by distance
    std::vector<std::uint32_t> pod_;
    std::vector<std::uint32_t> index_;
    unsigned pods_ = 0;
    Stage leaves_;
    std::vector<Stage> planes_;
};

}  // namespace weir::plan

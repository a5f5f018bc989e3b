// SPDX-License-Identifier: BSD-3-Clause
#include "tools/plan/bounded_class.h"

#include <algorithm>

namespace weir::plan {

namespace {

constexpr std::uint32_t kNone = 0xffff'ffff;

// Arcs come in pairs: 2 i goes forward, 2 i + 1 back.
class FlowNetwork {
  public:
    explicit FlowNetwork(unsigned nodes) : first_(nodes, kNone) {}

    std::uint32_t add(std::uint32_t from, std::uint32_t to, std::uint32_t room) {
        const auto arc = static_cast<std::uint32_t>(to_.size());
        put(from, to, room);
        put(to, from, 0);
        return arc;
    }
    [[nodiscard]] bool full(std::uint32_t arc) const { return room_[arc] == 0; }

    [[nodiscard]] std::uint64_t maximum(std::uint32_t from, std::uint32_t to) {
        std::uint64_t total = 0;
        while (levels(from, to)) {
            at_ = first_;
            for (std::uint32_t pushed = push(from, to); pushed != 0; pushed = push(from, to)) {
                total += pushed;
            }
        }
        return total;
    }

  private:
    void put(std::uint32_t from, std::uint32_t to, std::uint32_t room) {
        to_.push_back(to);
        room_.push_back(room);
        next_.push_back(first_[from]);
        first_[from] = static_cast<std::uint32_t>(to_.size() - 1);
    }

    bool levels(std::uint32_t from, std::uint32_t to) {
        level_.assign(first_.size(), kNone);
        level_[from] = 0;
        queue_.assign(1, from);
        for (std::size_t i = 0; i < queue_.size(); ++i) {
            const std::uint32_t node = queue_[i];
            for (std::uint32_t arc = first_[node]; arc != kNone; arc = next_[arc]) {
                if (room_[arc] == 0 || level_[to_[arc]] != kNone) continue;
                level_[to_[arc]] = level_[node] + 1;
                queue_.push_back(to_[arc]);
            }
        }
        return level_[to] != kNone;
    }

    // One way through the levels; each node goes on from the arc where it was left.
    std::uint32_t push(std::uint32_t from, std::uint32_t to) {
        way_.clear();
        for (std::uint32_t node = from; node != to;) {
            std::uint32_t& arc = at_[node];
            while (arc != kNone && (room_[arc] == 0 || level_[to_[arc]] != level_[node] + 1)) {
                arc = next_[arc];
            }
            if (arc != kNone) {
                way_.push_back(arc);
                node = to_[arc];
                continue;
            }
            if (node == from) return 0;
            level_[node] = kNone;
            node = to_[way_.back() ^ 1];
            way_.pop_back();
        }
        std::uint32_t least = kNone;
        for (const std::uint32_t arc : way_) least = std::min(least, room_[arc]);
        for (const std::uint32_t arc : way_) {
            room_[arc] -= least;
            room_[arc ^ 1] += least;
        }
        return least;
    }

    std::vector<std::uint32_t> first_;  // by node
    std::vector<std::uint32_t> at_;
    std::vector<std::uint32_t> level_;
    std::vector<std::uint32_t> to_;  // by arc
    std::vector<std::uint32_t> room_;
    std::vector<std::uint32_t> next_;
    std::vector<std::uint32_t> queue_;
    std::vector<std::uint32_t> way_;
};

// A lower bound is flow that must come: it enters behind the arc and leaves in front of it.
class BoundedNetwork {
  public:
    explicit BoundedNetwork(unsigned nodes)
        : network_(nodes + 2), excess_(nodes, 0), enter_(nodes), leave_(nodes + 1) {}

    std::uint32_t add(std::uint32_t from, std::uint32_t to, Bounds bounds) {
        excess_[to] += bounds.low;
        excess_[from] -= bounds.low;
        return network_.add(from, to, bounds.high - bounds.low);
    }
    [[nodiscard]] bool feasible() {
        std::uint64_t wanted = 0;
        for (std::uint32_t node = 0; node < excess_.size(); ++node) {
            if (excess_[node] > 0) {
                network_.add(enter_, node, static_cast<std::uint32_t>(excess_[node]));
                wanted += static_cast<std::uint64_t>(excess_[node]);
            } else if (excess_[node] < 0) {
                network_.add(node, leave_, static_cast<std::uint32_t>(-excess_[node]));
            }
        }
        return network_.maximum(enter_, leave_) == wanted;
    }
    [[nodiscard]] bool full(std::uint32_t arc) const { return network_.full(arc); }

  private:
    FlowNetwork network_;
    std::vector<std::int64_t> excess_;
    std::uint32_t enter_;
    std::uint32_t leave_;
};

}  // namespace

std::vector<bool> bounded_class(const Bipartite& graph, std::span<const std::uint32_t> among,
                                const ClassBounds& bounds) {
    const std::uint32_t rights = graph.lefts;
    const std::uint32_t left_parents = rights + graph.rights;
    const std::uint32_t right_parents = left_parents + graph.parents;
    const std::uint32_t source = right_parents + graph.parents;
    BoundedNetwork network(source + 2);
    for (std::uint32_t v = 0; v < graph.lefts; ++v) {
        const bool nested = !graph.left_parent.empty();
        network.add(nested ? left_parents + graph.left_parent[v] : source, v, bounds.left[v]);
    }
    for (std::uint32_t v = 0; v < graph.rights; ++v) {
        const bool nested = !graph.right_parent.empty();
        network.add(rights + v, nested ? right_parents + graph.right_parent[v] : source + 1,
                    bounds.right[v]);
    }
    for (std::uint32_t p = 0; p < bounds.left_parents.size(); ++p) {
        network.add(source, left_parents + p, bounds.left_parents[p]);
    }
    for (std::uint32_t p = 0; p < bounds.right_parents.size(); ++p) {
        network.add(right_parents + p, source + 1, bounds.right_parents[p]);
    }
    std::vector<std::uint32_t> arcs;
    for (const std::uint32_t e : among) {
        arcs.push_back(network.add(graph.edges[e].left, rights + graph.edges[e].right, {0, 1}));
    }
    network.add(source + 1, source, {0, static_cast<std::uint32_t>(among.size())});
    if (!network.feasible()) return {};
    std::vector<bool> in(among.size());
    for (std::size_t i = 0; i < among.size(); ++i) in[i] = network.full(arcs[i]);
    return in;
}

}  // namespace weir::plan

// SPDX-License-Identifier: BSD-3-Clause
#include "tools/plan/equitable.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "dataplane/core/check.h"
#include "tools/plan/bounded_class.h"

namespace weir::plan {

namespace {

constexpr std::uint32_t kNone = 0xffff'ffff;

using Edges = std::span<std::uint32_t>;  // indexes into graph.edges

// A part of the edges, and the colours first .. first + count - 1 that it gets.
struct Part {
    std::size_t begin = 0;
    std::size_t end = 0;
    unsigned first = 0;
    unsigned count = 0;
};

class Colouring {
  public:
    Colouring(const Bipartite& graph, unsigned colours)
        : graph_(graph), colours_(graph.edges.size()), order_(graph.edges.size()) {
        std::iota(order_.begin(), order_.end(), 0);
        parts_.push_back({0, order_.size(), 0, colours});
    }

    [[nodiscard]] std::vector<std::uint32_t> all() {
        while (!parts_.empty()) {
            const Part part = parts_.back();
            parts_.pop_back();
            if (part.begin == part.end) continue;
            if (part.count == 1) {
                for (const std::uint32_t e : edges(part)) colours_[e] = part.first;
            } else if (part.count % 2 == 0) {
                halve(part);
            } else {
                take_one(part);
            }
        }
        return std::move(colours_);
    }

  private:
    [[nodiscard]] Edges edges(const Part& part) {
        return Edges(order_).subspan(part.begin, part.end - part.begin);
    }

    // The edges of the part for which `in` is true get the first `count` colours.
    void divide(const Part& part, const std::vector<bool>& in, unsigned count) {
        const Edges all = edges(part);
        std::vector<std::uint32_t> others;
        std::size_t kept = 0;
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (in[i]) {
                all[kept++] = all[i];
            } else {
                others.push_back(all[i]);
            }
        }
        std::copy(others.begin(), others.end(), all.begin() + static_cast<std::ptrdiff_t>(kept));
        parts_.push_back({part.begin, part.begin + kept, part.first, count});
        parts_.push_back({part.begin + kept, part.end, part.first + count, part.count - count});
    }

    // Pairs edges of the same vertex; what is left over of a vertex with an odd number pairs within
    // its parent, and then with anybody, so that every set differs by one edge at most.
    void pair(Edges all, bool left, std::vector<std::uint32_t>& partner) {
        partner.assign(all.size(), kNone);
        std::vector<std::uint32_t> open(left ? graph_.lefts : graph_.rights, kNone);
        const auto& parents = left ? graph_.left_parent : graph_.right_parent;
        std::vector<std::uint32_t> open_parents(parents.empty() ? 0 : graph_.parents, kNone);
        std::uint32_t open_root = kNone;
        const auto vertex = [&](std::uint32_t i) {
            return left ? graph_.edges[all[i]].left : graph_.edges[all[i]].right;
        };
        const auto meet = [&](std::uint32_t& waiting, std::uint32_t i) {
            if (waiting == kNone) {
                waiting = i;
            } else {
                partner[i] = waiting;
                partner[waiting] = i;
                waiting = kNone;
            }
        };
        for (std::uint32_t i = 0; i < all.size(); ++i) meet(open[vertex(i)], i);
        for (std::uint32_t i = 0; i < all.size() && !parents.empty(); ++i) {
            if (partner[i] == kNone && open[vertex(i)] == i)
                meet(open_parents[parents[vertex(i)]], i);
        }
        for (std::uint32_t i = 0; i < all.size(); ++i) {
            if (partner[i] == kNone) meet(open_root, i);
        }
    }

    // Every edge has at most one partner of each kind, so the partners form ways and circles that
    // alternate between the kinds. Along them the edges go left and right in turn.
    void halve(const Part& part) {
        const Edges all = edges(part);
        pair(all, true, left_partner_);
        pair(all, false, right_partner_);
        std::vector<bool> in(all.size());
        std::vector<bool> seen(all.size());
        const auto walk = [&](std::uint32_t from, bool by_left) {
            bool chosen = true;
            for (std::uint32_t i = from; i != kNone && !seen[i];) {
                seen[i] = true;
                in[i] = chosen;
                chosen = !chosen;
                i = by_left ? left_partner_[i] : right_partner_[i];
                by_left = !by_left;
            }
        };
        for (std::uint32_t i = 0; i < all.size(); ++i) {
            if (left_partner_[i] == kNone && !seen[i]) walk(i, false);
            if (right_partner_[i] == kNone && !seen[i]) walk(i, true);
        }
        for (std::uint32_t i = 0; i < all.size(); ++i) {
            if (!seen[i]) walk(i, true);
        }
        divide(part, in, part.count / 2);
    }

    void take_one(const Part& part) {
        const Edges all = edges(part);
        ClassBounds bounds{
            .left = std::vector<Bounds>(graph_.lefts),
            .right = std::vector<Bounds>(graph_.rights),
            .left_parents = std::vector<Bounds>(graph_.left_parent.empty() ? 0 : graph_.parents),
            .right_parents = std::vector<Bounds>(graph_.right_parent.empty() ? 0 : graph_.parents)};
        for (const std::uint32_t e : all) {
            const Bipartite::Edge edge = graph_.edges[e];
            ++bounds.left[edge.left].high;
            ++bounds.right[edge.right].high;
            if (!graph_.left_parent.empty())
                ++bounds.left_parents[graph_.left_parent[edge.left]].high;
            if (!graph_.right_parent.empty()) {
                ++bounds.right_parents[graph_.right_parent[edge.right]].high;
            }
        }
        for (auto* side :
             {&bounds.left, &bounds.right, &bounds.left_parents, &bounds.right_parents}) {
            for (Bounds& b : *side) {
                b = {b.high / part.count, (b.high + part.count - 1) / part.count};
            }
        }
        const std::vector<bool> in = bounded_class(graph_, all, bounds);
        WEIR_CHECK(in.size() == all.size());  // de Werra: there is one
        divide(part, in, 1);
    }

    const Bipartite& graph_;
    std::vector<std::uint32_t> colours_;
    std::vector<std::uint32_t> order_;
    std::vector<Part> parts_;
    std::vector<std::uint32_t> left_partner_;
    std::vector<std::uint32_t> right_partner_;
};

}  // namespace

std::vector<std::uint32_t> equitable_colours(const Bipartite& graph, unsigned colours) {
    return Colouring(graph, colours).all();
}

}  // namespace weir::plan

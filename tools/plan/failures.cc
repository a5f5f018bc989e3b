// SPDX-License-Identifier: BSD-3-Clause
#include "tools/plan/failures.h"

#include <algorithm>
#include <unordered_map>

namespace weir::plan {

namespace {

bool touches(const Topology& topology, const Way& way, const Failure& failure) {
    return std::any_of(way.all().begin(), way.all().end(), [&](Hop hop) {
        return failure.link != kNone
                   ? hop / 2 == failure.link
                   : from_of(topology, hop) == failure.node || to_of(topology, hop) == failure.node;
    });
}

std::vector<std::uint32_t> links_of(const Topology& topology, const Failure& failure) {
    if (failure.link != kNone) return {failure.link};
    return topology.links_of(failure.node);
}

class Evaluation {
  public:
    Evaluation(const Tiers& tiers, std::span<const Flow> flows, std::span<const Ways> ways,
               const Loads& loads)
        : topology_(tiers.topology()),
          flows_(flows),
          ways_(ways),
          loads_(loads),
          bound_(tiers, flows),
          fullest_(summary_of(topology_, loads).fullest),
          by_link_(topology_.links().size()),
          by_node_(topology_.switches()) {
        for (std::uint32_t i = 0; i < flows.size(); ++i) {
            const auto hops = ways[i].primary.all();
            for (std::size_t k = 0; k < hops.size(); ++k) {
                by_link_[hops[k] / 2].push_back(i);
                if (k + 1 < hops.size()) by_node_[to_of(topology_, hops[k])].push_back(i);
            }
        }
    }

    [[nodiscard]] std::vector<Failure> all() {
        std::vector<Failure> failures;
        std::vector<bool> leaf(topology_.switches());
        for (unsigned i = 0; i < topology_.hosts(); ++i) {
            leaf[topology_.leaf_of(topology_.host(i)).node] = true;
        }
        for (std::uint32_t link = 0; link < topology_.links().size(); ++link) {
            const lab::Link& ends = topology_.links()[link];
            if (!topology_.is_switch(ends.a.node) || !topology_.is_switch(ends.b.node)) continue;
            failures.push_back({.link = link});
            evaluate(failures.back(), by_link_[link]);
        }
        for (NodeId node = 0; node < topology_.switches(); ++node) {
            if (leaf[node]) continue;
            failures.push_back({.node = node});
            evaluate(failures.back(), by_node_[node]);
        }
        return failures;
    }

  private:
    void evaluate(Failure& failure, const std::vector<std::uint32_t>& members) {
        failure.bound = bound_.with(links_of(topology_, failure));
        failure.reached = fullest_;
        // In order of (job, phase); phases of a job do not meet, so each is moved for itself.
        for (std::size_t begin = 0; begin < members.size();) {
            change_.clear();
            std::size_t i = begin;
            for (; i < members.size() && together(members[begin], members[i]); ++i) {
                move(failure, members[i]);
            }
            for (const auto& [hop, change] : change_) {
                const auto load =
                    static_cast<double>(static_cast<std::int64_t>(loads_[hop]) + change);
                const auto rate = static_cast<double>(rate_of(topology_, hop));
                failure.reached = std::max(failure.reached, load / rate);
            }
            begin = i;
        }
    }
    // Different jobs meet; of one job only flows of the same phase do.
    [[nodiscard]] bool together(std::uint32_t a, std::uint32_t b) const {
        return flows_[a].job != flows_[b].job || flows_[a].phase == flows_[b].phase;
    }

    void move(Failure& failure, std::uint32_t i) {
        const auto rate = static_cast<std::int64_t>(flows_[i].rate_bps);
        const Way way = way_in(topology_, ways_[i], failure);
        ++failure.moved;
        if (way.empty()) ++failure.stranded;
        for (const Hop hop : ways_[i].primary.all()) change_[hop] -= rate;
        for (const Hop hop : way.all()) change_[hop] += rate;
    }

    const Topology& topology_;
    std::span<const Flow> flows_;
    std::span<const Ways> ways_;
    const Loads& loads_;
    LowerBound bound_;
    double fullest_;
    std::vector<std::vector<std::uint32_t>> by_link_;
    std::vector<std::vector<std::uint32_t>> by_node_;
    std::unordered_map<Hop, std::int64_t> change_;
};

}  // namespace

Way way_in(const Topology& topology, const Ways& ways, const Failure& failure) {
    if (!touches(topology, ways.primary, failure)) return ways.primary;
    for (unsigned k = 0; failure.link != kNone && k < 2; ++k) {
        if (ways.side[k] == kNone) continue;
        Way way = ways.primary;
        Hop& hop = way.hop[way.hops - 1u - k];
        if (hop / 2 != failure.link) continue;
        hop = ways.side[k];
        return way;
    }
    for (const Way* way : {&ways.upper, &ways.lower}) {
        if (!way->empty() && !touches(topology, *way, failure)) return *way;
    }
    return {};
}

std::vector<Failure> failures_of(const Tiers& tiers, std::span<const Flow> flows,
                                 std::span<const Ways> ways, const Loads& loads) {
    return Evaluation(tiers, flows, ways, loads).all();
}

}  // namespace weir::plan

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
        for_each_phase(flows, [&](std::size_t begin, std::size_t) {
            phases_.resize(std::max<std::size_t>(phases_.size(), flows[begin].job + 1), 0);
            ++phases_[flows[begin].job];
        });
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
        total_.clear();
        for (std::size_t begin = 0; begin < members.size();)
            begin = add_job(failure, members, begin);
        for (const auto& [hop, change] : total_) {
            const auto load = static_cast<double>(static_cast<std::int64_t>(loads_[hop]) + change);
            failure.reached =
                std::max(failure.reached, load / static_cast<double>(rate_of(topology_, hop)));
        }
    }

    // Members are in order of (job, phase). Jobs add up; of the phases of one job the worst counts,
    // and where a job has several a link that loses flows in one is as full as before in another.
    // Returns where the next job begins.
    std::size_t add_job(Failure& failure, const std::vector<std::uint32_t>& members,
                        std::size_t begin) {
        const std::uint32_t job = flows_[members[begin]].job;
        std::unordered_map<Hop, std::int64_t> worst;
        std::size_t i = begin;
        while (i < members.size() && flows_[members[i]].job == job) {
            const std::uint32_t phase = flows_[members[i]].phase;
            change_.clear();
            for (; i < members.size() && flows_[members[i]].job == job &&
                   flows_[members[i]].phase == phase;
                 ++i) {
                move(failure, members[i]);
            }
            for (const auto& [hop, change] : change_) {
                if (phases_[job] == 1) {
                    worst[hop] = change;
                } else {
                    worst[hop] = std::max(worst[hop], change);
                }
            }
        }
        for (const auto& [hop, change] : worst) total_[hop] += change;
        return i;
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
    std::vector<unsigned> phases_;                  // of each job
    std::unordered_map<Hop, std::int64_t> change_;  // in one phase
    std::unordered_map<Hop, std::int64_t> total_;
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

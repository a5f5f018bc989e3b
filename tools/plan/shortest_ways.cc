// SPDX-License-Identifier: BSD-3-Clause
#include "tools/plan/shortest_ways.h"

#include <map>

#include "tools/lab/shortest_paths.h"

namespace weir::plan {

namespace {

constexpr unsigned kRoundsMax = 64;

class Router {
  public:
    Router(const Topology& topology, const Dealer& dealer) : topology_(topology), dealer_(dealer) {}

    [[nodiscard]] double fullest(const Way& way, std::uint64_t rate) const {
        double most = 0;
        for (const Hop hop : way.all()) most = std::max(most, dealer_.fullness(hop, rate));
        return most;
    }

    // Nodes in order of distance from the leaf: the shortest ways have no circles.
    [[nodiscard]] Way best(const Flow& flow) {
        const NodeId from = leaf_of(topology_, flow.source);
        const NodeId to = leaf_of(topology_, flow.destination);
        const auto& ports = ports_to(to);
        std::map<NodeId, Reached> reached{{from, {0, kNone}}};
        std::vector<NodeId> row{from};
        while (!row.empty() && row.front() != to) {
            std::vector<NodeId> next;
            for (const NodeId node : row) {
                for (const PortId port : ports[node]) {
                    const Hop hop = hop_of(topology_, node, port);
                    const double full =
                        std::max(reached[node].fullest, dealer_.fullness(hop, flow.rate_bps));
                    const auto [at, is_new] = reached.try_emplace(to_of(topology_, hop));
                    if (is_new) next.push_back(at->first);
                    if (full < at->second.fullest) at->second = {full, hop};
                }
            }
            row = std::move(next);
        }
        return row.empty() ? Way{} : back_from(to, reached);
    }

  private:
    struct Reached {
        double fullest = kUnreachable;
        Hop by = kNone;
    };

    [[nodiscard]] Way back_from(NodeId node, const std::map<NodeId, Reached>& reached) const {
        std::vector<Hop> hops;
        for (Hop by = reached.at(node).by; by != kNone; by = reached.at(node).by) {
            hops.push_back(by);
            node = from_of(topology_, by);
        }
        Way way;
        if (hops.size() > kHopsMax) return way;
        for (std::size_t i = hops.size(); i > 0; --i) way.add(hops[i - 1]);
        return way;
    }

    [[nodiscard]] const std::vector<std::vector<PortId>>& ports_to(NodeId leaf) {
        const auto [at, is_new] = ports_.try_emplace(leaf);
        if (is_new) at->second = lab::ports_towards(topology_, leaf);
        return at->second;
    }

    const Topology& topology_;
    const Dealer& dealer_;
    std::map<NodeId, std::vector<std::vector<PortId>>> ports_;
};

}  // namespace

void assign_shortest_ways(const Tiers& tiers, std::span<const Flow> flows,
                          std::span<const std::uint32_t> which, Dealer& dealer,
                          std::vector<Way>& ways) {
    Router router(tiers.topology(), dealer);
    const auto put = [&](std::uint32_t i) {
        for (const Hop hop : ways[i].all()) dealer.put(hop, flows[i].rate_bps);
    };
    for (const std::uint32_t i : which) {
        ways[i] = router.best(flows[i]);
        put(i);
    }
    bool better = true;
    for (unsigned round = 0; better && round < kRoundsMax; ++round) {
        better = false;
        for (const std::uint32_t i : which) {
            const double before = router.fullest(ways[i], 0);
            for (const Hop hop : ways[i].all()) dealer.take(hop, flows[i].rate_bps);
            const Way way = router.best(flows[i]);
            if (router.fullest(way, flows[i].rate_bps) < before - 1e-9) {
                ways[i] = way;
                better = true;
            }
            put(i);
        }
    }
}

Way shortest_way(const Tiers& tiers, const Flow& flow, const Dealer& dealer) {
    return Router(tiers.topology(), dealer).best(flow);
}

}  // namespace weir::plan

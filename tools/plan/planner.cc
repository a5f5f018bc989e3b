// SPDX-License-Identifier: BSD-3-Clause
#include "tools/plan/planner.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "tools/plan/assign.h"
#include "tools/plan/backups.h"
#include "tools/plan/emit.h"
#include "tools/plan/fallback_routes.h"

namespace weir::plan {

namespace {

// The ways that an old plan's tables give to flows when nothing has failed; empty for flows that it
// does not have.
class OldWays {
  public:
    OldWays(const Input& input, const Tiers& tiers, const PathTables& tables)
        : topology_(input.topology), tiers_(tiers), tables_(tables), routes_(input, tiers) {}

    [[nodiscard]] Way of(const Flow& flow) {
        const NodeId last = leaf_of(topology_, flow.destination);
        const FlowKey key{flow.source, host_behind(flow.destination), flow.source_port};
        Way way;
        Hop by = hop_of(topology_, flow.source, 0);
        for (NodeId at = leaf_of(topology_, flow.source); at != last;) {
            const auto* rule = tables_.find(at, port_of(topology_, by ^ 1), key);
            const auto& routes = routes_.ports(at, last);
            if (way.hops == kHopsMax || (way.empty() && rule == nullptr)) return {};
            if (rule == nullptr && routes.size() != 1) return {};
            by = hop_of(topology_, at, rule != nullptr ? rule->via.front() : routes.front());
            at = to_of(topology_, by);
            if (!topology_.is_switch(at)) return {};
            way.add(by);
        }
        return fits(way) ? way : Way{};
    }

  private:
    // Up and then down again, as new flows go.
    [[nodiscard]] bool fits(const Way& way) const {
        if (tiers_.kind() == Tiers::Kind::Other) return true;
        if (way.hops % 2 != 0) return false;
        for (unsigned k = 0; k < way.hops; ++k) {
            const bool up = tiers_.tier_of(from_of(topology_, way.hop[k])) <
                            tiers_.tier_of(to_of(topology_, way.hop[k]));
            if (up != (2 * k < way.hops)) return false;
        }
        return true;
    }
    [[nodiscard]] NodeId host_behind(NodeId node) const {
        if (!topology_.is_switch(node)) return node;
        for (PortId port = 0;; ++port) {
            const NodeId peer = topology_.far_end(node, port).node;
            if (!topology_.is_switch(peer)) return peer;
        }
    }

    const Topology& topology_;
    const Tiers& tiers_;
    const PathTables& tables_;
    FallbackRoutes routes_;
};

// Two jobs may have the same pair of hosts: it has one rule and so one way.
void share_ways(const std::vector<Flow>& flows, std::vector<Way>& ways) {
    std::map<std::tuple<NodeId, NodeId, std::uint16_t>, std::size_t> first;
    for (std::size_t i = 0; i < flows.size(); ++i) {
        const auto [known, is_new] =
            first.try_emplace({flows[i].source, flows[i].destination, flows[i].source_port}, i);
        if (!is_new) ways[i] = ways[known->second];
    }
}

}  // namespace

Plan make_plan(const Input& input, const Tiers& tiers, const PathTables* old) {
    Plan plan;
    plan.flows = flows_of(input.topology, input.jobs, input.rules);
    std::vector<Way> kept;
    if (old != nullptr) {
        OldWays old_ways(input, tiers, *old);
        for (const Flow& flow : plan.flows) kept.push_back(old_ways.of(flow));
    }
    std::vector<Way> primary = assign_ways(tiers, plan.flows, kept);
    if (input.jobs.size() > 1) share_ways(plan.flows, primary);
    for (std::size_t i = 0; i < primary.size(); ++i) {
        if (primary[i].empty()) ++plan.without_way;
        if (kept.empty() || kept[i].empty()) continue;
        ++plan.running;
        if (!(primary[i] == kept[i])) ++plan.moved;
    }
    plan.ways = plan_backups(tiers, plan.flows, std::move(primary));
    plan.loads = loads_of(input.topology, plan.flows, plan.ways);
    plan.summary = summary_of(input.topology, plan.loads);
    plan.bound = LowerBound(tiers, plan.flows).without_failure();
    plan.failures = failures_of(tiers, plan.flows, plan.ways, plan.loads);
    plan.files = plan_files(input, tiers, plan.flows, plan.ways);
    return plan;
}

}  // namespace weir::plan

// SPDX-License-Identifier: BSD-3-Clause
#include "tools/plan/table_check.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

#include "tools/plan/dependency_graph.h"
#include "tools/plan/fallback_routes.h"

namespace weir::plan {

namespace {

constexpr Priority kLossy = 8;  // waits for nobody: it drops

// Where a frame is: behind a hop, after so many moves to another priority.
struct Place {
    Hop by = 0;
    NodeId at = 0;
    std::uint8_t moves = 0;
};

class Check {
  public:
    Check(const Input& input, const Tiers& tiers, const PathTables& tables, Problems& problems)
        : input_(input),
          topology_(input.topology),
          tiers_(tiers),
          tables_(tables),
          routes_(input, tiers),
          problems_(problems) {
        for (const lab::UplinkSettings& uplinks : input.fabric.uplinks) {
            const NodeId at = topology_.find(uplinks.at);
            for (const std::string& to : uplinks.to) uplinks_.insert({at, topology_.find(to)});
        }
    }

    [[nodiscard]] CheckResult all() {
        const std::vector<FlowKey> flows = flows_with_rules();
        for (const FlowKey& flow : flows) follow(flow);
        for (NodeId node = 0; node < topology_.switches(); ++node) {
            result_.rules += tables_.rules(node).size();
            for (const PathTables::Rule& rule : tables_.rules(node)) {
                if (rule.prefix || seen_.count(&rule) != 0 || looping_) continue;
                problem(rule, "rule for nobody: the flow does not come by " + topology_.name(node));
            }
        }
        // A circle needs a way that comes down and goes up again. Routes alone have none in tiers.
        if (hooks_ || tiers_.kind() == Tiers::Kind::Other || !input_.fabric.routes.empty()) {
            add_routes();
        }
        check_cycle();
        result_.flows = flows.size();
        result_.dependencies = graph_.size();
        return result_;
    }

  private:
    void problem(const PathTables::Rule& rule, const std::string& text) {
        problems_.add({rule.file, rule.mark, rule.text, text});
    }

    // By destination's leaf, so that its routes are at hand.
    [[nodiscard]] std::vector<FlowKey> flows_with_rules() {
        std::set<FlowKey> flows;
        for (NodeId node = 0; node < topology_.switches(); ++node) {
            for (const PathTables::Rule& rule : tables_.rules(node)) {
                if (!rule.prefix) {
                    flows.insert(rule.key);
                    switches_of_[rule.key].push_back(node);
                    continue;
                }
                const NodeId source = topology_.far_end(node, rule.ingress).node;
                if (topology_.is_switch(source)) {
                    far_ingress_ = far_ingress_ || tiers_.tier_of(source) != 0;
                    continue;
                }
                for (unsigned i = 0; i < topology_.hosts(); ++i) {
                    const NodeId host = topology_.host(i);
                    if (host == source) continue;
                    if (!contains(*rule.prefix, tables_.names().address(host))) continue;
                    flows.insert({source, host});
                    break;
                }
            }
        }
        std::vector<FlowKey> sorted(flows.begin(), flows.end());
        std::stable_sort(sorted.begin(), sorted.end(), [&](const FlowKey& a, const FlowKey& b) {
            return leaf_of(topology_, a.destination) < leaf_of(topology_, b.destination);
        });
        return sorted;
    }

    // ---- one flow ----

    struct Step {
        Place place;
        std::vector<Hop> nexts;
        std::size_t looked_at = 0;
        const PathTables::Rule* rule = nullptr;
    };

    void follow(const FlowKey& flow) {
        may_stop_ = may_stop_at_routes(flow);
        if (input_.lossless.empty()) return follow_with(flow, kLossy);
        if (input_.hook_moves.empty()) return follow_with(flow, input_.lossless.front());
        for (const Priority priority : input_.lossless) follow_with(flow, priority);
    }

    // Depth first over all choices; a switch that is met again on the way is a loop.
    void follow_with(const FlowKey& flow, Priority priority) {
        const lab::Link::End leaf = topology_.leaf_of(flow.source);
        const Hop first = hop_of(topology_, flow.source, 0);
        done_.clear();
        way_.assign(1, step_at({first, leaf.node, 0}, flow));
        while (!way_.empty()) {
            Step& step = way_.back();
            if (step.looked_at == step.nexts.size()) {
                way_.pop_back();
                continue;
            }
            const Hop hop = step.nexts[step.looked_at++];
            const NodeId to = to_of(topology_, hop);
            const Place next{hop, to, moves_after(step.place, hop, priority)};
            depend(step.place, next, priority);
            if (!topology_.is_switch(to)) {
                if (to != flow.destination) wrong_host(step, to);
                continue;
            }
            if (on_way(to)) {
                loop(flow, to);
                return;
            }
            if (plain_from(to, hop, flow) || !done_.insert(hop * 4 + next.moves).second) continue;
            way_.push_back(step_at(next, flow));
        }
    }

    // Whether all rules of a flow are where it starts and one hop further, in plain tiers.
    [[nodiscard]] bool may_stop_at_routes(const FlowKey& flow) const {
        if (tiers_.kind() == Tiers::Kind::Other || !input_.fabric.routes.empty() || far_ingress_) {
            return false;
        }
        const NodeId leaf = leaf_of(topology_, flow.source);
        const auto rules = switches_of_.find(flow);
        return rules == switches_of_.end() ||
               std::all_of(rules->second.begin(), rules->second.end(), [&](NodeId node) {
                   return node == leaf || !tiers_.bundle(leaf, node).empty();
               });
    }

    // From here on the routes of a fabric in tiers decide alone: up and down, without circles.
    [[nodiscard]] bool plain_from(NodeId to, Hop hop, const FlowKey& flow) const {
        return may_stop_ && tiers_.tier_of(from_of(topology_, hop)) < tiers_.tier_of(to) &&
               tables_.find(to, port_of(topology_, hop ^ 1), flow) == nullptr;
    }

    [[nodiscard]] Step step_at(const Place& place, const FlowKey& flow) {
        Step step{.place = place, .nexts = {}};
        const NodeId last = leaf_of(topology_, flow.destination);
        step.rule = tables_.find(place.at, port_of(topology_, place.by ^ 1), flow);
        if (step.rule != nullptr) {
            seen_.insert(step.rule);
            for (const PortId port : step.rule->via) {
                step.nexts.push_back(hop_of(topology_, place.at, port));
            }
        }
        if (place.at == last) {
            if (step.rule == nullptr)
                step.nexts.push_back(hop_of(topology_, flow.destination, 0) ^ 1);
            return step;
        }
        for (const PortId port : routes_.ports(place.at, last)) {
            const Hop hop = hop_of(topology_, place.at, port);
            if (std::find(step.nexts.begin(), step.nexts.end(), hop) == step.nexts.end()) {
                step.nexts.push_back(hop);
            }
        }
        return step;
    }

    [[nodiscard]] bool on_way(NodeId node) const {
        return std::any_of(way_.begin(), way_.end(),
                           [&](const Step& step) { return step.place.at == node; });
    }

    void wrong_host(const Step& step, NodeId host) {
        if (step.rule == nullptr || !reported_.insert(step.rule).second) return;
        problem(*step.rule, "leads to " + topology_.name(host) + ", which is another host");
    }

    void loop(const FlowKey& flow, NodeId again) {
        looping_ = true;
        std::string text;
        const PathTables::Rule* rule = nullptr;
        for (const Step& step : way_) {
            if (text.empty() && step.place.at != again) continue;
            text += topology_.name(step.place.at) + " > ";
            if (rule == nullptr) rule = step.rule;
        }
        for (const Step& step : way_) {
            if (rule == nullptr) rule = step.rule;
        }
        const std::string who =
            topology_.name(flow.source) + " to " + topology_.name(flow.destination);
        if (rule != nullptr && reported_.insert(rule).second) {
            problem(*rule, "loop: " + who + " goes " + text + topology_.name(again));
        }
    }

    // ---- buffers ----

    [[nodiscard]] bool is_uplink(NodeId at, NodeId to) const {
        return uplinks_.count({at, to}) != 0;
    }

    [[nodiscard]] std::uint8_t moves_after(const Place& place, Hop next, Priority priority) const {
        const bool hook = is_uplink(place.at, from_of(topology_, place.by)) &&
                          is_uplink(place.at, to_of(topology_, next));
        const bool moved = hook && input_.hook_moves.count(priority) != 0 && place.moves < 2;
        return static_cast<std::uint8_t>(place.moves + (moved ? 1 : 0));
    }

    // The priority after so many moves.
    [[nodiscard]] Priority priority_after(Priority priority, std::uint8_t moves) const {
        if (moves == 0) return priority;
        const HookMovesSettings& to = input_.hook_moves.at(priority);
        const Priority now = moves == 1 ? to.first.priority : to.second.priority;
        const bool lossless =
            std::find(input_.lossless.begin(), input_.lossless.end(), now) != input_.lossless.end();
        return lossless ? now : kLossy;
    }

    void depend(const Place& place, const Place& next, Priority priority) {
        const NodeId before = from_of(topology_, place.by);
        if (!topology_.is_switch(before) || !topology_.is_switch(next.at)) return;
        if (tiers_.tier_of(before) > tiers_.tier_of(place.at) &&
            tiers_.tier_of(next.at) > tiers_.tier_of(place.at)) {
            hooks_ = true;
        }
        const Priority from = priority_after(priority, place.moves);
        const Priority to = priority_after(priority, next.moves);
        if (from != kLossy && to != kLossy) graph_.add({place.by, from}, {next.by, to});
    }

    // What flows without rules add: every leaf's routes, from every switch that has hosts.
    void add_routes() {
        for (const NodeId leaf : tiers_.leaves().lower) {
            for (const Priority priority : input_.lossless) {
                add_routes_to(leaf, priority);
                if (input_.hook_moves.empty()) break;  // all alike
            }
        }
    }

    void add_routes_to(NodeId leaf, Priority priority) {
        done_.clear();
        std::vector<Place> open;
        for (unsigned i = 0; i < topology_.hosts(); ++i) {
            const NodeId host = topology_.host(i);
            open.push_back({hop_of(topology_, host, 0), leaf_of(topology_, host), 0});
        }
        while (!open.empty()) {
            const Place place = open.back();
            open.pop_back();
            if (place.at == leaf) continue;
            for (const PortId port : routes_.ports(place.at, leaf)) {
                const Hop hop = hop_of(topology_, place.at, port);
                const Place next{hop, to_of(topology_, hop), moves_after(place, hop, priority)};
                depend(place, next, priority);
                if (done_.insert(hop * 4 + next.moves).second) open.push_back(next);
            }
        }
    }

    void check_cycle() {
        const std::vector<BufferAt> cycle = graph_.find_cycle();
        if (cycle.empty()) return;
        std::string text = "deadlock: buffers wait in a circle: ";
        for (const BufferAt& buffer : cycle) {
            text += topology_.name(from_of(topology_, buffer.hop)) + " " +
                    tables_.names().port(from_of(topology_, buffer.hop),
                                         port_of(topology_, buffer.hop)) +
                    " > ";
        }
        text += topology_.name(from_of(topology_, cycle.front().hop)) + " (priority " +
                std::to_string(cycle.front().priority) + ")";
        problems_.add({"tables", {}, {}, text});
    }

    const Input& input_;
    const Topology& topology_;
    const Tiers& tiers_;
    const PathTables& tables_;
    FallbackRoutes routes_;
    Problems& problems_;
    CheckResult result_;
    DependencyGraph graph_;
    std::set<std::pair<NodeId, NodeId>> uplinks_;  // (switch, neighbor)
    std::unordered_set<const PathTables::Rule*> seen_;
    std::unordered_set<const PathTables::Rule*> reported_;
    std::unordered_set<std::uint32_t> done_;
    std::map<FlowKey, std::vector<NodeId>> switches_of_;  // that have an exact rule for it
    std::vector<Step> way_;
    bool may_stop_ = false;     // the flow that is followed has no rules further on
    bool far_ingress_ = false;  // there are rules for ports that lead to aggregation or cores
    bool hooks_ = false;        // somewhere a way comes down and goes up again
    bool looping_ = false;      // flows were not followed to their end
};

}  // namespace

CheckResult check_tables(const Input& input, const Tiers& tiers, const PathTables& tables,
                         Problems& problems) {
    return Check(input, tiers, tables, problems).all();
}

}  // namespace weir::plan

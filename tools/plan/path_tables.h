// SPDX-License-Identifier: BSD-3-Clause
// The path tables of a whole fabric, as its switches would use them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "tools/plan/names.h"
#include "tools/plan/plan_file.h"

namespace weir::plan {

// A flow as the switches see it.
struct FlowKey {
    NodeId source = 0;  // hosts
    NodeId destination = 0;
    unsigned source_port = 0;
    std::optional<unsigned> dest_qp{};
    auto operator<=>(const FlowKey&) const = default;
};

class PathTables {
  public:
    struct Rule {
        FlowKey key{};                     // of an exact rule
        PortId ingress = 0;                // of the other kind
        std::optional<IpPrefix> prefix{};  // and its destinations
        std::vector<PortId> via;
        std::string file;
        Mark mark;
        std::string text;  // as key_text()
    };

    explicit PathTables(const Input& input);

    // Takes the rules that mean something on this fabric; what is wrong with the others becomes
    // problems: unknown switch or port, rule for nobody, two rules for one flow.
    void add(const std::string& file, const PlanFile& plan, Problems& problems);

    // The rule for a flow that came in by a port; null: the route decides. An exact rule with
    // source port or queue pair comes before one without, and that before one by port of entry.
    [[nodiscard]] const Rule* find(NodeId at, PortId ingress, const FlowKey& flow) const;
    [[nodiscard]] const std::vector<Rule>& rules(NodeId at) const { return rules_[at]; }
    [[nodiscard]] const Topology& topology() const { return input_.topology; }
    [[nodiscard]] const Names& names() const { return names_; }

  private:
    void add_rule(NodeId node, const std::string& file, const PlanRule& from, Problems& problems);
    [[nodiscard]] std::string resolve_hosts(NodeId node, const PlanRule& from, Rule& rule) const;
    [[nodiscard]] std::string resolve_ports(NodeId node, const PlanRule& from, Rule& rule) const;
    [[nodiscard]] std::string enter(NodeId node, const Rule& rule);

    struct Switch {
        std::unordered_map<std::string, PortId> ports;
        std::map<FlowKey, std::size_t> exact;  // indexes into its rules
        std::map<std::pair<PortId, IpPrefix>, std::size_t> by_ingress;
        std::string file;  // that described it; empty: none yet
    };

    const Input& input_;
    Names names_;
    std::map<IpAddress, NodeId> hosts_;
    std::vector<Switch> switches_;
    std::vector<std::vector<Rule>> rules_;
};

}  // namespace weir::plan

// SPDX-License-Identifier: BSD-3-Clause
#include "tools/plan/path_tables.h"

#include <algorithm>

namespace weir::plan {

PathTables::PathTables(const Input& input)
    : input_(input),
      names_(input),
      switches_(input.topology.switches()),
      rules_(input.topology.switches()) {
    for (unsigned i = 0; i < topology().hosts(); ++i) {
        hosts_[names_.address(topology().host(i))] = topology().host(i);
    }
    for (NodeId node = 0; node < topology().switches(); ++node) {
        for (PortId port = 0; port < topology().links_of(node).size(); ++port) {
            switches_[node].ports[names_.port(node, port)] = port;
        }
    }
}

void PathTables::add(const std::string& file, const PlanFile& plan, Problems& problems) {
    const NodeId node = topology().find(plan.switch_name);
    if (node == Topology::kNoNode || !topology().is_switch(node)) {
        problems.add({file, {1, 1}, "plan.switch", "no switch '" + plan.switch_name + "'"});
        return;
    }
    if (!switches_[node].file.empty()) {
        problems.add({file,
                      {1, 1},
                      "plan.switch",
                      plan.switch_name + " has a plan already, " + switches_[node].file});
        return;
    }
    switches_[node].file = file;
    if (plan.rules.size() > kRulesMax) {
        problems.add({file,
                      {1, 1},
                      "paths",
                      std::to_string(plan.rules.size()) + " rules; a switch takes " +
                          std::to_string(kRulesMax)});
    }
    for (const PlanRule& rule : plan.rules) add_rule(node, file, rule, problems);
}

void PathTables::add_rule(NodeId node, const std::string& file, const PlanRule& from,
                          Problems& problems) {
    Rule rule{.via = {}, .file = file, .mark = from.mark, .text = key_text(from)};
    std::string wrong = resolve_ports(node, from, rule);
    if (wrong.empty()) wrong = resolve_hosts(node, from, rule);
    if (wrong.empty()) wrong = enter(node, rule);
    if (!wrong.empty()) problems.add({file, from.mark, rule.text, wrong});
}

std::string PathTables::resolve_ports(NodeId node, const PlanRule& from, Rule& rule) const {
    const auto unknown = [&](const std::string& name) {
        const auto last = static_cast<PortId>(topology().links_of(node).size() - 1);
        return "unknown port '" + name + "'; " + topology().name(node) + " has " +
               names_.port(node, 0) + " to " + names_.port(node, last);
    };
    const auto& ports = switches_[node].ports;
    for (const std::string& name : from.via) {
        const auto port = ports.find(name);
        if (port == ports.end()) return unknown(name);
        if (std::find(rule.via.begin(), rule.via.end(), port->second) != rule.via.end()) {
            return "port '" + name + "' is listed twice";
        }
        rule.via.push_back(port->second);
    }
    if (rule.via.empty()) return "no path; write via: [{port: " + names_.port(node, 0) + "}]";
    if (from.ingress.empty()) return {};
    const auto port = ports.find(from.ingress);
    if (port == ports.end()) return unknown(from.ingress);
    rule.ingress = port->second;
    return {};
}

std::string PathTables::resolve_hosts(NodeId, const PlanRule& from, Rule& rule) const {
    const auto nobody = [](const std::string& who) {
        return "rule for nobody: no host has " + who;
    };
    if (!from.source) {
        rule.prefix = from.destination;
        const auto first = hosts_.lower_bound(first_of(*from.destination));
        const bool any = first != hosts_.end() && contains(*from.destination, first->first);
        return any ? std::string() : nobody("an address in " + format(*from.destination));
    }
    const auto source = hosts_.find(*from.source);
    if (source == hosts_.end()) return nobody(format(*from.source));
    const auto destination = hosts_.find(from.destination->address);
    if (destination == hosts_.end()) return nobody(format(from.destination->address));
    if (source == destination) return "rule for nobody: a host does not send to itself";
    rule.key = {source->second, destination->second, from.source_port, from.dest_qp};
    return {};
}

std::string PathTables::enter(NodeId node, const Rule& rule) {
    Switch& at = switches_[node];
    const std::size_t index = rules_[node].size();
    const auto [other, is_new] =
        rule.prefix ? [&] {
            const auto put = at.by_ingress.try_emplace({rule.ingress, *rule.prefix}, index);
            return std::pair{put.first->second, put.second};
        }()
                    : [&] {
                          const auto put = at.exact.try_emplace(rule.key, index);
                          return std::pair{put.first->second, put.second};
                      }();
    if (!is_new) {
        return "two rules for one flow; the first is in line " +
               std::to_string(rules_[node][other].mark.line);
    }
    rules_[node].push_back(rule);
    return {};
}

const PathTables::Rule* PathTables::find(NodeId at, PortId ingress, const FlowKey& flow) const {
    const Switch& here = switches_[at];
    for (const FlowKey& key : {flow, FlowKey{flow.source, flow.destination}}) {
        const auto rule = here.exact.find(key);
        if (rule != here.exact.end()) return &rules_[at][rule->second];
    }
    if (here.by_ingress.empty()) return nullptr;
    const IpAddress address = names_.address(flow.destination);
    const Rule* best = nullptr;
    for (auto rule = here.by_ingress.lower_bound({ingress, {}});
         rule != here.by_ingress.end() && rule->first.first == ingress; ++rule) {
        const IpPrefix& prefix = rule->first.second;
        if (!contains(prefix, address)) continue;
        if (best == nullptr || prefix.length > best->prefix->length) {
            best = &rules_[at][rule->second];
        }
    }
    return best;
}

}  // namespace weir::plan

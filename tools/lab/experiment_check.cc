// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lab/experiment_check.h"

#include <algorithm>
#include <set>

#include "dataplane/core/limits.h"
#include "tools/lab/addressing.h"
#include "tools/roce/flow_sizes.h"

namespace weir::lab {

namespace {

class Check {
  public:
    Check(const Experiment& experiment, const Value::Source& source)
        : experiment_(experiment), source_(source) {}

    void all() {
        if (!check_shape()) return;
        topology_ = make_topology(experiment_.fabric);
        check_sizes();
        for (std::size_t i = 0; i < experiment_.fabric.routes.size(); ++i) check_route(i);
        for (std::size_t i = 0; i < experiment_.fabric.uplinks.size(); ++i) check_uplinks(i);
        for (std::size_t i = 0; i < experiment_.jobs.size(); ++i) check_job(i);
        for (std::size_t i = 0; i < experiment_.faults.size(); ++i) check_fault(i);
        if (experiment_.jobs.empty()) problem("jobs", "no job; the fabric would be idle");
        if (experiment_.duration <= Interval{}) problem("duration", "nothing happens in no time");
    }

  private:
    void problem(const std::string& path, const std::string& text) {
        source_.problems.add({source_.file, source_.document.locate(path), path, text});
    }
    static std::string item(const char* list, std::size_t index, const char* key = "") {
        return std::string(list) + "[" + std::to_string(index) + "]" + key;
    }

    // False: the fabric cannot even be drawn.
    bool check_shape() {
        const std::size_t before = source_.problems.count();
        if (const auto* tree = std::get_if<FatTree>(&experiment_.fabric.shape)) {
            if (tree->k % 2 != 0) problem("fabric.fat_tree.k", "a fat tree has an even k");
        }
        if (const auto* graph = std::get_if<GraphSettings>(&experiment_.fabric.shape)) {
            check_graph(*graph);
        }
        return source_.problems.count() == before;
    }

    void check_graph(const GraphSettings& graph) {
        std::set<std::string> names;
        const auto add = [&](const std::string& path, const std::string& name) {
            const bool letters = !name.empty() && name.find_first_not_of(
                                                      "abcdefghijklmnopqrstuvwxyz"
                                                      "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                                      "0123456789-_.") == std::string::npos;
            if (!letters) problem(path, "'" + name + "' is no name: letters, digits, - _ .");
            if (!names.insert(name).second) problem(path, "'" + name + "' is listed twice");
        };
        for (std::size_t i = 0; i < graph.switches.size(); ++i) {
            add(item("fabric.graph.switches", i), graph.switches[i]);
        }
        const auto is_switch = [&](const std::string& name) {
            return std::find(graph.switches.begin(), graph.switches.end(), name) !=
                   graph.switches.end();
        };
        for (std::size_t i = 0; i < graph.hosts.size(); ++i) {
            add(item("fabric.graph.hosts", i, ".name"), graph.hosts[i].name);
            if (is_switch(graph.hosts[i].at)) continue;
            problem(item("fabric.graph.hosts", i, ".at"), "no switch '" + graph.hosts[i].at + "'");
        }
        for (std::size_t i = 0; i < graph.links.size(); ++i) {
            for (const auto& [key, name] :
                 {std::pair{".a", graph.links[i].a}, std::pair{".b", graph.links[i].b}}) {
                if (is_switch(name)) continue;
                problem(item("fabric.graph.links", i, key), "no switch '" + name + "'");
            }
            if (graph.links[i].a == graph.links[i].b) {
                problem(item("fabric.graph.links", i), "both ends are the same switch");
            }
        }
    }

    void check_sizes() {
        for (NodeId node = 0; node < topology_.switches(); ++node) {
            const std::size_t ports = topology_.links_of(node).size();
            if (ports <= kPortsMax) continue;
            problem("fabric", topology_.name(node) + " has " + std::to_string(ports) +
                                  " links; a switch has at most " + std::to_string(kPortsMax) +
                                  " ports");
            return;
        }
        std::set<NodeId> leaves;
        for (unsigned i = 0; i < topology_.hosts(); ++i) {
            leaves.insert(topology_.leaf_of(topology_.host(i)).node);
        }
        if (leaves.size() > kLeavesMax) {
            problem("fabric", std::to_string(leaves.size()) + " switches with hosts; at most " +
                                  std::to_string(kLeavesMax));
        }
        if (topology_.hosts() < 2) problem("fabric", "fewer than two hosts");
    }

    [[nodiscard]] NodeId node_named(const std::string& path, const std::string& name, bool host) {
        const NodeId node = topology_.find(name);
        if (node != Topology::kNoNode && topology_.is_switch(node) != host) return node;
        problem(path, std::string("no ") + (host ? "host" : "switch") + " '" + name +
                          "'; there are " + topology_.name(host ? topology_.host(0) : 0) + " to " +
                          topology_.name(host ? topology_.nodes() - 1 : topology_.switches() - 1));
        return Topology::kNoNode;
    }

    [[nodiscard]] bool joined(NodeId a, NodeId b) const {
        for (PortId port = 0; port < topology_.links_of(a).size(); ++port) {
            if (topology_.far_end(a, port).node == b) return true;
        }
        return false;
    }

    void check_route(std::size_t index) {
        const RouteOverride& route = experiment_.fabric.routes[index];
        const NodeId at = node_named(item("fabric.routes", index, ".at"), route.at, false);
        static_cast<void>(node_named(item("fabric.routes", index, ".to"), route.to, false));
        for (const std::string& name : route.via) {
            const std::string path = item("fabric.routes", index, ".via");
            const NodeId via = node_named(path, name, false);
            if (at == Topology::kNoNode || via == Topology::kNoNode || joined(at, via)) continue;
            problem(path, "no link from " + route.at + " to " + name);
        }
    }

    void check_uplinks(std::size_t index) {
        const UplinkSettings& uplinks = experiment_.fabric.uplinks[index];
        const NodeId at = node_named(item("fabric.uplinks", index, ".at"), uplinks.at, false);
        for (const std::string& name : uplinks.to) {
            const std::string path = item("fabric.uplinks", index, ".to");
            const NodeId to = node_named(path, name, false);
            if (at == Topology::kNoNode || to == Topology::kNoNode || joined(at, to)) continue;
            problem(path, "no link from " + uplinks.at + " to " + name);
        }
    }

    void check_job(std::size_t index) {
        const JobSettings& job = experiment_.jobs[index];
        if (job.pattern.has_value() == !job.arrivals.empty()) {
            return problem(item("jobs", index), "a job has either a pattern or arrivals");
        }
        for (const std::string& name : job.hosts) {
            static_cast<void>(node_named(item("jobs", index, ".hosts"), name, true));
        }
        const std::size_t hosts = job.hosts.empty() ? topology_.hosts() : job.hosts.size();
        if (std::set<std::string>(job.hosts.begin(), job.hosts.end()).size() != job.hosts.size()) {
            problem(item("jobs", index, ".hosts"), "a host is listed twice");
        } else if (hosts < 2) {
            problem(item("jobs", index, ".hosts"), "a job needs two hosts or more");
        } else if (job.pattern) {
            const char* text = roce::Phases::problem({.pattern = *job.pattern,
                                                      .ranks = static_cast<roce::Rank>(hosts),
                                                      .bytes = job.bytes,
                                                      .shift = job.shift});
            if (*text != '\0') problem(item("jobs", index), text);
        } else if (roce::flow_sizes_named(job.arrivals).points.empty()) {
            problem(item("jobs", index, ".arrivals"),
                    "'" + job.arrivals + "' is unknown; write websearch or hadoop");
        }
    }

    void check_fault(std::size_t index) {
        const FaultSettings& fault = experiment_.faults[index];
        const int kinds = (fault.link.empty() ? 0 : 1) + (fault.stall.empty() ? 0 : 1) +
                          (fault.reload.empty() ? 0 : 1);
        if (kinds != 1) {
            return problem(item("faults", index),
                           "a fault has one of a link, a stall and a reload");
        }
        if (!fault.reload.empty()) return check_reload(index);
        if (!fault.switches.empty()) {
            problem(item("faults", index, ".switches"), "only a reload changes the switch's file");
        }
        if (!fault.stall.empty()) {
            static_cast<void>(node_named(item("faults", index, ".stall"), fault.stall, false));
            if (!fault.lasts) problem(item("faults", index), "a stall ends; write lasts: 20us");
            return;
        }
        const std::string path = item("faults", index, ".link");
        if (fault.link.size() != 2) return problem(path, "a link has two ends: [leaf0, spine0]");
        const NodeId a = topology_.find(fault.link[0]);
        const NodeId b = topology_.find(fault.link[1]);
        if (a != Topology::kNoNode && b != Topology::kNoNode && joined(a, b)) return;
        problem(path, "no link between '" + fault.link[0] + "' and '" + fault.link[1] + "'");
    }

    // The file that the switch will read: what is wrong with it is known before anything runs.
    void check_reload(std::size_t index) {
        const FaultSettings& fault = experiment_.faults[index];
        static_cast<void>(node_named(item("faults", index, ".reload"), fault.reload, false));
        if (fault.lasts || fault.silent) {
            problem(item("faults", index), "a reload takes no time; leave out lasts and silent");
        }
    }

    const Experiment& experiment_;
    const Value::Source& source_;
    Topology topology_;
};

}  // namespace

void check_experiment(const Experiment& experiment, const Value::Source& source) {
    Check(experiment, source).all();
}

}  // namespace weir::lab

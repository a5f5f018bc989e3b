// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lab/fabric_check.h"

#include <algorithm>
#include <set>

#include "dataplane/core/limits.h"
#include "tools/lab/addressing.h"

namespace weir::lab {

namespace {

class Check {
  public:
    Check(const FabricSettings& fabric, const Value::Source& source)
        : fabric_(fabric), source_(source) {}

    bool all() {
        if (!check_shape()) return false;
        topology_ = make_topology(fabric_);
        check_sizes();
        for (std::size_t i = 0; i < fabric_.routes.size(); ++i) check_route(i);
        for (std::size_t i = 0; i < fabric_.uplinks.size(); ++i) check_uplinks(i);
        return true;
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
        if (const auto* tree = std::get_if<FatTree>(&fabric_.shape)) {
            if (tree->k % 2 != 0) problem("fabric.fat_tree.k", "a fat tree has an even k");
        }
        if (const auto* graph = std::get_if<GraphSettings>(&fabric_.shape)) {
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
        if (!Addressing::fits(topology_)) {
            problem("fabric", "more leaves and hosts than 10.0.0.0/8 has subnets for");
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
        const RouteOverride& route = fabric_.routes[index];
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
        const UplinkSettings& uplinks = fabric_.uplinks[index];
        const NodeId at = node_named(item("fabric.uplinks", index, ".at"), uplinks.at, false);
        for (const std::string& name : uplinks.to) {
            const std::string path = item("fabric.uplinks", index, ".to");
            const NodeId to = node_named(path, name, false);
            if (at == Topology::kNoNode || to == Topology::kNoNode || joined(at, to)) continue;
            problem(path, "no link from " + uplinks.at + " to " + name);
        }
    }

    const FabricSettings& fabric_;
    const Value::Source& source_;
    Topology topology_;
};

}  // namespace

bool check_fabric(const FabricSettings& fabric, const Value::Source& source) {
    return Check(fabric, source).all();
}

}  // namespace weir::lab

// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lab/switch_file.h"

#include <algorithm>
#include <filesystem>

#include "config/address_text.h"
#include "dataplane/core/mix.h"
#include "tools/lab/shortest_paths.h"

namespace weir::lab {

namespace {

using Ways = std::vector<std::vector<std::vector<PortId>>>;  // [leaf][switch]: ports

class Writer {
  public:
    Writer(const Topology& topology, const Addressing& addressing, const Ways& ways,
           const SwitchFileOptions& options)
        : topology_(topology), addressing_(addressing), ways_(ways), options_(options) {}

    [[nodiscard]] std::string file(NodeId node) {
        text_ = "switch: {name: " + topology_.name(node) + "}\n";
        ports(node);
        routes(node);
        neighbors(node);
        hooks(node);
        const std::uint64_t seed = options_.hash_seeds == HashSeeds::Equal
                                       ? options_.seed
                                       : avalanche(options_.seed * kMixA + node);
        // Seeds are written as numbers of at most 63 bits.
        text_ += "hash: {seed: " + std::to_string(seed >> 1) +
                 ", dest_qp: " + (options_.hash_dest_qp ? "true" : "false") + "}\n";
        paths(topology_.name(node));
        return text_ + options_.more;
    }

  private:
    [[nodiscard]] std::size_t port_count(NodeId node) const {
        return topology_.links_of(node).size();
    }
    [[nodiscard]] bool is_a(NodeId node, PortId port) const {
        const Link& link = topology_.links()[topology_.links_of(node)[port]];
        return link.a.node == node && link.a.port == port;
    }
    [[nodiscard]] std::uint32_t peer_address(NodeId node, PortId port) const {
        const Link::End peer = topology_.far_end(node, port);
        if (!topology_.is_switch(peer.node)) return addressing_.host(peer.node);
        return Addressing::link(topology_.links_of(node)[port], !is_a(node, port));
    }

    // The cable that delays as the link does: light in it makes 1.98 * 10^8 m/s, 0.198 mm/ps.
    [[nodiscard]] std::string cable(NodeId node, PortId port) const {
        const Link& link = topology_.links()[topology_.links_of(node)[port]];
        const auto metres =
            (static_cast<std::uint64_t>(link.options.delay.ps) * 198 + 999'999) / 1'000'000;
        return ", cable: " + std::to_string(metres) + "m";
    }

    void ports(NodeId node) {
        text_ += "ports:\n";
        for (PortId port = 0; port < port_count(node); ++port) {
            const Link::End peer = topology_.far_end(node, port);
            const bool host = !topology_.is_switch(peer.node);
            const std::string own = host ? ipv4_text(addressing_.gateway(peer.node)) + "/24"
                                         : ipv4_text(Addressing::link(
                                               topology_.links_of(node)[port], is_a(node, port))) +
                                               "/31";
            text_ += "  - {name: p" + std::to_string(port) + ", device: net_null" +
                     std::to_string(port) + ", addresses: [" + own + "]" + cable(node, port) +
                     "}  # " + topology_.name(peer.node) + "\n";
        }
    }

    // A switch without rules needs no file.
    void paths(const std::string& name) {
        const std::string file = options_.plan + "/" + name + ".yaml";
        if (options_.plan.empty() || !std::filesystem::exists(file)) return;
        text_ += "paths_file: \"" + file + "\"\n";
    }

    [[nodiscard]] std::vector<PortId> ports_to(NodeId node, NodeId leaf) const {
        for (const FixedRoute& route : options_.routes) {
            if (route.at == node && route.to == leaf) return ports_of(node, route.via);
        }
        return ways_[leaf][node];
    }

    [[nodiscard]] std::vector<PortId> ports_of(NodeId node,
                                               const std::vector<NodeId>& peers) const {
        std::vector<PortId> ports;
        for (PortId port = 0; port < port_count(node); ++port) {
            const NodeId peer = topology_.far_end(node, port).node;
            if (std::find(peers.begin(), peers.end(), peer) != peers.end()) ports.push_back(port);
        }
        return ports;
    }

    void hooks(NodeId node) {
        for (const Uplinks& uplinks : options_.uplinks) {
            if (uplinks.at != node || options_.hook_moves.empty()) continue;
            std::string names;
            for (const PortId port : ports_of(node, uplinks.to)) {
                names += (names.empty() ? "p" : ", p") + std::to_string(port);
            }
            text_ += "hooks: {uplinks: [" + names + "], moves: " + options_.hook_moves + "}\n";
        }
    }

    void routes(NodeId node) {
        std::string lines;
        for (NodeId leaf = 0; leaf < topology_.switches(); ++leaf) {
            if (leaf == node || addressing_.leaf_prefix(leaf) == 0) continue;
            std::string via;
            for (const PortId port : ports_to(node, leaf)) {
                via += (via.empty() ? "" : ", ") + ipv4_text(peer_address(node, port));
            }
            if (via.empty()) continue;
            lines += "  - {prefix: " + ipv4_text(addressing_.leaf_prefix(leaf)) + "/" +
                     std::to_string(addressing_.leaf_prefix_length()) + ", via: [" + via + "]}\n";
        }
        if (!lines.empty()) text_ += "routes:\n" + lines;
    }

    void neighbors(NodeId node) {
        text_ += "neighbors:\n";
        for (PortId port = 0; port < port_count(node); ++port) {
            const MacAddress mac = Addressing::mac(topology_, topology_.far_end(node, port));
            text_ += "  - {address: " + ipv4_text(peer_address(node, port)) + ", mac: \"" +
                     format(mac) + "\"}\n";
        }
    }

    const Topology& topology_;
    const Addressing& addressing_;
    const Ways& ways_;
    const SwitchFileOptions& options_;
    std::string text_;
};

}  // namespace

std::vector<std::string> switch_files(const Topology& topology, const Addressing& addressing,
                                      const SwitchFileOptions& options) {
    Ways ways(topology.switches());
    for (NodeId leaf = 0; leaf < topology.switches(); ++leaf) {
        if (addressing.leaf_prefix(leaf) != 0) ways[leaf] = ports_towards(topology, leaf);
    }
    Writer writer(topology, addressing, ways, options);
    std::vector<std::string> files;
    for (NodeId node = 0; node < topology.switches(); ++node) files.push_back(writer.file(node));
    return files;
}

PortFacts port_facts(const Topology& topology, NodeId node, unsigned shards) {
    PortFacts facts;
    facts.shards = shards;
    for (PortId port = 0; port < topology.links_of(node).size(); ++port) {
        const Link& link = topology.links()[topology.links_of(node)[port]];
        facts.ports.push_back(
            {.mac = Addressing::switch_mac(node, port), .speed_bps = link.options.rate.bps()});
    }
    return facts;
}

}  // namespace weir::lab

// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lab/faults.h"

namespace weir::lab {

namespace {

// All links between two nodes.
std::vector<std::uint32_t> links_between(const Topology& topology, NodeId a, NodeId b) {
    std::vector<std::uint32_t> links;
    for (PortId port = 0; port < topology.links_of(a).size(); ++port) {
        if (topology.far_end(a, port).node == b) links.push_back(topology.links_of(a)[port]);
    }
    return links;
}

std::vector<std::uint32_t> links_of(const Topology& topology, const FaultSettings& fault) {
    if (fault.kill.empty()) {
        return links_between(topology, topology.find(fault.link[0]), topology.find(fault.link[1]));
    }
    const auto& links = topology.links_of(topology.find(fault.kill));
    return {links.begin(), links.end()};
}

Fabric::Ways ways_of(const Topology& topology, const FaultSettings& fault, std::uint32_t link) {
    if (!fault.one_way) return Fabric::Ways::Both;
    const bool from_a = topology.links()[link].a.node == topology.find(fault.link[0]);
    return from_a ? Fabric::Ways::FromA : Fabric::Ways::FromB;
}

}  // namespace

void schedule_faults(const std::vector<FaultSettings>& faults, Fabric& fabric) {
    const Topology& topology = fabric.topology();
    for (const FaultSettings& fault : faults) {
        const Time at = Time{} + fault.at;
        if (!fault.reload.empty()) {
            fabric.at(at, [&fabric, &fault, node = topology.find(fault.reload)] {
                // A file that is refused changes nothing, as in a running switch.
                Problems problems;
                static_cast<void>(fabric.reload(node, fault.switches, problems));
            });
            continue;
        }
        if (!fault.stall.empty()) {
            SwitchNode& node = fabric.switch_at(topology.find(fault.stall));
            fabric.at(at, [&fabric, &node, span = fault.lasts.value_or(Interval{})] {
                for (ShardId shard = 0; shard < node.shards(); ++shard) {
                    node.stall(fabric.world(), shard, span);
                }
            });
            continue;
        }
        for (const std::uint32_t link : links_of(topology, fault)) {
            const bool silent = fault.silent;
            const Fabric::Ways ways = ways_of(topology, fault, link);
            fabric.at(
                at, [&fabric, link, silent, ways] { fabric.set_link(link, false, silent, ways); });
            if (!fault.lasts) continue;
            fabric.at(at + *fault.lasts,
                      [&fabric, link, silent, ways] { fabric.set_link(link, true, silent, ways); });
        }
    }
}

}  // namespace weir::lab

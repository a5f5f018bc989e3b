// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/port_facts.h"
#include "tools/lab/addressing.h"
#include "tools/lab/topology.h"

namespace weir::lab {

enum class HashSeeds : std::uint8_t { Own, Equal };

// A route of one switch that takes the place of the shortest ways.
struct FixedRoute {
    NodeId at = 0;
    NodeId to = 0;              // a switch with hosts
    std::vector<NodeId> via{};  // neighbors of `at`
};

struct Uplinks {
    NodeId at = 0;
    std::vector<NodeId> to{};  // neighbors of `at`
};

struct SwitchFileOptions {
    HashSeeds hash_seeds = HashSeeds::Own;
    bool hash_dest_qp = false;
    std::uint64_t seed = 1;  // of the run; each switch draws its own from it
    std::string plan{};      // folder with the plan files of switches, NAME.yaml; empty: none
    std::string more{};      // further keys, in the words of a switch's file
    std::vector<FixedRoute> routes{};
    std::vector<Uplinks> uplinks{};
    std::string hook_moves{};  // YAML of `hooks.moves`, for the switches in `uplinks`
};

// The YAML files of the switches of a fabric, by switch: ports with addresses, routes over all
// shortest ways, neighbors.
[[nodiscard]] std::vector<std::string> switch_files(const Topology& topology,
                                                    const Addressing& addressing,
                                                    const SwitchFileOptions& options);

// What the devices of a switch would say: MACs and line rates.
[[nodiscard]] PortFacts port_facts(const Topology& topology, NodeId node, unsigned shards);

}  // namespace weir::lab

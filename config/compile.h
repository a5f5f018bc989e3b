// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "config/port_facts.h"
#include "config/route_trie_builder.h"
#include "config/settings.h"
#include "config/stable_indexes.h"
#include "dataplane/core/tables.h"

namespace weir {

// Tables with the memory that their spans point to. Neither copied nor moved: the data plane holds
// pointers into it.
struct CompiledTables {
    CompiledTables() = default;
    CompiledTables(const CompiledTables&) = delete;
    CompiledTables& operator=(const CompiledTables&) = delete;

    Tables tables;

    std::vector<PortTable> ports;
    std::vector<PortAddress> addresses;
    std::vector<std::uint16_t> vlan_index;
    std::vector<VlanTable> vlans;
    std::vector<MacSlot> static_macs;
    OwnedRouteTrie ipv4_routes;
    OwnedRouteTrie ipv6_routes;
    std::vector<TriePrefix> prefixes;  // what the tries were built of, ascending; for people
    std::vector<Route> routes;
    std::vector<NextHop> next_hops;
    std::vector<Gateway> gateways;
    StableIndexes<std::pair<PortId, IpAddress>> gateway_indexes;
    StableIndexes<DestinationPrefix> group_indexes;
    std::vector<DestinationGroup> destination_groups;  // these four are Tables::destinations
    std::vector<std::uint32_t> destination_slots;
    std::vector<std::uint32_t> first_group_of_port;
    std::vector<std::uint32_t> groups_of_port;
    std::vector<StaticNeighbor> static_neighbors;
    std::vector<LinkTable> links;
    std::vector<PathBucket> path_buckets;
    std::vector<PathRule> path_rules;
    std::vector<NextHop> path_hops;
    std::vector<IngressPaths> ingress_paths;
    std::vector<OwnedRouteTrie> ingress_tries;
    std::vector<BufferProfile> groups;
    std::vector<EgressTable> egress;
    Interval reaction;  // what the headrooms were made with; for people
    bool reaction_measured = false;
};

// Makes the tables of settings that passed validate(). Gateways keep the indexes they have in
// `previous` (null at start); one that is gone frees its index for the generation after the next.
[[nodiscard]] std::unique_ptr<const CompiledTables> compile(const Settings& settings,
                                                            const PortFacts& facts,
                                                            const CompiledTables* previous);

// The priority of each DSCP and PCP.
[[nodiscard]] PriorityMaps compile_maps(const MapSettings& maps);

// The shard that owns a port: `worker`, or round robin.
[[nodiscard]] ShardId shard_of(const Settings& settings, PortId port, unsigned shards);

// The hash seed of a switch that names none: made of its name, so that tiers differ.
[[nodiscard]] std::uint64_t default_seed(std::string_view switch_name);

}  // namespace weir

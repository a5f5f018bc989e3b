// SPDX-License-Identifier: BSD-3-Clause
#include "config/compile.h"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include "config/buffer_plan.h"
#include "config/compile_destinations.h"
#include "config/compile_egress.h"
#include "config/compile_guards.h"
#include "config/compile_routes.h"
#include "config/port_index.h"
#include "dataplane/core/check.h"

namespace weir {
namespace {

void compile_ports(const Settings& settings, const PortFacts& facts, CompiledTables& out) {
    out.ports.resize(kPortsMax);
    for (std::size_t i = 0; i < settings.ports.size(); ++i) {
        const PortSettings& port = settings.ports[i];
        const PortFacts::Device device =
            i < facts.ports.size() ? facts.ports[i] : PortFacts::Device{};
        PortTable& table = out.ports[i];
        table.mac = port.mac.value_or(device.mac);
        const PortLink link = link_of(settings, facts, i);
        table.speed_bps = link.speed_bps;
        table.frame_bytes_max = link.frame_bytes_max;
        table.mode = port.routed() ? PortMode::Routed : PortMode::Bridged;
        table.native_vlan = port.vlan ? port.vlan->native : VlanId{1};
        table.transparent = port.transparent();
        table.trust = port.trust;
        table.default_priority = port.default_priority;
        table.shard = shard_of(settings, static_cast<PortId>(i), facts.shards);
        table.enabled = port.enabled;
        if (!port.routed()) continue;
        table.first_address = static_cast<std::uint32_t>(out.addresses.size());
        table.address_count = static_cast<std::uint16_t>(port.addresses->size());
        for (const IpPrefix& own : *port.addresses) {
            out.addresses.push_back({own.address, own.length});
        }
    }
}

void compile_buffer(const Settings& settings, const PortFacts& facts, CompiledTables& out) {
    BufferPlan plan = plan_buffer(settings, facts);
    out.groups = std::move(plan.groups);
    out.tables.shared_pool_bytes = plan.shared_bytes;
    out.reaction = reaction_of(settings, facts);
    out.reaction_measured = !settings.buffer.reaction && facts.reaction;
    for (std::size_t i = 0; i < settings.ports.size(); ++i) {
        out.ports[i].pfc_priorities = lossless_priorities(settings, i);
    }
}

// Entry 0 is for every VLAN that no port names: the transparent ports carry it.
void compile_vlans(const Settings& settings, CompiledTables& out) {
    PortSet transparent;
    std::map<VlanId, PortSet> named;
    for (std::size_t i = 0; i < settings.ports.size(); ++i) {
        const PortSettings& port = settings.ports[i];
        const auto id = static_cast<PortId>(i);
        if (port.transparent()) transparent.add(id);
        if (!port.vlan) continue;
        named[port.vlan->native].add(id);
        for (const VlanId vlan : port.vlan->tagged) named[vlan].add(id);
    }
    out.vlan_index.assign(kVlans, 0);
    out.vlans.push_back({transparent});
    for (const auto& [vlan, members] : named) {
        WEIR_CHECK(vlan < kVlans);
        out.vlan_index[vlan] = static_cast<std::uint16_t>(out.vlans.size());
        out.vlans.push_back({members | transparent});
    }
}

bool fill_static_macs(const Settings& settings, const PortIndex& index,
                      std::vector<MacSlot>& slots) {
    for (const MacSettings& entry : settings.macs) {
        MacSlot* slot = insert_mac(slots, mac_key(entry.mac, entry.vlan));
        if (slot == nullptr) return false;
        slot->port = index.by_name(entry.port);
    }
    return true;
}

// At most half full; more room in the unlikely case that a key finds no place.
void compile_static_macs(const Settings& settings, const PortIndex& index, CompiledTables& out) {
    if (settings.macs.empty()) return;
    std::size_t slots = std::bit_ceil(std::max<std::size_t>(8, settings.macs.size() * 2));
    do {
        WEIR_CHECK(slots <= std::size_t{64} * kMacEntriesMax);
        out.static_macs.assign(slots, MacSlot{});
        slots *= 2;
    } while (!fill_static_macs(settings, index, out.static_macs));
}

void compile_static_neighbors(const Settings& settings, const PortIndex& index,
                              CompiledTables& out) {
    for (const NeighborSettings& neighbor : settings.neighbors) {
        out.static_neighbors.push_back(
            {neighbor.address, neighbor.mac, index.port_of(neighbor.address, neighbor.port)});
    }
}

void point_into(CompiledTables& out) {
    Tables& tables = out.tables;
    tables.ports = out.ports;
    tables.addresses = out.addresses;
    tables.vlan_index = out.vlan_index;
    tables.vlans = out.vlans;
    tables.static_macs = out.static_macs;
    tables.ipv4_routes = out.ipv4_routes.view();
    tables.ipv6_routes = out.ipv6_routes.view();
    tables.routes = out.routes;
    tables.next_hops = out.next_hops;
    tables.gateways = out.gateways;
    tables.static_neighbors = out.static_neighbors;
    tables.links = out.links;
    tables.groups = out.groups;
    tables.egress = out.egress;
}

}  // namespace

std::unique_ptr<const CompiledTables> compile(const Settings& settings, const PortFacts& facts,
                                              const CompiledTables* previous) {
    WEIR_CHECK(settings.ports.size() <= kPortsMax);
    WEIR_CHECK(facts.shards >= 1 && facts.shards <= kShardsMax);
    auto out = std::make_unique<CompiledTables>();
    out->tables.generation = previous == nullptr ? 1 : previous->tables.generation + 1;
    const PortIndex index(settings.ports);
    compile_ports(settings, facts, *out);
    compile_egress(settings, *out);
    compile_buffer(settings, facts, *out);
    compile_vlans(settings, *out);
    compile_static_macs(settings, index, *out);
    compile_static_neighbors(settings, index, *out);
    compile_routes(settings, index, previous, *out);
    compile_destinations(settings, *out);
    compile_guards(settings, facts, index, out->tables);
    out->tables.maps = compile_maps(settings.maps);
    out->tables.hash.seed = settings.hash.seed.value_or(default_seed(settings.switch_.name));
    out->tables.hash.use_dest_qp = settings.hash.dest_qp;
    out->tables.mac_ageing = settings.ageing;
    out->tables.neighbor_reachable = settings.neighbor_reachable;
    out->tables.queue_bytes_max = settings.queues.limit;
    point_into(*out);
    return out;
}

PriorityMaps compile_maps(const MapSettings& maps) {
    PriorityMaps out;
    for (unsigned dscp = 0; dscp < out.from_dscp.size(); ++dscp) {
        out.from_dscp[dscp] = static_cast<Priority>(dscp >> 3);
    }
    for (unsigned pcp = 0; pcp < out.from_pcp.size(); ++pcp) {
        out.from_pcp[pcp] = static_cast<Priority>(pcp);
    }
    for (const auto& [dscp, priority] : maps.dscp_to_priority) out.from_dscp.at(dscp) = priority;
    for (const auto& [pcp, priority] : maps.pcp_to_priority) out.from_pcp.at(pcp) = priority;
    return out;
}

ShardId shard_of(const Settings& settings, PortId port, unsigned shards) {
    return static_cast<ShardId>(settings.ports[port].worker.value_or(port % shards));
}

std::uint64_t default_seed(std::string_view switch_name) {
    std::uint64_t hash = 0xcbf2'9ce4'8422'2325;  // FNV-1a, 64 bits
    for (const char c : switch_name) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x0000'0100'0000'01b3;
    }
    // FNV mixes its last byte badly, and names often differ in nothing else.
    hash = (hash ^ (hash >> 33)) * 0xff51'afd7'ed55'8ccd;
    return hash ^ (hash >> 33);
}

}  // namespace weir

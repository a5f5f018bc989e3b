// SPDX-License-Identifier: BSD-3-Clause
// Settings as the data plane sees them: looked up the way the frame path does.
#include "config/compile.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/unit/config/route_lookup.h"
#include "tests/unit/config/sample.h"

namespace weir {
namespace {

struct Compiled {
    std::unique_ptr<const Loaded> loaded;
    std::unique_ptr<const CompiledTables> owner;
    const Tables& tables;
};

Compiled compile_text(const std::string& text, const PortFacts& facts = {}) {
    auto loaded = load_good(text);
    auto owner = compile(loaded->settings, facts, nullptr);
    const Tables& tables = owner->tables;
    return {std::move(loaded), std::move(owner), tables};
}

Compiled compile_with_three_ports(const std::string& added) {
    return compile_text(std::string(kThreePorts) + added);
}

TEST(CompilePorts, TakeWhatIsWrittenAndElseWhatTheDeviceSays) {
    PortFacts facts;
    facts.ports = {{MacAddress{0x11}, 9'000, 40'000'000'000}, {MacAddress{0x12}, 1'518, 0}};
    const Compiled c = compile_text(
        "switch: {name: s}\n"
        "ports:\n"
        "  - {name: a, device: net_null0}\n"
        "  - {name: b, device: net_null1, speed: 25G, mac: 02:00:00:00:00:07, trust: pcp,\n"
        "     default_priority: 3, enabled: false, frame_bytes_max: 1000, vlan: {native: 7}}\n"
        "  - {name: c, device: net_null2, addresses: [10.0.0.1/24, 10.0.1.1/24]}\n",
        facts);
    const PortTable& a = c.tables.ports[0];
    EXPECT_EQ(a.mac.value, 0x11u);
    EXPECT_EQ(a.speed_bps, 40'000'000'000u);
    EXPECT_EQ(a.frame_bytes_max, 4'200);
    EXPECT_EQ(a.mode, PortMode::Bridged);
    EXPECT_TRUE(a.transparent);
    EXPECT_TRUE(a.enabled);
    const PortTable& b = c.tables.ports[1];
    EXPECT_EQ(b.mac.value, 0x0200'0000'0007u);
    EXPECT_EQ(b.speed_bps, 25'000'000'000u);
    EXPECT_EQ(b.frame_bytes_max, 1'000);
    EXPECT_EQ(b.native_vlan, 7);
    EXPECT_EQ(b.trust, Trust::Pcp);
    EXPECT_EQ(b.default_priority, 3);
    EXPECT_FALSE(b.transparent);
    EXPECT_FALSE(b.enabled);
    const PortTable& third = c.tables.ports[2];
    EXPECT_EQ(third.mode, PortMode::Routed);
    ASSERT_EQ(third.address_count, 2);
    EXPECT_EQ(c.tables.addresses[third.first_address + 1u].address, *parse_ip("10.0.1.1"));
    EXPECT_EQ(c.tables.addresses[third.first_address + 1u].prefix_length, 96 + 24);
    // Nobody says how fast it is: pause times need a number.
    EXPECT_EQ(third.speed_bps, 10'000'000'000u);
    ASSERT_EQ(c.tables.ports.size(), kPortsMax);
    EXPECT_EQ(c.tables.ports[3].mode, PortMode::Absent);
}

TEST(CompilePorts, FramesAreNoLongerThanTheDeviceTakes) {
    PortFacts facts;
    facts.ports = {{MacAddress{1}, 1'518, 0}};
    const Compiled c =
        compile_text("switch: {name: s}\nports: [{name: a, device: net_null0}]\n", facts);
    EXPECT_EQ(c.tables.ports[0].frame_bytes_max, 1'518);
}

TEST(CompilePorts, ShardsAreDealtOutInTurnOrAsWritten) {
    const std::string text =
        "switch: {name: s}\n"
        "workers: {cores: [1, 2, 3]}\n"
        "ports:\n"
        "  - {name: a, device: net_null0}\n"
        "  - {name: b, device: net_null1}\n"
        "  - {name: c, device: net_null2, worker: 0}\n"
        "  - {name: d, device: net_null3}\n";
    PortFacts facts;
    facts.shards = 3;
    const Compiled c = compile_text(text, facts);
    EXPECT_EQ(c.tables.ports[0].shard, 0);
    EXPECT_EQ(c.tables.ports[1].shard, 1);
    EXPECT_EQ(c.tables.ports[2].shard, 0);
    EXPECT_EQ(c.tables.ports[3].shard, 0);
    EXPECT_EQ(facts_without_devices(c.loaded->settings).shards, 3u);
}

// 8 bits / 25 Gb/s = 320 ps a byte, times 2^16 = 20,971,520. The burst: 25 Gb/s for 100 us are
// 312,500 B, and two frames of 4,200 B.
TEST(CompileEgress, APortWithAWrittenSpeedIsShaped) {
    const Compiled c = compile_text(
        "switch: {name: s}\n"
        "ports:\n"
        "  - {name: a, device: net_null0, speed: 25G}\n"
        "  - {name: b, device: net_null1}\n");
    EXPECT_EQ(c.tables.egress[0].shaper_ps_per_byte_q16, 20'971'520u);
    EXPECT_EQ(c.tables.egress[0].shaper_burst_bytes, 312'500u + 8'400u);
    EXPECT_EQ(c.tables.egress[1].shaper_ps_per_byte_q16, 0u);
    ASSERT_EQ(c.tables.egress.size(), kPortsMax);
    for (const EgressTable& table : c.tables.egress) {
        for (const std::uint32_t quantum : table.quantum_bytes) EXPECT_GT(quantum, 0u);
    }
    EXPECT_EQ(c.tables.groups.size(), std::size_t{kPortsMax} * kPriorities);
}

const PortSet& members(const Tables& tables, VlanId vlan) {
    return tables.vlans[tables.vlan_index[vlan]].members;
}

TEST(CompileVlans, TransparentPortsCarryAllOfThem) {
    const Compiled c = compile_text(
        "switch: {name: s}\n"
        "ports:\n"
        "  - {name: a, device: net_null0, vlan: {native: 10, tagged: [20]}}\n"
        "  - {name: b, device: net_null1, vlan: {tagged: [4094]}}\n"
        "  - {name: c, device: net_null2}\n"
        "  - {name: d, device: net_null3, addresses: [10.0.0.1/24]}\n");
    const auto set = [](std::initializer_list<PortId> ports) {
        PortSet out;
        for (const PortId port : ports) out.add(port);
        return out;
    };
    EXPECT_EQ(members(c.tables, 10), set({0, 2}));
    EXPECT_EQ(members(c.tables, 20), set({0, 2}));
    EXPECT_EQ(members(c.tables, 1), set({1, 2}));
    EXPECT_EQ(members(c.tables, 4094), set({1, 2}));
    EXPECT_EQ(members(c.tables, 30), set({2}));
    EXPECT_EQ(c.tables.vlan_index.size(), 4096u);
}

TEST(CompileRoutes, OwnAddressesAndSubnets) {
    const Compiled c = compile_with_three_ports("");
    const auto kind = [&](const char* destination) { return route_to(c.tables, destination).kind; };
    EXPECT_EQ(kind("10.0.0.1"), RouteKind::Local);
    EXPECT_EQ(route_to(c.tables, "10.0.0.1").port, 0);
    EXPECT_EQ(kind("10.0.1.2"), RouteKind::Connected);
    EXPECT_EQ(route_to(c.tables, "10.0.1.2").port, 1);
    EXPECT_EQ(kind("10.0.0.254"), RouteKind::Connected);
    EXPECT_EQ(kind("10.0.0.0"), RouteKind::Blackhole);
    EXPECT_EQ(kind("10.0.0.255"), RouteKind::Blackhole);
    EXPECT_EQ(kind("9.255.255.255"), RouteKind::None);
    EXPECT_EQ(kind("10.0.2.0"), RouteKind::None);
    EXPECT_EQ(kind("fd00::1"), RouteKind::Local);
    EXPECT_EQ(kind("fd00::2"), RouteKind::Connected);
    // IPv6 has no broadcast.
    EXPECT_EQ(kind("fd00::ffff:ffff:ffff:ffff"), RouteKind::Connected);
    EXPECT_EQ(kind("fd00:0:0:1::"), RouteKind::None);
    // Every port has its own; the router knows them without a route.
    EXPECT_EQ(kind("fe80::9"), RouteKind::None);
    EXPECT_EQ(c.tables.routes[kNoRouteIndex].kind, RouteKind::None);
}

// RFC 3021: both addresses of a /31 are hosts; a /30 has a network and a broadcast address.
TEST(CompileRoutes, EndsOfShortSubnets) {
    const Compiled c = compile_text(
        "switch: {name: s}\n"
        "ports:\n"
        "  - {name: a, device: net_null0, addresses: [10.0.0.1/31, 10.1.0.1/30, 10.2.0.1/32]}\n");
    const auto kind = [&](const char* destination) { return route_to(c.tables, destination).kind; };
    EXPECT_EQ(kind("10.0.0.0"), RouteKind::Connected);
    EXPECT_EQ(kind("10.0.0.1"), RouteKind::Local);
    EXPECT_EQ(kind("10.0.0.2"), RouteKind::None);
    EXPECT_EQ(kind("10.1.0.0"), RouteKind::Blackhole);
    EXPECT_EQ(kind("10.1.0.2"), RouteKind::Connected);
    EXPECT_EQ(kind("10.1.0.3"), RouteKind::Blackhole);
    EXPECT_EQ(kind("10.2.0.1"), RouteKind::Local);
    EXPECT_EQ(kind("10.2.0.0"), RouteKind::None);
}

TEST(CompileRoutes, NextHopsAndBlackholes) {
    const Compiled c = compile_with_three_ports(
        "routes:\n"
        "  - {prefix: 0.0.0.0/0, via: 10.0.0.2}\n"
        "  - {prefix: 10.2.0.0/16, via: [10.0.0.2, 10.0.1.2]}\n"
        "  - {prefix: 10.2.3.0/24, blackhole: true}\n"
        "  - {prefix: 'fd00:2::/32', via: ['fe80::1%p1', 'fd00::2']}\n");
    const Route& uplinks = route_to(c.tables, "10.2.0.1");
    ASSERT_EQ(uplinks.kind, RouteKind::NextHops);
    ASSERT_EQ(uplinks.count, 2);
    const NextHop& first = c.tables.next_hops[uplinks.first];
    const NextHop& second = c.tables.next_hops[uplinks.first + 1];
    EXPECT_EQ(first.port, 0);
    EXPECT_EQ(c.tables.gateways[first.gateway].address, *parse_ip("10.0.0.2"));
    EXPECT_EQ(second.port, 1);
    EXPECT_EQ(c.tables.gateways[second.gateway].address, *parse_ip("10.0.1.2"));
    EXPECT_EQ(c.tables.gateways[second.gateway].port, 1);

    EXPECT_EQ(route_to(c.tables, "10.2.3.4").kind, RouteKind::Blackhole);
    EXPECT_EQ(route_to(c.tables, "10.2.4.0").kind, RouteKind::NextHops);
    const Route& fallback = route_to(c.tables, "8.8.8.8");
    ASSERT_EQ(fallback.count, 1);
    // One gateway has one index, however many routes use it.
    EXPECT_EQ(c.tables.next_hops[fallback.first].gateway, first.gateway);

    const Route& v6 = route_to(c.tables, "fd00:2::1");
    ASSERT_EQ(v6.count, 2);
    EXPECT_EQ(c.tables.next_hops[v6.first].port, 1);
    EXPECT_EQ(c.tables.next_hops[v6.first + 1].port, 0);
}

// Ten thousand prefixes behind a few sets of uplinks must not be ten thousand routes.
TEST(CompileRoutes, EqualRoutesAreOne) {
    const Compiled c = compile_with_three_ports(
        "routes:\n"
        "  - {prefix: 10.2.0.0/16, via: [10.0.0.2, 10.0.1.2]}\n"
        "  - {prefix: 10.4.0.0/16, via: [10.0.0.2, 10.0.1.2]}\n"
        "  - {prefix: 10.6.0.0/16, via: [10.0.1.2, 10.0.0.2]}\n"
        "  - {prefix: 10.8.0.0/16, blackhole: true}\n"
        "  - {prefix: 10.9.0.0/16, blackhole: true}\n");
    EXPECT_EQ(&route_to(c.tables, "10.2.0.1"), &route_to(c.tables, "10.4.0.1"));
    EXPECT_EQ(&route_to(c.tables, "10.8.0.1"), &route_to(c.tables, "10.9.0.1"));
    // No route, two times Connected, two times Local, the blackhole, two orders of uplinks.
    EXPECT_EQ(c.tables.routes.size(), 8u);
    EXPECT_EQ(c.tables.gateways.size(), 2u);
}

TEST(CompileMacs, AreFoundByMacAndVlan) {
    const Compiled c = compile_with_three_ports(
        "macs:\n"
        "  - {mac: 02:00:00:00:00:01, vlan: 10, port: p2}\n"
        "  - {mac: 02:00:00:00:00:02, vlan: 20, port: p2}\n");
    const MacSlot* slot = find_mac(c.tables.static_macs, mac_key(MacAddress{0x0200'0000'0001}, 10));
    ASSERT_NE(slot, nullptr);
    EXPECT_EQ(slot->port, 2);
    EXPECT_EQ(find_mac(c.tables.static_macs, mac_key(MacAddress{0x0200'0000'0001}, 20)), nullptr);
    EXPECT_EQ(compile_with_three_ports("").tables.static_macs.size(), 0u);
}

TEST(CompileMacs, AreAtMostHalfOfTheTable) {
    std::string macs = "macs:\n";
    for (unsigned i = 1; i <= 16'384; ++i) {
        macs +=
            "  - {mac: " + format(MacAddress{0x0200'0000'0000u + i}) + ", vlan: 10, port: p2}\n";
    }
    const Compiled c = compile_with_three_ports(macs);
    EXPECT_EQ(c.tables.static_macs.size(), 32'768u);
    for (unsigned i = 1; i <= 16'384; ++i) {
        ASSERT_NE(find_mac(c.tables.static_macs, mac_key(MacAddress{0x0200'0000'0000u + i}, 10)),
                  nullptr);
    }
}

TEST(CompileNeighbors, KnowTheirPort) {
    const Compiled c = compile_with_three_ports(
        "neighbors:\n"
        "  - {address: 10.0.1.2, mac: 02:00:00:00:00:05}\n"
        "  - {address: 'fe80::5', mac: 02:00:00:00:00:06, port: p0}\n");
    ASSERT_EQ(c.tables.static_neighbors.size(), 2u);
    EXPECT_EQ(c.tables.static_neighbors[0].port, 1);
    EXPECT_EQ(c.tables.static_neighbors[0].mac.value, 0x0200'0000'0005u);
    EXPECT_EQ(c.tables.static_neighbors[1].port, 0);
}

// DSCP 26 is 3 by default (26 >> 3), 48 is 6, 8 is 1.
TEST(CompileMaps, ChangeTheDefaults) {
    const Compiled c = compile_with_three_ports(
        "maps: {dscp_to_priority: {26: 5, 0: 1}, pcp_to_priority: {7: 2}}\n");
    EXPECT_EQ(c.tables.maps.from_dscp[26], 5);
    EXPECT_EQ(c.tables.maps.from_dscp[0], 1);
    EXPECT_EQ(c.tables.maps.from_dscp[27], 3);
    EXPECT_EQ(c.tables.maps.from_dscp[48], 6);
    EXPECT_EQ(c.tables.maps.from_dscp[63], 7);
    EXPECT_EQ(c.tables.maps.from_pcp[7], 2);
    EXPECT_EQ(c.tables.maps.from_pcp[6], 6);
}

TEST(CompileHash, TheSeedIsWrittenOrMadeOfTheName) {
    EXPECT_EQ(compile_with_three_ports("hash: {seed: 42, dest_qp: true}\n").tables.hash.seed, 42u);
    EXPECT_TRUE(compile_with_three_ports("hash: {dest_qp: true}\n").tables.hash.use_dest_qp);
    EXPECT_EQ(compile_with_three_ports("").tables.hash.seed, default_seed("s"));
    // Switches of one tier have names that differ in one letter; so must the seeds of two tiers,
    // in about half of their bits.
    EXPECT_GE(std::popcount(default_seed("leaf1") ^ default_seed("leaf2")), 16);
    EXPECT_GE(std::popcount(default_seed("leaf1") ^ default_seed("spine1")), 16);
}

TEST(CompileRest, GoesIntoTheTables) {
    const Compiled c =
        compile_with_three_ports("queues: {limit: 64KiB}\nageing: 7s\nneighbor_reachable: 3s\n");
    EXPECT_EQ(c.tables.queue_bytes_max, 65'536u);
    EXPECT_EQ(c.tables.mac_ageing, Interval::seconds(7));
    EXPECT_EQ(c.tables.neighbor_reachable, Interval::seconds(3));
    EXPECT_EQ(c.tables.generation, 1u);
}

}  // namespace
}  // namespace weir

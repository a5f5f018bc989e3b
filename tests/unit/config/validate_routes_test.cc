// SPDX-License-Identifier: BSD-3-Clause
// Routes, and what must be next to us. Each problem with its exact line.
#include <string>

#include <gtest/gtest.h>

#include "config/validate.h"
#include "tests/unit/config/sample.h"

namespace weir {
namespace {

std::string problems_of_route(const std::string& route) {
    return problems_with_three_ports("routes: [{" + route + "}]\n");
}

TEST(ValidateRoutes, PrefixesAreThoseOfRoutedNetworks) {
    const std::string at = "f.yaml:6:19: routes[0].prefix: ";
    EXPECT_EQ(problems_of_route("prefix: 10.2.0.0/16, via: 10.0.0.2"), "");
    EXPECT_EQ(problems_of_route("prefix: 0.0.0.0/0, via: 10.0.0.2"), "");
    EXPECT_EQ(problems_of_route("prefix: '::/0', via: 'fd00::2'"), "");
    EXPECT_EQ(problems_of_route("prefix: 10.2.0.1/16, via: 10.0.0.2"),
              at + "10.2.0.1/16 has bits behind its length; write 10.2.0.0/16\n");
    EXPECT_EQ(problems_of_route("prefix: 'fd00:2::1/64', via: 'fd00::2'"),
              at + "fd00:2::1/64 has bits behind its length; write fd00:2::/64\n");
    EXPECT_EQ(problems_of_route("prefix: 224.0.0.0/8, via: 10.0.0.2"),
              at + "224.0.0.0/8 is multicast, which is not routed\n");
    EXPECT_EQ(problems_of_route("prefix: 'fe80::/64', via: 'fd00::2'"),
              at + "fe80::/64 is link-local, which is never routed\n");
    EXPECT_EQ(problems_of_route("prefix: 10.0.1.0/24, via: 10.0.0.2"),
              at + "10.0.1.0/24 is the subnet of port p1, which needs no route\n");
    EXPECT_EQ(problems_of_route("prefix: 10.0.1.1/32, via: 10.0.0.2"),
              at + "10.0.1.1/32 is the switch's own address, on port p1\n");
    EXPECT_EQ(problems_of_route("prefix: 10.0.1.255/32, via: 10.0.0.2"),
              at + "10.0.1.255/32 is no host: the first and the last address of 10.0.1.0/24 are "
                   "the subnet's own\n");
    EXPECT_NE(problems_of_route("prefix: 10.0.1.0/32, via: 10.0.0.2"), "");
    EXPECT_EQ(problems_of_route("prefix: 10.0.1.254/32, via: 10.0.0.2"), "");
    // A part of a connected subnet may be behind a router in it.
    EXPECT_EQ(problems_of_route("prefix: 10.0.1.128/25, via: 10.0.1.2"), "");
}

// RFC 3021: both addresses of a /31 are hosts, which a route may lead to by another way.
TEST(ValidateRoutes, MayLeadToAHostOfASubnetOfTwo) {
    const std::string two_ports =
        "switch: {name: s}\n"
        "ports:\n"
        "  - {name: a, device: net_null0, addresses: [10.0.0.1/31]}\n"
        "  - {name: b, device: net_null1, addresses: [10.0.1.1/24]}\n";
    EXPECT_EQ(problems_of(two_ports + "routes: [{prefix: 10.0.0.0/32, via: 10.0.1.2}]\n"), "");
}

TEST(ValidateRoutes, PrefixesAreListedOnce) {
    EXPECT_EQ(problems_with_three_ports("routes:\n"
                                        "  - {prefix: 10.2.0.0/16, via: 10.0.0.2}\n"
                                        "  - {prefix: 10.2.0.0/17, via: 10.0.0.2}\n"
                                        "  - {prefix: 10.2.0.0/16, via: 10.0.1.2}\n"),
              "f.yaml:9:14: routes[2].prefix: 10.2.0.0/16 is already routes[0]; list all gateways "
              "there\n");
}

TEST(ValidateRoutes, HaveGatewaysOrAreBlackholes) {
    EXPECT_EQ(problems_of_route("prefix: 10.2.0.0/16"),
              "f.yaml:6:10: routes[0]: has neither gateways nor a blackhole; write via: [GATEWAY] "
              "or blackhole: true\n");
    EXPECT_EQ(problems_of_route("prefix: 10.2.0.0/16, via: 10.0.0.2, blackhole: true"),
              "f.yaml:6:10: routes[0]: has both via and blackhole; keep one\n");
    EXPECT_EQ(problems_of_route("prefix: 10.2.0.0/16, blackhole: true"), "");
}

TEST(ValidateRoutes, GatewaysAreNextToUs) {
    const auto via = [](const std::string& gateway) {
        return problems_of_route("prefix: 10.2.0.0/16, via: ['" + gateway + "']");
    };
    const std::string at = "f.yaml:6:38: routes[0].via[0]: ";
    EXPECT_EQ(via("10.0.0.2%p0"), "");
    EXPECT_EQ(via("10.9.9.9"),
              at + "10.9.9.9 is in no connected subnet; there are: 10.0.0.0/24 (p0), 10.0.1.0/24 "
                   "(p1), fd00::/64 (p0)\n");
    EXPECT_EQ(via("10.0.1.1"),
              at + "10.0.1.1 is the switch's own address, on port p1; frames would come back to "
                   "it\n");
    EXPECT_EQ(via("10.0.0.255"), at + "10.0.0.255 is the broadcast address of 10.0.0.0/24\n");
    EXPECT_EQ(via("10.0.0.0"),
              at + "10.0.0.0 is the subnet 10.0.0.0/24 itself, not a host in it\n");
    EXPECT_EQ(via("10.0.0.2%p1"), at + "10.0.0.2 is in 10.0.0.0/24 of port p0, not behind p1\n");
    EXPECT_EQ(via("10.0.0.2%p9"), at + "there is no port 'p9'; did you mean 'p0'?\n");
    EXPECT_EQ(via("10.0.0.2%uplink"),
              at + "there is no port 'uplink'; write one of those under ports\n");
    EXPECT_EQ(via("fd00::2"),
              at + "fd00::2 is no gateway for 10.2.0.0/16; write an IPv4 address\n");
}

TEST(ValidateRoutes, LinkLocalGatewaysNeedTheirPort) {
    const auto via = [](const std::string& gateway) {
        return problems_of_route("prefix: 'fd00:2::/64', via: ['" + gateway + "']");
    };
    const std::string at = "f.yaml:6:40: routes[0].via[0]: ";
    EXPECT_EQ(via("fe80::1%p0"), "");
    EXPECT_EQ(via("fe80::1"), at + "fe80::1 is link-local and needs its port; write fe80::1%PORT "
                                   "in a route, or port: PORT\n");
    EXPECT_EQ(via("fe80::1%p2"),
              at + "fe80::1 is behind port p2, which is not routed; give it addresses\n");
    EXPECT_EQ(via("fe80::9%p1"), at + "fe80::9 is the switch's own address, on port p1\n");
    EXPECT_EQ(via("fe80::9%p0"), "");
    EXPECT_EQ(via("10.0.0.2"),
              at + "10.0.0.2 is no gateway for fd00:2::/64; write an IPv6 address\n");
}

TEST(ValidateRoutes, GatewaysAreListedOnce) {
    EXPECT_EQ(problems_of_route("prefix: 10.2.0.0/16, via: [10.0.0.2, 10.0.1.2, 10.0.0.2]"),
              "f.yaml:6:58: routes[0].via[2]: 10.0.0.2 is listed twice\n");
}

std::string gateways(int first, int count) {
    std::string list;
    for (int i = first; i < first + count; ++i) {
        list += (list.empty() ? "" : ", ") + std::string("10.") + std::to_string(64 + i / 65'536) +
                "." + std::to_string(i / 256 % 256) + "." + std::to_string(i % 256);
    }
    return list;
}

constexpr std::string_view kWideSubnet =
    "switch: {name: s}\n"
    "ports: [{name: p0, device: net_null0, addresses: [10.127.0.1/9]}]\n";

// NextHop sets have at most 128 members.
TEST(ValidateRoutes, HaveAtMost128Gateways) {
    const auto with = [](int count) {
        return problems_of(std::string(kWideSubnet) + "routes: [{prefix: 11.0.0.0/8, via: [" +
                           gateways(1, count) + "]}]\n");
    };
    EXPECT_EQ(with(128), "");
    EXPECT_EQ(with(129), "f.yaml:3:36: routes[0].via: 129 gateways; at most 128\n");
}

// Three generations of gateways share 4,096 indexes: 4096 / 3 = 1365.
TEST(ValidateRoutes, HaveAtMost1365GatewaysTogether) {
    const auto with = [](int count) {
        std::string text = std::string(kWideSubnet) + "routes:\n";
        for (int i = 0; i < count; ++i) {
            text += "  - {prefix: 11." + std::to_string(i / 256) + "." + std::to_string(i % 256) +
                    ".0/24, via: [" + gateways(1 + i, 1) + "]}\n";
        }
        return problems_of(text);
    };
    EXPECT_EQ(with(1'365), "");
    EXPECT_EQ(with(1'366), "f.yaml:4:3: routes: 1366 different gateways; at most 1365\n");
}

// 2^20 route indexes, less two and two for each of 256 ports: 1,048,062.
TEST(ValidateRoutes, AreAtMost1048062) {
    Loaded loaded;
    loaded.file = "f.yaml";
    loaded.settings = load_with_three_ports("")->settings;
    // 32.0.0.0/24 and on: blackholes, so that nothing else is wrong with them.
    const auto add = [&](std::uint32_t number) {
        loaded.settings.routes.push_back(
            {{IpAddress::v4(0x2000'0000u + (number << 8)), 96 + 24}, {}, true});
    };
    for (std::uint32_t i = 0; i < 1'048'062; ++i) add(i);
    Problems none;
    validate(loaded, none);
    EXPECT_EQ(none.text(), "");
    add(1'048'062);
    Problems problems;
    validate(loaded, problems);
    EXPECT_EQ(problems.text(), "f.yaml: routes: 1048063 routes; at most 1048062\n");
}

// Half of the 8,192 neighbors of a shard.
TEST(ValidateNeighbors, AreAtMost4096) {
    const auto with = [](unsigned count) {
        std::string text = std::string(kWideSubnet) + "neighbors:\n";
        for (unsigned i = 1; i <= count; ++i) {
            text += "  - {address: " + format(IpAddress::v4(0x0a00'0000u + i)) +
                    ", mac: 02:00:00:00:00:01}\n";
        }
        return problems_of(text);
    };
    EXPECT_EQ(with(4'096), "");
    EXPECT_EQ(with(4'097), "f.yaml:4:3: neighbors: 4097 neighbors; at most 4096\n");
}

TEST(ValidateNeighbors, AreNextToUsAndListedOnce) {
    const auto with = [](const std::string& neighbors) {
        return problems_with_three_ports("neighbors:\n" + neighbors);
    };
    EXPECT_EQ(with("  - {address: 10.0.0.2, mac: 02:00:00:00:00:01}\n"
                   "  - {address: 10.0.0.3, mac: 02:00:00:00:00:01, port: p0}\n"
                   "  - {address: 'fe80::2', mac: 02:00:00:00:00:01, port: p0}\n"
                   "  - {address: 'fe80::2', mac: 02:00:00:00:00:01, port: p1}\n"),
              "");
    EXPECT_EQ(with("  - {address: 10.0.0.2, mac: 02:00:00:00:00:01}\n"
                   "  - {address: 10.0.0.2, mac: 02:00:00:00:00:02, port: p0}\n"),
              "f.yaml:8:15: neighbors[1].address: 10.0.0.2 is already neighbors[0]\n");
    EXPECT_EQ(with("  - {address: 10.0.0.1, mac: 02:00:00:00:00:01}\n"),
              "f.yaml:7:15: neighbors[0].address: 10.0.0.1 is the switch's own address, on port "
              "p0; frames would come back to it\n");
    EXPECT_EQ(with("  - {address: 10.0.0.2, mac: 03:00:00:00:00:01}\n"),
              "f.yaml:7:30: neighbors[0].mac: 03:00:00:00:00:01 is a group address; a single "
              "station's would be 02:00:00:00:00:01\n");
    EXPECT_EQ(with("  - {address: 10.0.0.2, mac: 02:00:00:00:00:01, port: p2}\n"),
              "f.yaml:7:15: neighbors[0].address: 10.0.0.2 is in 10.0.0.0/24 of port p0, not "
              "behind p2\n");
}

}  // namespace
}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
// What the values of one file mean together. Each problem with its exact line.
#include "config/validate.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/unit/config/sample.h"

namespace weir {
namespace {

std::string problems_of_ports(std::string_view ports) {
    return problems_of("switch: {name: s}\nports:\n" + std::string(ports));
}

TEST(ValidateSwitch, NameFitsIntoPathsAndLogs) {
    const auto named = [](const std::string& name) {
        return problems_of("switch: {name: '" + name + "'}\nports: [{name: p, device: net_null0}]");
    };
    EXPECT_EQ(named(std::string(32, 'a')), "");
    const std::string long_name(33, 'a');
    EXPECT_EQ(named(long_name), "f.yaml:1:16: switch.name: '" + long_name +
                                    "' is no name; write 1 to 32 letters, digits, '-', '_' or "
                                    "'.'\n");
    EXPECT_EQ(named("a b"),
              "f.yaml:1:16: switch.name: 'a b' is no name; write 1 to 32 letters, digits, '-', "
              "'_' or '.'\n");
    EXPECT_NE(named(""), "");
}

TEST(ValidateWorkers, CoresAreDifferentAndAtMostSixteen) {
    EXPECT_EQ(problems_with_three_ports("workers: {cores: [1, 2, 1]}\n"),
              "f.yaml:6:25: workers.cores[2]: core 1 is listed twice\n");
    std::string sixteen = "0";
    for (int core = 1; core < 16; ++core) sixteen += ", " + std::to_string(core);
    EXPECT_EQ(problems_with_three_ports("workers: {cores: [" + sixteen + "]}\n"), "");
    EXPECT_EQ(problems_with_three_ports("workers: {cores: [" + sixteen + ", 16]}\n"),
              "f.yaml:6:18: workers.cores: 17 cores; at most 16\n");
}

TEST(ValidatePorts, WorkersExist) {
    const auto with_workers = [](const char* cores) {
        return problems_of("switch: {name: s}\nworkers: {cores: " + std::string(cores) +
                           "}\nports: [{name: p, device: net_null0, worker: 1}]\n");
    };
    EXPECT_EQ(with_workers("[3, 4]"), "");
    EXPECT_EQ(with_workers("[3]"),
              "f.yaml:3:46: ports[0].worker: there is no worker 1; workers.cores makes 1, counted "
              "from 0\n");
}

TEST(ValidatePorts, NamesAreUniqueAndCannotBeMistaken) {
    EXPECT_EQ(problems_of_ports("  - {name: p0, device: net_null0}\n"
                                "  - {name: p0, device: net_null1}\n"),
              "f.yaml:4:12: ports[1].name: 'p0' is already the name of ports[0]; give each port "
              "its own\n");
    for (const char* name : {"0", "42", "all", "a b", "a%b", "''"}) {
        const std::string problems =
            problems_of_ports("  - {name: " + std::string(name) + ", device: net_null0}\n");
        EXPECT_NE(problems.find("f.yaml:3:12: ports[0].name: "), std::string_view::npos) << name;
        EXPECT_NE(problems.find("is no name of a port; write 1 to 32 letters, digits, or any of "
                                "-_./: and neither a number nor 'all'"),
                  std::string_view::npos)
            << name;
    }
    EXPECT_EQ(problems_of_ports("  - {name: 'Ethernet1/1.7', device: net_null0}\n"), "");
}

TEST(ValidatePorts, DevicesAreUnique) {
    EXPECT_EQ(problems_of_ports("  - {name: a, device: 'net_af_packet0,iface=x'}\n"
                                "  - {name: b, device: 'net_af_packet0,iface=y'}\n"
                                "  - {name: c, device: net_af_packet1}\n"),
              "f.yaml:4:23: ports[1].device: 'net_af_packet0' is already the device of ports[0]; "
              "write net_af_packet2\n");
    EXPECT_EQ(problems_of_ports("  - {name: a, device: '0000:03:00.0'}\n"
                                "  - {name: b, device: '0000:03:00.0'}\n"),
              "f.yaml:4:23: ports[1].device: '0000:03:00.0' is already the device of ports[0]; "
              "each port has its own device\n");
}

TEST(ValidatePorts, DevicesHaveOneOfThreeForms) {
    for (const char* good :
         {"net_null0", "'0000:03:00.1'", "'03:00.1'", "'ring:a-b'", "'0000:03:00.0,foo=1'"}) {
        EXPECT_EQ(problems_of_ports("  - {name: a, device: " + std::string(good) + "}\n"), "");
    }
    EXPECT_EQ(problems_of_ports("  - {name: a, device: ens3}\n"),
              "f.yaml:3:23: ports[0].device: 'ens3' is no device; write "
              "\"net_af_packet0,iface=ens3\" for the kernel's interface, a PCI address "
              "(0000:03:00.0) or ring:NAME\n");
    EXPECT_EQ(problems_of_ports("  - {name: a, device: '0000:03:00.9'}\n"),
              "f.yaml:3:23: ports[0].device: '0000:03:00.9' is no device; write a virtual device "
              "(\"net_af_packet0,iface=veth0\"), a PCI address (0000:03:00.0) or ring:NAME\n");
    for (const char* bad : {"'0000:03:00.'", "'0000:03:0g.0'", "'000:03:00.0'", "'3:00.0'", "''",
                            "'0000-03-00.0'", "'0000:03:00.00'"}) {
        EXPECT_NE(problems_of_ports("  - {name: a, device: " + std::string(bad) + "}\n"), "")
            << bad;
    }
    EXPECT_EQ(problems_of_ports("  - {name: a, device: 'ring:'}\n"),
              "f.yaml:3:23: ports[0].device: 'ring:' is no ring; write one like "
              "ring:leaf1-spine1\n");
}

std::string null_port(unsigned number) {
    const std::string n = std::to_string(number);
    return "  - {name: p" + n + ", device: net_null" + n + "}\n";
}

// A port set has 256 bits.
TEST(ValidatePorts, AreOneTo256) {
    EXPECT_EQ(problems_of("switch: {name: s}\nports: []\n"),
              "f.yaml:2:8: ports: the switch has no ports\n");
    std::string ports;
    for (unsigned i = 0; i < 256; ++i) ports += null_port(i);
    EXPECT_EQ(problems_of_ports(ports), "");
    EXPECT_EQ(problems_of_ports(ports + null_port(256)),
              "f.yaml:3:3: ports: 257 ports; at most 256\n");
}

TEST(ValidatePorts, SpeedsHaveExactLimits) {
    const auto with_speed = [](const char* speed) {
        return problems_of_ports("  - {name: a, device: net_null0, speed: " + std::string(speed) +
                                 "}\n");
    };
    EXPECT_EQ(with_speed("1M"), "");
    EXPECT_EQ(with_speed("800G"), "");
    EXPECT_EQ(with_speed("999K"),
              "f.yaml:3:41: ports[0].speed: 999K is out of range; write 1M to 800G\n");
    EXPECT_EQ(with_speed("801G"),
              "f.yaml:3:41: ports[0].speed: 801G is out of range; write 1M to 800G\n");
}

TEST(ValidatePorts, MacsAreOfASingleStation) {
    const auto with_mac = [](const char* mac) {
        return problems_of_ports("  - {name: a, device: net_null0, mac: '" + std::string(mac) +
                                 "'}\n");
    };
    EXPECT_EQ(with_mac("01:00:5e:00:00:01"),
              "f.yaml:3:39: ports[0].mac: 01:00:5e:00:00:01 is a group address; a single "
              "station's would be 00:00:5e:00:00:01\n");
    EXPECT_EQ(with_mac("00:00:00:00:00:00"),
              "f.yaml:3:39: ports[0].mac: 00:00:00:00:00:00 is no station's MAC\n");
}

TEST(ValidatePorts, AreBridgedOrRouted) {
    EXPECT_EQ(
        problems_of_ports(
            "  - {name: a, device: net_null0, vlan: {native: 2}, addresses: [10.0.0.1/24]}\n"),
        "f.yaml:3:5: ports[0]: has both vlan (bridged) and addresses (routed); keep one\n");
}

TEST(ValidatePorts, VlansAreListedOnce) {
    EXPECT_EQ(problems_of_ports(
                  "  - {name: a, device: net_null0, vlan: {native: 2, tagged: [3, 2, 3]}}\n"),
              "f.yaml:3:64: ports[0].vlan.tagged[1]: VLAN 2 is the native one, which leaves "
              "untagged; keep one\n"
              "f.yaml:3:67: ports[0].vlan.tagged[2]: VLAN 3 is listed twice\n");
}

std::string problems_of_address(const std::string& address) {
    return problems_of_ports("  - {name: a, device: net_null0, addresses: ['" + address + "']}\n");
}

TEST(ValidateAddresses, AreThoseOfAHost) {
    const std::string at = "f.yaml:3:46: ports[0].addresses[0]: ";
    EXPECT_EQ(problems_of_address("10.0.0.1/24"), "");
    EXPECT_EQ(problems_of_address("10.0.0.0/24"),
              at + "10.0.0.0/24 is the subnet itself; write a host in it, like 10.0.0.1/24\n");
    EXPECT_EQ(problems_of_address("10.0.0.255/24"),
              at + "10.0.0.255/24 is the broadcast address of its subnet; write a host in it, "
                   "like 10.0.0.1/24\n");
    EXPECT_EQ(problems_of_address("fd00:1::/64"),
              at + "fd00:1::/64 is the subnet itself; write a host in it, like fd00:1::1/64\n");
    EXPECT_EQ(problems_of_address("fd00::ffff:ffff:ffff:ffff/64"), "");
    EXPECT_EQ(problems_of_address("224.0.0.1/24"), at + "224.0.0.1/24 is a multicast address\n");
    EXPECT_EQ(problems_of_address("ff02::1/64"), at + "ff02::1/64 is a multicast address\n");
    EXPECT_EQ(problems_of_address("127.0.0.1/8"), at + "127.0.0.1/8 is a loopback address\n");
    EXPECT_EQ(problems_of_address("::1/128"), at + "::1/128 is a loopback address\n");
    EXPECT_EQ(problems_of_address("0.0.0.1/24"), at + "0.0.0.1/24 is no address of a host\n");
    EXPECT_EQ(problems_of_address("240.0.0.1/24"), at + "240.0.0.1/24 is no address of a host\n");
    EXPECT_EQ(problems_of_address("::/64"), at + "::/64 is no address of a host\n");
    EXPECT_EQ(problems_of_address("10.0.0.1/0"),
              at + "10.0.0.1/0 makes every address a neighbor; write the length of the subnet\n");
}

// RFC 3021 and RFC 6164: a subnet of two addresses has neither network nor broadcast address.
TEST(ValidateAddresses, SubnetsOfTwoHaveTwoHosts) {
    EXPECT_EQ(problems_of_address("10.0.0.0/31"), "");
    EXPECT_EQ(problems_of_address("10.0.0.1/31"), "");
    EXPECT_EQ(problems_of_address("10.0.0.0/32"), "");
    EXPECT_NE(problems_of_address("10.0.0.0/30"), "");
    EXPECT_NE(problems_of_address("10.0.0.3/30"), "");
    EXPECT_EQ(problems_of_address("fd00::/127"), "");
    EXPECT_NE(problems_of_address("fd00::/126"), "");
}

TEST(ValidateAddresses, DoNotOverlapOnDifferentPorts) {
    EXPECT_EQ(problems_of_ports("  - {name: a, device: net_null0, addresses: [10.0.5.1/24]}\n"
                                "  - {name: b, device: net_null1, addresses: [10.0.0.1/16]}\n"),
              "f.yaml:4:46: ports[1].addresses[0]: 10.0.0.0/16 overlaps 10.0.5.0/24 of port a; "
              "give each port its own subnet\n");
    EXPECT_EQ(problems_of_ports("  - {name: a, device: net_null0, addresses: [10.0.5.1/24]}\n"
                                "  - {name: b, device: net_null1, addresses: [10.0.5.2/24]}\n"),
              "f.yaml:4:46: ports[1].addresses[0]: 10.0.5.0/24 overlaps 10.0.5.0/24 of port a; "
              "give each port its own subnet\n");
    // 10.0.0.0/25 ends at .127: side by side is no overlap.
    EXPECT_EQ(problems_of_ports("  - {name: a, device: net_null0, addresses: [10.0.0.1/25]}\n"
                                "  - {name: b, device: net_null1, addresses: [10.0.0.129/25]}\n"),
              "");
    // One port may have several addresses of a subnet, and every port the same link-local one.
    EXPECT_EQ(problems_of_ports("  - name: a\n"
                                "    device: net_null0\n"
                                "    addresses: [10.0.0.1/24, 10.0.0.2/24, 'fe80::1/64']\n"
                                "  - {name: b, device: net_null1, addresses: ['fe80::1/64']}\n"),
              "");
    EXPECT_EQ(problems_of_ports("  - name: a\n"
                                "    device: net_null0\n"
                                "    addresses: [10.0.0.1/24, 10.0.0.1/16]\n"),
              "f.yaml:5:30: ports[0].addresses[1]: 10.0.0.1 is listed twice\n");
}

TEST(ValidateAddresses, AreAtMostEightPerPort) {
    std::string eight = "10.0.0.1/24";
    for (int i = 1; i < 8; ++i) eight += ", 10.0." + std::to_string(i) + ".1/24";
    EXPECT_EQ(problems_of_ports("  - {name: a, device: net_null0, addresses: [" + eight + "]}\n"),
              "");
    EXPECT_EQ(problems_of_ports("  - {name: a, device: net_null0, addresses: [" + eight +
                                ", 10.1.0.1/24]}\n"),
              "f.yaml:3:45: ports[0].addresses: 9 addresses; at most 8\n");
}

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

TEST(ValidateMacs, AreListedOnceBehindABridgedPortOfTheirVlan) {
    const auto with = [](const std::string& macs) {
        return problems_with_three_ports("macs:\n" + macs);
    };
    EXPECT_EQ(with("  - {mac: 02:00:00:00:00:01, vlan: 10, port: p2}\n"
                   "  - {mac: 02:00:00:00:00:01, vlan: 20, port: p2}\n"),
              "");
    EXPECT_EQ(with("  - {mac: 02:00:00:00:00:01, vlan: 10, port: p2}\n"
                   "  - {mac: 02:00:00:00:00:01, vlan: 10, port: p2}\n"),
              "f.yaml:8:5: macs[1]: 02:00:00:00:00:01 in VLAN 10 is already macs[0]\n");
    EXPECT_EQ(with("  - {mac: 02:00:00:00:00:01, vlan: 30, port: p2}\n"),
              "f.yaml:7:36: macs[0].vlan: port p2 does not carry VLAN 30; add it to the port's "
              "vlan\n");
    EXPECT_EQ(with("  - {mac: 02:00:00:00:00:01, vlan: 10, port: p0}\n"),
              "f.yaml:7:46: macs[0].port: port p0 is routed; write the MAC under neighbors\n");
    EXPECT_EQ(with("  - {mac: 02:00:00:00:00:01, vlan: 10, port: p7}\n"),
              "f.yaml:7:46: macs[0].port: there is no port 'p7'; did you mean 'p0'?\n");
    EXPECT_EQ(with("  - {mac: ff:ff:ff:ff:ff:ff, vlan: 10, port: p2}\n"),
              "f.yaml:7:11: macs[0].mac: ff:ff:ff:ff:ff:ff is a group address; a single "
              "station's would be fe:ff:ff:ff:ff:ff\n");
}

// The table of 32,768 slots is at most half full.
TEST(ValidateMacs, AreAtMost16384) {
    std::string text(kThreePorts);
    text += "macs:\n";
    const auto line = [](int i) {
        const std::string mac = format(MacAddress{0x0200'0000'0000u + static_cast<unsigned>(i)});
        return "  - {mac: " + mac + ", vlan: 10, port: p2}\n";
    };
    for (int i = 0; i < 16'384; ++i) text += line(i);
    EXPECT_EQ(problems_of(text), "");
    EXPECT_EQ(problems_of(text + line(16'384)), "f.yaml:7:3: macs: 16385 MACs; at most 16384\n");
}

TEST(ValidateQueues, HoldTheLongestFrame) {
    EXPECT_EQ(problems_with_three_ports("queues: {limit: 4200B}\n"), "");
    EXPECT_EQ(problems_with_three_ports("queues: {limit: 4199B}\n"),
              "f.yaml:6:17: queues.limit: 4199B is less than the longest frame; write at least "
              "4200B\n");
}

TEST(ValidateTimes, HaveExactLimits) {
    EXPECT_EQ(problems_with_three_ports("ageing: 100ms\n"), "");
    EXPECT_EQ(problems_with_three_ports("ageing: 1000000s\n"), "");
    EXPECT_EQ(problems_with_three_ports("ageing: 99ms\n"),
              "f.yaml:6:9: ageing: 99ms is out of range; write 100ms to 1000000s\n");
    EXPECT_EQ(problems_with_three_ports("ageing: 1000001s\n"),
              "f.yaml:6:9: ageing: 1000001s is out of range; write 100ms to 1000000s\n");
    EXPECT_EQ(problems_with_three_ports("neighbor_reachable: 3600s\n"), "");
    EXPECT_EQ(problems_with_three_ports("neighbor_reachable: 3601s\n"),
              "f.yaml:6:21: neighbor_reachable: 3601s is out of range; write 100ms to 3600s\n");
}

// sun_path has 108 bytes with its end mark.
TEST(ValidateConsole, IsAPathThatASocketTakes) {
    EXPECT_EQ(problems_with_three_ports("console: run/s.sock\n"),
              "f.yaml:6:10: console: 'run/s.sock' is no absolute path; write one like "
              "/run/weir/s.sock\n");
    EXPECT_EQ(problems_with_three_ports("console: /" + std::string(106, 'a') + "\n"), "");
    EXPECT_EQ(problems_with_three_ports("console: /" + std::string(107, 'a') + "\n"),
              "f.yaml:6:10: console: the path has 108 bytes; a UNIX socket's has at most 107\n");
}

TEST(ValidateEal, OptionsThatExcludeEachOther) {
    EXPECT_EQ(problems_with_three_ports("eal: [--no-huge, --in-memory]\n"),
              "f.yaml:6:6: eal: --no-huge and --in-memory exclude each other; keep one\n");
}

TEST(Validate, CountsWhatItDoesNotKeep) {
    std::string text(kThreePorts);
    text += "routes:\n";
    for (int i = 0; i < 60; ++i)
        text += "  - {prefix: 10." + std::to_string(100 + i) + ".0.1/16, blackhole: true}\n";
    const std::string problems = problems_of(text);
    EXPECT_NE(problems.find("\n... and 10 more problems\n"), std::string_view::npos) << problems;
}

}  // namespace
}  // namespace weir

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

// SPDX-License-Identifier: BSD-3-Clause
// Reading one file: keys, kinds of values, ranges. Each problem with its exact line.
#include "config/load.h"

#include <cstdio>
#include <string>

#include <gtest/gtest.h>

#include "tests/unit/config/sample.h"

namespace weir {
namespace {

constexpr const char* kEveryKey = R"(
switch: {name: leaf1}
eal: ["--no-huge", -m, 512]
workers: {cores: [1, 2]}
frames: 16384
frame_bytes_max: 4100
ports:
  - name: p0
    device: "net_af_packet0,iface=veth0"
    speed: 25G
    worker: 1
    frame_bytes_max: 1518
    mac: 02:00:00:00:00:01
    vlan: {native: 10, tagged: [20, 30]}
    trust: pcp
    default_priority: 5
    enabled: false
  - name: p1
    device: 0000:03:00.0
    addresses: [10.0.1.1/24, "fd00:1::1/64"]
routes:
  - {prefix: 10.2.0.0/16, via: [10.0.1.2, 10.0.1.3]}
  - {prefix: fd00:2::/32, via: "fe80::1%p1"}
  - {prefix: 10.3.0.0/16, blackhole: true}
neighbors: [{address: 10.0.1.2, mac: 02:00:00:00:00:02, port: p1}]
macs: [{mac: 02:00:00:00:00:03, vlan: 20, port: p0}]
hash: {seed: 7, dest_qp: true}
maps: {dscp_to_priority: {26: 3, 48: 6}, pcp_to_priority: {1: 0}}
queues: {limit: 2MiB}
ageing: 60s
neighbor_reachable: 10s
events: /var/log/weir.jsonl
console: /run/weir/leaf1.sock
)";

TEST(Load, TakesEveryKey) {
    const auto loaded = load_good(kEveryKey);
    ASSERT_NE(loaded, nullptr);
    Settings want;
    want.switch_.name = "leaf1";
    want.eal = {"--no-huge", "-m", "512"};
    want.workers.cores = {1, 2};
    want.frames = 16'384;
    want.frame_bytes_max = 4'100;
    PortSettings p0;
    p0.name = "p0";
    p0.device = "net_af_packet0,iface=veth0";
    p0.speed = BitRate{25'000'000'000};
    p0.worker = 1;
    p0.frame_bytes_max = std::uint16_t{1'518};
    p0.mac = MacAddress{0x0200'0000'0001};
    p0.vlan = VlanSettings{10, {20, 30}};
    p0.trust = Trust::Pcp;
    p0.default_priority = 5;
    p0.enabled = false;
    PortSettings p1;
    p1.name = "p1";
    p1.device = "0000:03:00.0";
    p1.addresses = {*parse_prefix("10.0.1.1/24"), *parse_prefix("fd00:1::1/64")};
    want.ports = {p0, p1};
    want.routes = {
        {*parse_prefix("10.2.0.0/16"), {{*parse_ip("10.0.1.2"), ""}, {*parse_ip("10.0.1.3"), ""}}},
        {*parse_prefix("fd00:2::/32"), {{*parse_ip("fe80::1"), "p1"}}},
        {*parse_prefix("10.3.0.0/16"), {}, true}};
    want.neighbors = {{*parse_ip("10.0.1.2"), MacAddress{0x0200'0000'0002}, "p1"}};
    want.macs = {{MacAddress{0x0200'0000'0003}, 20, "p0"}};
    want.hash = {7, true};
    want.maps.dscp_to_priority = {{26, 3}, {48, 6}};
    want.maps.pcp_to_priority = {{1, 0}};
    want.queues.limit = 2u << 20;
    want.ageing = Interval::seconds(60);
    want.neighbor_reachable = Interval::seconds(10);
    want.events = "/var/log/weir.jsonl";
    want.console = "/run/weir/leaf1.sock";
    EXPECT_TRUE(loaded->settings == want);
}

TEST(Load, HasDefaults) {
    const auto loaded =
        load_good("switch: {name: s}\nports: [{name: p, device: net_null0}]\nroutes:\n");
    const Settings& settings = loaded->settings;
    EXPECT_EQ(settings.frame_bytes_max, 4200);
    EXPECT_EQ(settings.queues.limit, 1'048'576u);
    EXPECT_EQ(settings.ageing, Interval::seconds(300));
    EXPECT_EQ(settings.neighbor_reachable, Interval::seconds(30));
    EXPECT_TRUE(settings.ports[0].transparent());
    EXPECT_TRUE(settings.ports[0].enabled);
    EXPECT_FALSE(settings.frames.has_value());
}

TEST(Load, UnknownKeysComeWithTheNearestKnownOne) {
    EXPECT_EQ(problems_with_three_ports("route: []\n"),
              "f.yaml:6:1: unknown key 'route'; did you mean 'routes'?\n");
    EXPECT_EQ(problems_with_three_ports("hash: {sead: 1}\n"),
              "f.yaml:6:8: hash: unknown key 'sead'; did you mean 'seed'?\n");
    EXPECT_EQ(problems_with_three_ports("queues: {colour: red}\n"),
              "f.yaml:6:10: queues: unknown key 'colour'; known here: limit\n");
    EXPECT_EQ(problems_of("switch: {name: s}\n"
                          "ports:\n"
                          "  - name: p0\n"
                          "    devise: net_null0\n"),
              "f.yaml:4:5: ports[0]: unknown key 'devise'; did you mean 'device'?\n");
}

TEST(Load, KeysThatAreGivenTwiceAreRefused) {
    EXPECT_EQ(problems_with_three_ports("ageing: 10s\nageing: 20s\n"),
              "f.yaml:7:1: the key 'ageing' is already in line 6; keep one of the two\n");
    EXPECT_EQ(problems_with_three_ports("maps: {dscp_to_priority: {26: 3, 26: 4}}\n"),
              "f.yaml:6:34: maps.dscp_to_priority: the key '26' is already in line 6; keep one of "
              "the two\n");
}

TEST(Load, MissingKeysComeWithAnExample) {
    EXPECT_EQ(problems_of("ports: [{name: p0}]\n"),
              "f.yaml:1:1: the key 'switch' is missing; write switch: {name: leaf1}\n"
              "f.yaml:1:9: ports[0]: the key 'device' is missing; write device: "
              "\"net_af_packet0,iface=veth0\", a PCI address, or ring:NAME\n");
    EXPECT_EQ(problems_of("switch: {name: s}\n"),
              "f.yaml:1:1: the key 'ports' is missing; write ports: and its list of ports\n");
    EXPECT_EQ(problems_with_three_ports("routes: [{via: 10.0.0.2}]\n"),
              "f.yaml:6:10: routes[0]: the key 'prefix' is missing; write prefix: 10.2.0.0/16\n");
    EXPECT_EQ(problems_with_three_ports("macs: [{}]\n"),
              "f.yaml:6:8: macs[0]: the key 'mac' is missing; write mac: 02:00:00:00:00:01\n"
              "f.yaml:6:8: macs[0]: the key 'port' is missing; write port: p0\n");
    EXPECT_EQ(problems_with_three_ports("neighbors: [{}]\n"),
              "f.yaml:6:13: neighbors[0]: the key 'address' is missing; write address: 10.0.1.2\n"
              "f.yaml:6:13: neighbors[0]: the key 'mac' is missing; write mac: "
              "02:00:00:00:00:01\n");
    EXPECT_EQ(problems_with_three_ports("workers: {}\n"),
              "f.yaml:6:10: workers: the key 'cores' is missing; write cores: [1]\n");
}

TEST(Load, ValuesOfTheWrongKindAreRefused) {
    EXPECT_EQ(problems_with_three_ports("workers: {cores: 1}\n"),
              "f.yaml:6:18: workers.cores: is a single value; write a list: [1]\n");
    EXPECT_EQ(problems_with_three_ports("routes: {a: b}\n"),
              "f.yaml:6:9: routes: is a map; write a list: [a, b], or lines that begin with "
              "'- '\n");
    EXPECT_EQ(problems_with_three_ports("queues: 1MiB\n"),
              "f.yaml:6:9: queues: is a single value; write a map: {key: value}, or lines of key: "
              "value\n");
    EXPECT_EQ(problems_with_three_ports("hash: [1]\n"),
              "f.yaml:6:7: hash: is a list; write a map: {key: value}, or lines of key: value\n");
    EXPECT_EQ(problems_with_three_ports("ageing: [1s]\n"),
              "f.yaml:6:9: ageing: is a list; write a single value\n");
    EXPECT_EQ(problems_with_three_ports("ageing:\n"), "f.yaml:6:8: ageing: has no value\n");
    EXPECT_EQ(problems_of("just text\n"),
              "f.yaml:1:1: is a single value; write a map: {key: value}, or lines of key: value\n");
    EXPECT_EQ(problems_of("# nothing\n"),
              "f.yaml:1:1: the file says nothing; start from one of the examples\n");
}

TEST(Load, ValuesThatAreNotUnderstoodAreRefused) {
    EXPECT_EQ(problems_of("switch: {name: s}\n"
                          "ports:\n"
                          "  - name: p0\n"
                          "    device: net_null0\n"
                          "    speed: 25\n"
                          "    mac: 1\n"
                          "    vlan: {native: x, tagged: [0, 4095]}\n"
                          "    trust: dhcp\n"
                          "    default_priority: 8\n"
                          "    enabled: yes\n"
                          "    worker: 16\n"),
              "f.yaml:5:12: ports[0].speed: '25' has no unit; write 25G\n"
              "f.yaml:6:10: ports[0].mac: '1' is no MAC address; write one like "
              "02:00:00:00:00:01\n"
              "f.yaml:7:20: ports[0].vlan.native: 'x' is no whole number; write 1 to 4094\n"
              "f.yaml:7:32: ports[0].vlan.tagged[0]: '0' is out of range; write 1 to 4094\n"
              "f.yaml:7:35: ports[0].vlan.tagged[1]: '4095' is out of range; write 1 to 4094\n"
              "f.yaml:8:12: ports[0].trust: 'dhcp' is no field to trust; write dscp or pcp\n"
              "f.yaml:9:23: ports[0].default_priority: '8' is out of range; write 0 to 7\n"
              "f.yaml:10:14: ports[0].enabled: 'yes' is neither true nor false\n"
              "f.yaml:11:13: ports[0].worker: '16' is out of range; write 0 to 15\n");
    EXPECT_EQ(problems_with_three_ports("maps:\n"
                                        "  dscp_to_priority: {64: 1, 63: 8, x: 1}\n"
                                        "  pcp_to_priority: {8: 1}\n"),
              "f.yaml:7:22: maps.dscp_to_priority: '64' is out of range; write 0 to 63\n"
              "f.yaml:7:33: maps.dscp_to_priority.63: '8' is out of range; write 0 to 7\n"
              "f.yaml:7:36: maps.dscp_to_priority: 'x' is no whole number; write 0 to 63\n"
              "f.yaml:8:21: maps.pcp_to_priority: '8' is out of range; write 0 to 7\n");
    EXPECT_EQ(problems_with_three_ports("routes: [{prefix: 10.2.0.0, via: [10.0.0.x]}]\n"),
              "f.yaml:6:19: routes[0].prefix: '10.2.0.0' has no prefix length; write 10.2.0.0/32 "
              "for this one address\n"
              "f.yaml:6:35: routes[0].via[0]: '10.0.0.x' is no IP address; write one like 10.0.0.1 "
              "or fd00::1\n");
}

// 60 B is the shortest frame; jumbo is 9216 + 14 + 4 = 9234. mbufs: 1,024 to 2^22 = 4,194,304.
TEST(Load, NumbersHaveTheirLimits) {
    EXPECT_EQ(problems_with_three_ports("frame_bytes_max: 60\n"), "");
    EXPECT_EQ(problems_with_three_ports("frame_bytes_max: 9234\nqueues: {limit: 9234B}\n"), "");
    EXPECT_EQ(problems_with_three_ports("frame_bytes_max: 59\n"),
              "f.yaml:6:18: frame_bytes_max: '59' is out of range; write 60 to 9234\n");
    EXPECT_EQ(problems_with_three_ports("frame_bytes_max: 9235\n"),
              "f.yaml:6:18: frame_bytes_max: '9235' is out of range; write 60 to 9234\n");
    EXPECT_EQ(problems_with_three_ports("frames: 1024\n"), "");
    EXPECT_EQ(problems_with_three_ports("frames: 4194304\n"), "");
    EXPECT_EQ(problems_with_three_ports("frames: 1023\n"),
              "f.yaml:6:9: frames: '1023' is out of range; write 1024 to 4194304\n");
    EXPECT_EQ(problems_with_three_ports("frames: 4194305\n"),
              "f.yaml:6:9: frames: '4194305' is out of range; write 1024 to 4194304\n");
    EXPECT_EQ(problems_with_three_ports("workers: {cores: [1023]}\n"), "");
    EXPECT_EQ(problems_with_three_ports("workers: {cores: [1024]}\n"),
              "f.yaml:6:19: workers.cores[0]: '1024' is out of range; write 0 to 1023\n");
}

// What was not understood must not be judged again, and nothing else may be hidden by it.
TEST(Load, ReportsAMisreadValueOnceAndTheRestAsWell) {
    EXPECT_EQ(problems_with_three_ports("routes:\n"
                                        "  - {prefix: 10.2.0.0/99, via: [10.0.0.2]}\n"
                                        "  - {prefix: 10.2.0.1/16, via: [10.9.9.9]}\n"),
              "f.yaml:7:14: routes[0].prefix: '10.2.0.0/99' has the prefix length '99'; write /0 "
              "to /32\n"
              "f.yaml:8:14: routes[1].prefix: 10.2.0.1/16 has bits behind its length; write "
              "10.2.0.0/16\n"
              "f.yaml:8:33: routes[1].via[0]: 10.9.9.9 is in no connected subnet; there are: "
              "10.0.0.0/24 (p0), 10.0.1.0/24 (p1), fd00::/64 (p0)\n");
    // Without the port's address nobody knows where its gateway is.
    EXPECT_EQ(problems_of("switch: {name: s}\n"
                          "ports: [{name: p0, device: net_null0, addresses: [10.0.0.1]}]\n"
                          "routes: [{prefix: 10.2.0.0/16, via: 10.0.0.2}]\n"),
              "f.yaml:2:51: ports[0].addresses[0]: '10.0.0.1' has no prefix length; write "
              "10.0.0.1/32 for this one address\n");
}

TEST(Load, SaysWhyAFileCannotBeRead) {
    Problems problems;
    EXPECT_EQ(load("/no/such/file.yaml", problems), nullptr);
    EXPECT_EQ(load("/", problems), nullptr);
    EXPECT_EQ(problems.text(),
              "/: cannot be read: Is a directory\n"
              "/no/such/file.yaml: cannot be read: No such file or directory\n");
}

TEST(Load, MakesProblemsOfWhatOnlyTheMachineKnows) {
    const auto loaded = load_with_three_ports("");
    EXPECT_EQ(loaded->problem("ports[1].device", "there is no interface veth7").line(),
              "f.yaml:4:24: ports[1].device: there is no interface veth7");
}

}  // namespace
}  // namespace weir

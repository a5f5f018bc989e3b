// SPDX-License-Identifier: BSD-3-Clause
// Failure notices: each problem with its exact line, and the destination groups they are about.
#include <string>

#include <gtest/gtest.h>

#include "config/compile.h"
#include "config/validate.h"
#include "tests/unit/config/route_lookup.h"
#include "tests/unit/config/sample.h"

namespace weir {
namespace {

const std::string kKey = "key: " + std::string(64, 'a');

std::string problem(const std::string& keys) {
    const std::string text = problems_with_three_ports("notices: {" + keys + "}\n");
    const std::string start = "f.yaml:6:";
    EXPECT_TRUE(text.empty() || text.starts_with(start)) << text;
    return text.empty() ? text : text.substr(text.find(':', start.size()) + 2);
}

TEST(ValidateNotices, TheKeyIsThere) {
    EXPECT_EQ(problem(kKey), "");
    EXPECT_EQ(problem("udp_port: 1022"),
              "notices: the key 'key' is missing; write key: 64 hexadecimal digits, the same on "
              "every switch of the fabric\n");
    const std::string write =
        "notices.key: write 64 hexadecimal digits (openssl rand -hex 32), the same on every switch "
        "of the fabric\n";
    EXPECT_EQ(problem(kKey + "a"), write);
    EXPECT_EQ(problem("key: secret"), write);
}

TEST(ValidateNotices, IntervalsLeaveRoomForOneLostRefresh) {
    EXPECT_EQ(problem(kKey + ", refresh: 1ms, expiry: 2ms"), "");
    EXPECT_EQ(problem(kKey + ", refresh: 10s, expiry: 60s"), "");
    EXPECT_NE(problem(kKey + ", refresh: 999us, expiry: 2ms"), "");
    EXPECT_NE(problem(kKey + ", refresh: 1ms, expiry: 1999us"), "");
    EXPECT_NE(problem(kKey + ", refresh: 10001ms, expiry: 60s"), "");
    EXPECT_NE(problem(kKey + ", expiry: 60001ms"), "");
    EXPECT_NE(problem(kKey + ", udp_port: 0"), "");
    EXPECT_NE(problem(kKey + ", udp_port: 65536"), "");
}

const std::string kRoutes =
    "routes:\n"
    "  - {prefix: 10.4.0.0/16, via: [10.0.0.2, 10.0.1.2]}\n"
    "  - {prefix: 10.5.0.0/16, via: [10.0.0.2, 10.0.1.2]}\n"
    "  - {prefix: 10.6.0.0/16, via: [10.0.0.2]}\n"
    "  - {prefix: 10.7.0.0/16, blackhole: true}\n";

std::unique_ptr<const CompiledTables> compiled(const std::string& text,
                                               const CompiledTables* before = nullptr) {
    const auto loaded = load_good(std::string(kThreePorts) + text);
    return compile(loaded->settings, {}, before);
}

DestinationPrefix prefix(std::uint32_t address, unsigned length) {
    return {IpAddress::v4(address), static_cast<std::uint8_t>(96 + length)};
}

TEST(CompileNotices, WithoutThemThereAreNoGroups) {
    const auto tables = compiled(kRoutes);
    EXPECT_FALSE(tables->tables.notices.enabled);
    EXPECT_EQ(tables->tables.destinations.find(prefix(0x0a04'0000, 16)), kNoDestinationGroup);
    EXPECT_TRUE(tables->tables.destinations.through(0).empty());
    for (const Route& route : tables->routes) EXPECT_EQ(route.group, kNoDestinationGroup);
}

// Equal routes are told apart by their groups; a blackhole and own addresses cannot be lost.
TEST(CompileNotices, EachPrefixHasItsGroup) {
    const auto owner = compiled(kRoutes + "notices: {" + kKey + "}\n");
    const Tables& tables = owner->tables;
    EXPECT_TRUE(tables.notices.enabled);
    const std::uint32_t four = tables.destinations.find(prefix(0x0a04'0000, 16));
    const std::uint32_t five = tables.destinations.find(prefix(0x0a05'0000, 16));
    const std::uint32_t six = tables.destinations.find(prefix(0x0a06'0000, 16));
    EXPECT_NE(four, kNoDestinationGroup);
    EXPECT_NE(five, kNoDestinationGroup);
    EXPECT_NE(four, five);
    EXPECT_EQ(route_to(tables, "10.4.1.1").group, four);
    EXPECT_EQ(route_to(tables, "10.5.1.1").group, five);
    EXPECT_EQ(tables.routes[tables.destinations.groups[four].route].count, 2);
    EXPECT_EQ(tables.destinations.find(prefix(0x0a07'0000, 16)), kNoDestinationGroup);
    EXPECT_EQ(tables.destinations.find(prefix(0x0a04'0000, 17)), kNoDestinationGroup);
    EXPECT_EQ(route_to(tables, "10.7.0.1").kind, RouteKind::Blackhole);
    // Port 0: its own subnet, and the three routes; port 1: its subnets, and two of them.
    const auto has = [&](PortId port, std::uint32_t group) {
        const auto groups = tables.destinations.through(port);
        return std::count(groups.begin(), groups.end(), group);
    };
    EXPECT_EQ(has(0, four), 1);
    EXPECT_EQ(has(0, six), 1);
    EXPECT_EQ(has(1, five), 1);
    EXPECT_EQ(has(1, six), 0);
    const std::uint32_t subnet = tables.destinations.find(prefix(0x0a00'0000, 24));
    ASSERT_NE(subnet, kNoDestinationGroup);
    EXPECT_EQ(has(0, subnet), 1);
    EXPECT_EQ(has(1, subnet), 0);
}

TEST(CompileNotices, AGroupKeepsItsIndexOverReloads) {
    const std::string notices = "notices: {" + kKey + "}\n";
    const auto first = compiled(kRoutes + notices);
    const std::uint32_t five = first->tables.destinations.find(prefix(0x0a05'0000, 16));
    const auto second =
        compiled("routes: [{prefix: 10.5.0.0/16, via: 10.0.0.2}]\n" + notices, first.get());
    EXPECT_EQ(second->tables.destinations.find(prefix(0x0a05'0000, 16)), five);
    EXPECT_EQ(second->tables.destinations.find(prefix(0x0a04'0000, 16)), kNoDestinationGroup);
}

}  // namespace
}  // namespace weir

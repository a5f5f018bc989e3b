// SPDX-License-Identifier: BSD-3-Clause
#include "config/diff.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/unit/config/sample.h"

namespace weir {
namespace {

std::string lines(const std::vector<Change>& changes) {
    std::string out;
    for (const Change& change : changes) out += change.path + ": " + change.text + "\n";
    return out;
}

const std::string kBefore =
    "switch: {name: s}\n"
    "ports:\n"
    "  - {name: a, device: net_null0, speed: 25G, addresses: [10.0.0.1/24]}\n"
    "  - {name: b, device: net_null1, vlan: {native: 10, tagged: [20]}}\n";

Difference between(const std::string& before, const std::string& after) {
    return diff(load_good(before)->settings, load_good(after)->settings);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos);
    return text.replace(at, from.size(), to);
}

TEST(Diff, OfEqualSettingsIsEmpty) {
    EXPECT_TRUE(between(kBefore, kBefore).empty());
    EXPECT_TRUE(between(kBefore, "# a comment\n" + kBefore + "routes: []\n").empty());
}

TEST(Diff, NamesWhatChangesLive) {
    const Difference difference = between(
        kBefore +
            "routes:\n"
            "  - {prefix: 11.1.0.0/16, via: 10.0.0.2}\n"
            "  - {prefix: 11.2.0.0/16, via: 10.0.0.2}\n"
            "  - {prefix: 11.3.0.0/16, via: 10.0.0.2}\n"
            "macs: [{mac: 02:00:00:00:00:01, vlan: 10, port: b}]\n",
        "switch: {name: s}\n"
        "frame_bytes_max: 1600\n"
        "ports:\n"
        "  - {name: a, device: net_null0, speed: 100G, addresses: [10.0.0.1/24, 10.0.1.1/24],\n"
        "     mac: 02:00:00:00:00:09, trust: pcp, default_priority: 2, frame_bytes_max: 1500}\n"
        "  - {name: b, device: net_null1, enabled: false}\n"
        "routes:\n"
        "  - {prefix: 11.2.0.0/16, via: 10.0.0.2}\n"
        "  - {prefix: 11.1.0.0/16, via: [10.0.0.2, 10.0.0.3]}\n"
        "  - {prefix: 11.4.0.0/16, blackhole: true}\n"
        "  - {prefix: 11.5.0.0/16, blackhole: true}\n"
        "neighbors: [{address: 10.0.0.2, mac: 02:00:00:00:00:01}]\n"
        "hash: {seed: 5, dest_qp: true}\n"
        "maps: {dscp_to_priority: {26: 5}, pcp_to_priority: {1: 2}}\n"
        "queues: {limit: 2MiB}\n"
        "ageing: 10s\n"
        "neighbor_reachable: 20s\n");
    EXPECT_EQ(lines(difference.refused), "");
    EXPECT_EQ(lines(difference.live),
              "frame_bytes_max: 4200 -> 1600\n"
              "ports[0].speed: 25G -> 100G\n"
              "ports[0].frame_bytes_max: default -> 1500\n"
              "ports[0].mac: default -> 02:00:00:00:00:09\n"
              "ports[0].addresses: 10.0.0.1/24 -> 10.0.0.1/24, 10.0.1.1/24\n"
              "ports[0].trust: dscp -> pcp\n"
              "ports[0].default_priority: 0 -> 2\n"
              "ports[1].vlan: native 10, 20 -> default\n"
              "ports[1].enabled: true -> false\n"
              "routes: 2 added, 1 removed, 1 changed\n"
              "neighbors: 1 added, 0 removed, 0 changed\n"
              "macs: 0 added, 1 removed, 0 changed\n"
              "hash.seed: default -> 5\n"
              "hash.dest_qp: false -> true\n"
              "maps.dscp_to_priority: {} -> {26: 5}\n"
              "maps.pcp_to_priority: {} -> {1: 2}\n"
              "queues.limit: 1MiB -> 2MiB\n"
              "ageing: 300s -> 10s\n"
              "neighbor_reachable: 30s -> 20s\n");
}

TEST(Diff, AllOfTheBufferChangesLive) {
    const Difference difference = between(
        kBefore +
            "buffer: {lossy: {alpha: 1}}\n"
            "ecn: {3: {kmin: 1KB, kmax: 2KB, pmax: 5%}}\n",
        "switch: {name: s}\n"
        "ports:\n"
        "  - {name: a, device: net_null0, speed: 25G, addresses: [10.0.0.1/24], cable: 10.5m,\n"
        "     peer_response: 4KB, pfc: [4, 3], ecn: {0: {kmin: 1KB, kmax: 2KB, pmax: 5%}},\n"
        "     buffer: {lossy: {reserve: 1KB}}, scheduler: {strict: [], weights: {1: 2}}}\n"
        "  - {name: b, device: net_null1, vlan: {native: 10, tagged: [20]}}\n"
        "pfc: [3, 4]\n"
        "buffer: {shared: 8MiB, reaction: 20us, lossy: {limit: 1MB}, priorities: {3:\n"
        "  {headroom: auto, xon_offset: 1KB}}}\n"
        "ecn: {3: {kmin: 1KB, kmax: 3KB, pmax: 0.5%}}\n"
        "scheduler: {weights: {3: 4}}\n"
        "watchdog: {action: forward}\n"
        "hooks: {uplinks: [a], moves: {3: {first: {priority: 4, dscp: 34}, second:\n"
        "  {priority: 0, dscp: 0}}}}\n"
        "rx_guard: 50%\n");
    EXPECT_EQ(lines(difference.refused), "");
    EXPECT_EQ(lines(difference.live),
              "ports[0].cable: 5m -> 10.5m\n"
              "ports[0].peer_response: default -> 4KB\n"
              "ports[0].pfc.priorities: default -> 4, 3\n"
              "ports[0].buffer.lossy.reserve: default -> 1KB\n"
              "ports[0].ecn: {} -> {0: 1KB to 2KB 5%}\n"
              "ports[0].scheduler: default -> strict none, weights {1: 2}\n"
              "pfc.priorities: default -> 3, 4\n"
              "buffer.shared: default -> 8MiB\n"
              "buffer.reaction: default -> 20us\n"
              "buffer.lossy.alpha: 1 -> default\n"
              "buffer.lossy.limit: default -> 1MB\n"
              "buffer.priorities.3.headroom: default -> auto\n"
              "buffer.priorities.3.xon_offset: default -> 1KB\n"
              "ecn: {3: 1KB to 2KB 5%} -> {3: 1KB to 3KB 0.5%}\n"
              "scheduler: default -> strict 7, 6, weights {3: 4}\n"
              "watchdog: default -> forward after 200ms, until 200ms without a pause, looking "
              "every 100ms\n"
              "hooks: default -> uplinks a, 3 to priority 4 (DSCP 34) to priority 0 (DSCP 0)\n"
              "rx_guard: default -> 50%\n");
}

TEST(Diff, TheOrderOfRoutesMeansNothing) {
    const std::string first = "  - {prefix: 11.1.0.0/16, via: 10.0.0.2}\n";
    const std::string second = "  - {prefix: 11.2.0.0/16, via: 10.0.0.2}\n";
    EXPECT_TRUE(
        between(kBefore + "routes:\n" + first + second, kBefore + "routes:\n" + second + first)
            .empty());
}

TEST(Diff, APortMayBeCalledByAnotherName) {
    EXPECT_EQ(lines(between(kBefore, replaced(kBefore, "name: a", "name: up1")).live),
              "ports[0].name: a -> up1\n");
}

TEST(Diff, RefusesWhatIsTakenOnceAtStart) {
    const std::string restart = "; restart weir for this\n";
    const auto refused = [&](const std::string& after) {
        return lines(between(kBefore, after).refused);
    };
    EXPECT_EQ(refused(replaced(kBefore, "name: s", "name: t")), "switch.name: s -> t" + restart);
    EXPECT_EQ(refused(kBefore + "eal: [--no-huge, -m, 64]\n"),
              "eal: none -> --no-huge, -m, 64" + restart);
    EXPECT_EQ(refused(kBefore + "workers: {cores: [1, 2]}\n"),
              "workers.cores: none -> 1, 2" + restart);
    EXPECT_EQ(refused(kBefore + "frames: 2048\n"), "frames: default -> 2048" + restart);
    EXPECT_EQ(refused(kBefore + "events: /run/e\nconsole: /run/c\n"),
              "events: none -> /run/e" + restart + "console: none -> /run/c" + restart);
    EXPECT_EQ(refused(replaced(kBefore, "speed: 25G", "speed: 25G, worker: 0")),
              "ports[0].worker: default -> 0" + restart);
}

TEST(Diff, RefusesPortsByName) {
    const std::string restart = "; restart weir for this\n";
    const auto refused = [&](const std::string& after) {
        return lines(between(kBefore, after).refused);
    };
    EXPECT_EQ(refused(kBefore + "  - {name: c, device: net_null2}\n"),
              "ports[2]: port c is new" + restart);
    EXPECT_EQ(refused("switch: {name: s}\nports: [{name: b, device: net_null1}]\n"),
              "ports[0]: port b moved from place 1 of the list to 0" + restart +
                  "ports: port a is gone" + restart);
    EXPECT_EQ(refused(replaced(kBefore, "net_null1", "net_null7")),
              "ports[1].device: net_null1 -> net_null7" + restart);
}

}  // namespace
}  // namespace weir

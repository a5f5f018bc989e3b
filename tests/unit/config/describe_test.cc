// SPDX-License-Identifier: BSD-3-Clause
#include "config/describe.h"

#include <gtest/gtest.h>

#include "tests/unit/config/sample.h"

namespace weir {
namespace {

TEST(Describe, ShowsWhatWasCompiled) {
    const auto loaded = load_good(
        "switch: {name: leaf1}\n"
        "workers: {cores: [2, 3]}\n"
        "ports:\n"
        "  - {name: p0, device: net_null0, speed: 25G, addresses: [10.0.0.1/24, 'fd00::1/64']}\n"
        "  - {name: p1, device: net_null1, vlan: {native: 10, tagged: [20, 30]}, trust: pcp}\n"
        "  - {name: p2, device: net_null2, enabled: false, frame_bytes_max: 1518}\n"
        "  - {name: p3, device: net_null3, addresses: []}\n"
        "routes: [{prefix: 10.2.0.0/16, via: 10.0.0.2}]\n"
        "macs: [{mac: 02:00:00:00:00:01, vlan: 10, port: p1}]\n"
        "hash: {seed: 255, dest_qp: true}\n"
        "maps: {dscp_to_priority: {26: 5}}\n"
        "console: /run/weir/leaf1.sock\n");
    const Settings& settings = loaded->settings;
    const auto compiled = compile(settings, facts_without_devices(settings), nullptr);
    const std::string ipv4_bytes = std::to_string(compiled->ipv4_routes.bytes());
    const std::string ipv6_bytes = std::to_string(compiled->ipv6_routes.bytes());
    EXPECT_EQ(describe(settings, *compiled),
              "switch leaf1: 4 ports, 2 workers on core 2 3\n"
              "  0 p0: net_null0, 25G, frames up to 4200 B, worker 0, trusts DSCP\n"
              "      routed 10.0.0.1/24 fd00::1/64\n"
              "  1 p1: net_null1, the device's speed, frames up to 4200 B, worker 1, trusts PCP\n"
              "      bridged, native VLAN 10, tagged 20 30\n"
              "  2 p2: net_null2, the device's speed, frames up to 1518 B, worker 0, trusts DSCP, "
              "stopped\n"
              "      bridged, every VLAN\n"
              "  3 p3: net_null3, the device's speed, frames up to 4200 B, worker 1, trusts DSCP\n"
              "      routed, link-local only\n"
              "VLANs\n"
              "  VLAN 10: p1 p2\n"
              "  VLAN 20: p1 p2\n"
              "  VLAN 30: p1 p2\n"
              "  every other VLAN: p2\n"
              "1 route over 1 gateway, 2 own addresses; tries: IPv4 " +
                  ipv4_bytes + " B, IPv6 " + ipv6_bytes +
                  " B\n"
                  "0 static neighbors, 1 static MAC\n"
                  "hash: seed 255, 5-tuple and destination QP\n"
                  "DSCP to priority: 0-7: 0, 8-15: 1, 16-23: 2, 24-25: 3, 26: 5, 27-31: 3, 32-39: "
                  "4, 40-47: 5, 48-55: 6, 56-63: 7\n"
                  "PCP to priority: 0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6, 7: 7\n"
                  "buffer: shared 32MiB\n"
                  "queues: at most 1MiB each\n"
                  "ageing 300s, neighbors reachable for 30s\n"
                  "console at /run/weir/leaf1.sock\n");
}

// 25 Gb/s: 320 KiB (headroom_test.cc: AddsTheReactionTime), 10 Gb/s: 136 KiB.
TEST(Describe, ShowsGroupsMarkingAndScheduler) {
    const auto loaded = load_good(
        "switch: {name: s}\n"
        "ports:\n"
        "  - {name: p0, device: net_null0, speed: 25G, buffer: {lossless: {headroom: 64KB}},\n"
        "     ecn: {0: {kmin: 1KB, kmax: 2KB, pmax: 100%}}}\n"
        "  - {name: p1, device: net_null1, addresses: [10.0.0.1/24], scheduler: {strict: []}}\n"
        "pfc: [3, 4]\n"
        "buffer: {lossy: {limit: 1MB}, priorities: {4: {alpha: -3}}}\n"
        "ecn: {3: {kmin: 100KB, kmax: 400KB, pmax: 2.5%}}\n"
        "scheduler: {weights: {3: 4}}\n"
        "watchdog: {action: alert}\n"
        "hooks: {uplinks: [p1], moves: {3: {first: {priority: 4, dscp: 34},\n"
        "  second: {priority: 0, dscp: 0}}}}\n"
        "rx_guard: 50%\n");
    const Settings& settings = loaded->settings;
    const auto compiled = compile(settings, facts_without_devices(settings), nullptr);
    const std::string text = describe(settings, *compiled);
    const auto has = [&](const std::string& lines) {
        EXPECT_NE(text.find(lines), std::string::npos) << lines << text;
    };
    has("      bridged, every VLAN\n"
        "      priority 0 1 2 5 6 7: lossy, reserve 0B, limit 1MB\n"
        "      priority 3: lossless, reserve 8400B, alpha 2^0, headroom 64KB (less than auto, "
        "320KiB: frames may be lost), XON offset 3KB\n"
        "      priority 4: lossless, reserve 8400B, alpha 2^-3, headroom 64KB (less than auto, "
        "320KiB: frames may be lost), XON offset 3KB\n"
        "      ECN of priority 0: 1KB to 2KB, 100%\n"
        "      ECN of priority 3: 100KB to 400KB, 2.5%\n"
        "      strict 7 6, then bytes per round 0:4200 1:4200 2:4200 3:16800 4:4200 5:4200\n");
    has("alpha 2^0, headroom 136KiB (auto), XON offset 3KB\n");
    has("      bytes per round 0:4200 1:4200 2:4200 3:4200 4:4200 5:4200 6:4200 7:4200\n");
    // 4 * 8,400; 2 * 64,000 + 2 * 139,264 = 406,528.
    has("buffer: shared 16MiB, reserves 33600B, headrooms 397KiB (reaction 100us)\n"
        "watchdog: alert after 200ms, until 200ms without a pause, looking every 100ms\n"
        "hooks: uplinks p1, 3 to priority 4 (DSCP 34) to priority 0 (DSCP 0)\n"
        "rx_guard: from 128 frames in an RX ring on\n");
}

TEST(Describe, SaysWhereTheSeedComesFrom) {
    const auto loaded = load_good("switch: {name: s}\nports: [{name: p, device: net_null0}]\n");
    const auto compiled = compile(loaded->settings, {}, nullptr);
    const std::string text = describe(loaded->settings, *compiled);
    EXPECT_NE(text.find("(made of the name), 5-tuple\n"), std::string_view::npos);
    EXPECT_NE(text.find("1 port, 1 worker on the last core that is available\n"),
              std::string_view::npos);
    EXPECT_NE(text.find("  every VLAN: p\n"), std::string_view::npos);
}

}  // namespace
}  // namespace weir

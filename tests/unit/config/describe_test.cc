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
                  "queues: at most 1MiB each\n"
                  "ageing 300s, neighbors reachable for 30s\n"
                  "console at /run/weir/leaf1.sock\n");
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

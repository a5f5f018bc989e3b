// SPDX-License-Identifier: BSD-3-Clause
// The look-up, at its full size.
#include "dataplane/core/path_table.h"

#include <string>

#include <gtest/gtest.h>

#include "config/compile.h"
#include "config/load.h"
#include "tests/unit/core/path_rig.h"

namespace weir {
namespace {

// Rule n: 10.1.0.2 + n/250 -> 10.2.(n % 250).1, plain, by source port or by QP in turn.
std::string rules(unsigned count) {
    std::string text = "paths:\n";
    for (unsigned n = 0; n < count; ++n) {
        text += "- {source: 10.1." + std::to_string(n / 250) + ".2, destination: 10.2." +
                std::to_string(n % 250) + ".1, ";
        if (n % 3 == 1) text += "source_port: " + std::to_string(n) + ", ";
        if (n % 3 == 2) text += "dest_qp: " + std::to_string(n) + ", ";
        text += "via: [{port: up" + std::to_string(1 + n % 4) + "}]}\n";
    }
    return text;
}

PathFlow flow(unsigned n) {
    PathFlow flow;
    flow.source = IpAddress::v4(0x0a01'0002 + (n / 250) * 256);
    flow.destination = IpAddress::v4(0x0a02'0001 + (n % 250) * 256);
    flow.has_ports = true;
    flow.has_qp = true;
    flow.source_port = n % 3 == 1 ? n : 1;
    flow.dest_qp = n % 3 == 2 ? n : 0xff'ffff;
    return flow;
}

TEST(PathTable, SixtyFourThousandRulesAreAllFoundAndNoOther) {
    Problems problems;
    const auto loaded = load_text("rig.yaml", four_uplinks(rules(kPathRulesMax)), problems);
    ASSERT_NE(loaded, nullptr) << problems.text();
    const auto compiled = compile(loaded->settings, {}, nullptr);
    const PathTable& table = compiled->tables.paths;
    ASSERT_EQ(table.rules.size(), kPathRulesMax);
    // 64,000 rules at eight a bucket and at most half full: 16,000 buckets, 16,384 as a power of
    // two.
    EXPECT_EQ(table.bucket_mask, 16'383u);
    for (unsigned n = 0; n < kPathRulesMax; ++n) {
        ASSERT_EQ(table.find(0, flow(n)), n);
        PathFlow other = flow(n);
        other.source.low ^= 0x80;
        ASSERT_EQ(table.find(0, other), kNoPathRule) << n;
        other = flow(n);
        if (n % 3 == 1) ++other.source_port;
        if (n % 3 == 2) --other.dest_qp;
        ASSERT_EQ(table.find(0, other), n % 3 == 0 ? n : kNoPathRule);
    }
}

// How far from its bucket a rule may be: bounded for the frame path.
TEST(PathTable, LookUpsStayWithinTheirBuckets) {
    Problems problems;
    const auto loaded = load_text("rig.yaml", four_uplinks(rules(kPathRulesMax)), problems);
    ASSERT_NE(loaded, nullptr);
    const auto compiled = compile(loaded->settings, {}, nullptr);
    const PathTable& table = compiled->tables.paths;
    unsigned full = 0;
    for (const PathBucket& bucket : table.buckets) full += bucket.slots.back() != 0 ? 1 : 0;
    // 3.9 rules a bucket: one in 29 has eight or more (Poisson), and rules of those go on.
    EXPECT_LT(full * 20, table.buckets.size());
}

TEST(PathTable, LongestPrefixOfThePortWins) {
    Problems problems;
    const auto loaded = load_text("rig.yaml", four_uplinks(R"(
paths:
  - { ingress: down0, destination: 10.2.0.0/16, via: [{port: up1}] }
  - { ingress: down0, destination: 10.2.7.0/24, via: [{port: up2}] }
  - { ingress: down5, destination: 10.2.7.9/32, via: [{port: up3}] }
)"),
                                  problems);
    ASSERT_NE(loaded, nullptr) << problems.text();
    const auto compiled = compile(loaded->settings, {}, nullptr);
    const PathTable& table = compiled->tables.paths;
    PathFlow flow;
    flow.source = IpAddress::v4(0x0a01'0002);
    const auto rule = [&](PortId port, std::uint32_t to) {
        flow.destination = IpAddress::v4(to);
        return table.find(port, flow);
    };
    EXPECT_EQ(rule(0, 0x0a02'0601), 0u);
    EXPECT_EQ(rule(0, 0x0a02'0709), 1u);
    EXPECT_EQ(rule(5, 0x0a02'0709), 2u);
    EXPECT_EQ(rule(5, 0x0a02'0708), kNoPathRule);
    EXPECT_EQ(rule(1, 0x0a02'0709), kNoPathRule);
    EXPECT_EQ(rule(0, 0x0a03'0709), kNoPathRule);
}

}  // namespace
}  // namespace weir

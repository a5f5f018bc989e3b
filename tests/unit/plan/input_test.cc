// SPDX-License-Identifier: BSD-3-Clause
#include "tools/plan/input.h"

#include <gtest/gtest.h>

#include "tools/plan/plan_file.h"

namespace weir::plan {
namespace {

using Names = std::vector<std::string>;

TEST(HostList, IsExpandedAsSlurmWritesIt) {
    EXPECT_EQ(expand_hosts("gpu1"), Names{"gpu1"});
    EXPECT_EQ(expand_hosts("gpu[08-11,3]-ib"),
              (Names{"gpu08-ib", "gpu09-ib", "gpu10-ib", "gpu11-ib", "gpu3-ib"}));
    for (const char* text : {"gpu[", "gpu[]", "gpu[a]", "gpu[3-1]", "gpu[1-9999999]", "gpu[1,]"}) {
        EXPECT_TRUE(expand_hosts(text).empty()) << text;
    }
}

std::unique_ptr<Input> read(const std::string& jobs, const std::string& more = "") {
    Problems problems;
    auto input = read_input("plan.yaml",
                            "fabric: {leaf_spine: {leaves: 4, spines: 2, hosts_per_leaf: 4}}\n" +
                                more + "jobs: [" + jobs + "]\n",
                            problems);
    EXPECT_EQ(problems.text(), "");
    return input;
}

std::vector<Flow> flows(const std::string& jobs) {
    const auto input = read(jobs);
    return flows_of(input->topology, input->jobs, RuleKind::Auto);
}

// Every rail is a ring of its own: host i of 16 to i + 4, 8, ... of the same rail.
TEST(Demand, RailsAreRingsOfTheirOwn) {
    const std::vector<Flow> ring = flows("{pattern: ring_allreduce, rails: 4}");
    ASSERT_EQ(ring.size(), 16u);
    for (const Flow& flow : ring) {
        EXPECT_EQ((flow.destination - flow.source + 16) % 16, 4u);
        EXPECT_EQ(flow.rate_bps, 100'000'000'000u);
    }
}

// Four ranks on each of 8 hosts: the last rank of a host sends to the next host, the others stay.
TEST(Demand, RanksOfOneHostNeedNoNetwork) {
    EXPECT_EQ(
        flows("{pattern: ring_allreduce, ranks_per_host: 4, hosts: [h0, h4, h8, h12]}").size(), 4u);
}

// 16 hosts to all others: 15 transfers share a link of 100 Gb/s; 12 of them leave the leaf.
TEST(Demand, FlowsShareTheLinkOfTheirHost) {
    const std::vector<Flow> all = flows("{pattern: all_to_all}");
    ASSERT_EQ(all.size(), 16u * 12);
    EXPECT_EQ(all.front().rate_bps, 100'000'000'000u / 15);
}

// log2(16) = 4 steps, of which the first two stay behind a leaf of 4.
TEST(Demand, HalvingDoublingHasAPhasePerStep) {
    const std::vector<Flow> steps = flows("{pattern: halving_doubling_allreduce}");
    ASSERT_EQ(steps.size(), 32u);
    EXPECT_EQ(steps.front().phase, 2u);
    EXPECT_EQ(steps.back().phase, 3u);
}

TEST(Demand, QueuePairsWithKnownPortsAreFlowsOfTheirOwn) {
    const std::vector<Flow> two = flows("{pattern: shift, shift: 4, source_ports: [1000, 1001]}");
    ASSERT_EQ(two.size(), 32u);
    EXPECT_EQ(two[0].source_port, 1000);
    EXPECT_EQ(two[1].source_port, 1001);
    EXPECT_EQ(two[0].rate_bps, 50'000'000'000u);
}

// What is written is what is read.
TEST(PlanFileText, ReadsWhatItWrites) {
    PlanFile plan{
        .switch_name = "leaf0", .move = Move::Now, .gap = Interval::microseconds(7), .rules = {}};
    plan.rules.push_back({.source = *parse_ip("10.0.0.1"),
                          .destination = IpPrefix{*parse_ip("10.0.2.5"), 128},
                          .ingress = {},
                          .source_port = 49152,
                          .dest_qp = {},
                          .via = {"up0", "up3"},
                          .mark = {}});
    plan.rules.push_back({.source = {},
                          .destination = *parse_prefix("10.0.2.0/24"),
                          .ingress = "down1",
                          .dest_qp = {},
                          .via = {"up1"},
                          .mark = {}});
    const std::string text = text_of(plan);
    EXPECT_EQ(text,
              "plan: {version: 1, switch: leaf0, generated_by: weir-plan, move: now, gap: 7us}\n"
              "paths:\n"
              "  - {source: 10.0.0.1, destination: 10.0.2.5, source_port: 49152, "
              "via: [{port: up0}, {port: up3}]}\n"
              "  - {ingress: down1, destination: 10.0.2.0/24, via: [{port: up1}]}\n");
    Problems problems;
    EXPECT_EQ(text_of(read_plan("leaf0.yaml", text, problems)), text);
    EXPECT_EQ(problems.text(), "");
}

TEST(PlanFileText, SaysWhatARuleNeeds) {
    Problems problems;
    const std::string head = "plan: {version: 1, switch: leaf0}\npaths:\n";
    static_cast<void>(
        read_plan("a", head + "  - {destination: 10.0.0.1, via: [{port: p0}]}\n", problems));
    static_cast<void>(read_plan(
        "b", head + "  - {source: 10.0.0.2, destination: 10.0.0.0/24, via: [{port: p0}]}\n",
        problems));
    EXPECT_EQ(problems.text(),
              "a:3:5: paths[0]: a rule has either a source or an ingress\n"
              "b:3:5: paths[0]: a rule with a source has one address as its destination\n");
}

}  // namespace
}  // namespace weir::plan

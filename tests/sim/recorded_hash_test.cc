// SPDX-License-Identifier: BSD-3-Clause
// The same seed is the same run, to the last event: today, tomorrow, with another compiler.
//
// A change of behaviour, wanted or not, shows here as one line. If it is wanted, write the new
// number, and say in the commit what has changed.
#include <gtest/gtest.h>

#include "tools/lab/run.h"

namespace weir::lab {
namespace {

// 64 hosts on eight leaves and eight spines, 10 ms of independent flows and an incast beside them:
// PFC, ECN and DCQCN are at work.
constexpr const char* kTenMilliseconds = R"(
name: ten-milliseconds
fabric:
  leaf_spine: {leaves: 8, spines: 8, hosts_per_leaf: 8}
switches:
  pfc: [3]
  buffer: {shared: 4MB, reaction: 0us, lossless: {alpha: -3, headroom: auto}}
  ecn: {3: {kmin: 100KB, kmax: 400KB, pmax: 20%}}
hosts: {mtu: 1024, dcqcn: hpcc, ack_every: 16}
jobs:
  - {name: many, arrivals: websearch, load: 3%, duration: 8ms}
  - {name: incast, pattern: incast, bytes: 200KB, start: 1ms}
duration: 10ms
expect: running
)";

RunResult run(std::uint64_t seed) {
    Problems problems;
    const auto experiment = read_experiment("ten.yaml", kTenMilliseconds, problems);
    EXPECT_TRUE(experiment != nullptr) << problems.text();
    if (experiment == nullptr) return {};
    auto result = run_experiment(*experiment, {.seed = seed}, problems);
    EXPECT_TRUE(result.has_value()) << problems.text();
    if (!result) return {};
    for (const std::string& violation : result->violations) ADD_FAILURE() << violation;
    return std::move(*result);
}

TEST(RecordedHash, TenMillisecondsOf64Hosts) {
    const RunResult first = run(1);
    EXPECT_GT(first.packet_hops, 100'000u);
    EXPECT_EQ(first.lossless_drops, 0u);
    EXPECT_EQ(run(1).hash, first.hash) << "not even twice the same in one program";
    EXPECT_EQ(first.hash, 9942918106433717366u);
}

// Arrivals, source ports and first PSNs are all drawn from the seed.
TEST(RecordedHash, AnotherSeedIsAnotherRun) {
    const RunResult first = run(1);
    const RunResult second = run(2);
    EXPECT_NE(first.hash, second.hash);
    ASSERT_FALSE(first.flows.empty());
    ASSERT_FALSE(second.flows.empty());
    EXPECT_NE(first.flows[0].start_us, second.flows[0].start_us);
}

}  // namespace
}  // namespace weir::lab

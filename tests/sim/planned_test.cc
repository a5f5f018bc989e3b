// SPDX-License-Identifier: BSD-3-Clause
// What weir-plan writes for an experiment, run by the switches of that experiment.
#include <filesystem>
#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "tools/lab/run.h"
#include "tools/plan/plan_folder.h"
#include "tools/plan/planner.h"

namespace weir::lab {
namespace {

// Rings on 4 rails over 8 servers of 4 NICs, two servers behind each leaf: of 8 hosts of a leaf 4
// send to the next one, over 2 spines with 2 links each. 4 flows on 4 links.
constexpr const char* kExperiment = R"(
name: rails
fabric:
  leaf_spine: {leaves: 4, spines: 2, hosts_per_leaf: 8, links_per_pair: 2}
  plan: plans
switches: {pfc: [3]}
jobs:
  - {pattern: ring_allreduce, bytes: 64KB, hosts: [h0, h4, h8, h12, h16, h20, h24, h28]}
  - {pattern: ring_allreduce, bytes: 64KB, hosts: [h1, h5, h9, h13, h17, h21, h25, h29]}
  - {pattern: ring_allreduce, bytes: 64KB, hosts: [h2, h6, h10, h14, h18, h22, h26, h30]}
  - {pattern: ring_allreduce, bytes: 64KB, hosts: [h3, h7, h11, h15, h19, h23, h27, h31]}
)";

TEST(Planned, TheSwitchesDoWhatThePlanSays) {
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("weir_sim_plan_" + std::to_string(getpid()));
    Problems problems;
    const auto input = plan::read_input("rails.yaml", kExperiment, problems);
    ASSERT_NE(input, nullptr) << problems.text();
    const plan::Tiers tiers(input->topology);
    const plan::Plan planned = plan::make_plan(*input, tiers, nullptr);
    EXPECT_EQ(planned.flows.size(), 16u);
    plan::write_folder((folder / "plans").string(), planned.files, kExperiment);
    const auto experiment =
        read_experiment((folder / "rails.yaml").string(), kExperiment, problems);
    ASSERT_NE(experiment, nullptr) << problems.text();
    const auto result = run_experiment(*experiment, {}, problems);
    std::filesystem::remove_all(folder);
    ASSERT_TRUE(result.has_value()) << problems.text();
    EXPECT_TRUE(result->complete);
    EXPECT_TRUE(result->violations.empty());
    EXPECT_EQ(result->lossless_drops, 0u);
    // Never two flows on a link: a queue holds one frame of 1,024 + 58 B and ACKs of 62 B.
    for (const SwitchResult& one : result->switch_results) {
        EXPECT_LE(one.queue_bytes_max, 1'024u + 58u + 2 * 62u);
    }
}

}  // namespace
}  // namespace weir::lab

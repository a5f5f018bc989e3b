// SPDX-License-Identifier: BSD-3-Clause
// Sixteen pairs over sixteen uplinks, as in the experiment ecmp-collisions, with other ways to
// place them than the hash.
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "tools/lab/experiment.h"
#include "tools/lab/run.h"

namespace weir::lab {
namespace {

class PathsTest : public ::testing::Test {
  protected:
    PathsTest() {
        folder_ =
            std::filesystem::temp_directory_path() / ("weir_sim_paths_" + std::to_string(getpid()));
        std::filesystem::create_directories(folder_ / "plans");
    }
    ~PathsTest() override { std::filesystem::remove_all(folder_); }

    // Pair n by uplink n, both ways: uplinks are ports 16 to 31.
    void write_plan(unsigned leaf) const {
        std::ofstream file(folder_ / "plans" / ("leaf" + std::to_string(leaf) + ".yaml"));
        file << "paths:\n";
        for (unsigned n = 1; n <= 16; ++n) {
            const std::string host = "." + std::to_string(n) + ".2";
            file << "- {source: 10." << 1 + leaf << host << ", destination: 10." << 2 - leaf << host
                 << ", via: [{port: p" << 15 + n << "}, {port: p" << 16 + n % 16 << "}]}\n";
        }
    }

    // `fabric` and `switches`: more keys of these.
    [[nodiscard]] RunResult run(const std::string& fabric, const std::string& switches) const {
        const std::string text =
            "name: pairs\nfabric:\n  leaf_spine: {leaves: 2, spines: 16, hosts_per_leaf: 16}\n" +
            fabric + "switches:\n  pfc: [3]\n" + switches +
            "jobs:\n  - {name: pairs, pattern: shift, shift: 16, bytes: 64KB}\n";
        Problems problems;
        const auto experiment = read_experiment((folder_ / "pairs.yaml").string(), text, problems);
        EXPECT_NE(experiment, nullptr) << problems.text();
        if (experiment == nullptr) return {};
        auto result = run_experiment(*experiment, {}, problems);
        EXPECT_EQ(problems.text(), "");
        if (!result) return {};
        EXPECT_TRUE(result->complete);
        EXPECT_EQ(result->lossless_drops, 0u);
        for (const std::string& violation : result->violations) ADD_FAILURE() << violation;
        return std::move(*result);
    }

    // The fullest uplink over the mean.
    static double fullest(const RunResult& result) {
        for (const TierResult& one : result.tiers) {
            if (one.tier == "leaf > spine") return one.evenness.max_over_mean;
        }
        ADD_FAILURE() << "no such tier";
        return 0;
    }

    // Every uplink carries as many bytes as every other.
    static bool all_equal(const RunResult& result) {
        std::set<std::uint64_t> bytes;
        for (const LinkResult& link : result.links) {
            if (link.tier == "leaf > spine") bytes.insert(link.bytes);
        }
        return bytes.size() == 1;
    }

    std::filesystem::path folder_;
};

TEST_F(PathsTest, APlanGivesEachPairAnUplinkOfItsOwn) {
    write_plan(0);
    write_plan(1);
    const RunResult result = run("  plan: plans\n", "");
    EXPECT_TRUE(all_equal(result));
    // A frame has at most 1,024 + 58 B and no link is shared by two pairs' data, so that there is
    // never more than one in a queue; ACKs are 62 B.
    for (const SwitchResult& one : result.switch_results) {
        EXPECT_LE(one.queue_bytes_max, 1'024u + 58u + 62u);
    }
    EXPECT_GT(fullest(run("", "")), 1.5) << "by hash, for comparison";
}

TEST_F(PathsTest, APlanOfOneLeafIsForThatLeafAlone) {
    write_plan(0);
    const double one_planned = fullest(run("  plan: plans\n", ""));
    EXPECT_GT(one_planned, 1.0);
    EXPECT_LE(one_planned, fullest(run("", "")));
}

// Sixteen flows begin at once: each is given a port that has none yet.
TEST_F(PathsTest, AdaptiveSpreadsFlowsThatBeginTogether) {
    EXPECT_TRUE(all_equal(run("", "  selector: adaptive\n")));
}

TEST_F(PathsTest, SprayIsEven) {
    EXPECT_LT(fullest(run("", "  selector: spray\n")), 1.02);
}

// Nothing pauses for 50 us here, so flowlets are placed once, as if by hash.
TEST_F(PathsTest, FlowletsOfFlowsWithoutPausesCollide) {
    EXPECT_GT(fullest(run("", "  selector: flowlet\n")), 1.5);
}

}  // namespace
}  // namespace weir::lab

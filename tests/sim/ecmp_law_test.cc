// SPDX-License-Identifier: BSD-3-Clause
// How flows collide on equal-cost links. A hash is as good as a fair draw for each flow: what is
// expected then is exact arithmetic (balls into bins), and the core's own hash has to meet it.
#include <algorithm>
#include <cmath>
#include <cstring>

#include <gtest/gtest.h>

#include "dataplane/core/plain_roce.h"
#include "dataplane/core/prng.h"
#include "dataplane/core/wire.h"
#include "tests/sim/paced_host.h"

namespace weir::lab {
namespace {

// Mean of a sample, and by how much that mean may be off: three standard errors.
class Sample {
  public:
    void add(double value) {
        ++count_;
        const double delta = value - mean_;
        mean_ += delta / count_;
        squares_ += delta * (value - mean_);
    }
    [[nodiscard]] double mean() const { return mean_; }
    [[nodiscard]] double three_sigma() const {
        return 3 * std::sqrt(squares_ / (count_ - 1) / count_);
    }

  private:
    double count_ = 0;
    double mean_ = 0;
    double squares_ = 0;
};

// A leaf with a number of uplinks; frames enter by its only host and leave for another leaf.
class Uplinks {
  public:
    explicit Uplinks(unsigned links)
        : rig_(make_leaf_spine({.leaves = 2, .spines = links, .hosts_per_leaf = 1}, {}), {}),
          headers_(
              PacedHost::headers_of({.to = rig_.host(1).address(), .bytes = 102}, rig_.host(0))) {
        const auto& of_leaf = rig_.fabric->topology().links_of(0);
        for (unsigned i = 0; i < links; ++i) uplinks_.push_back(of_leaf[i + 1]);
        before_.resize(links);
    }

    // One frame of a flow with a source port of its own.
    void send(std::uint16_t source_port) {
        World& world = rig_.fabric->world();
        const auto length = static_cast<std::uint16_t>(headers_.size());
        Frame frame = world.pool.take(length, length);
        std::memcpy(frame.data, headers_.data(), length);
        write_be16(frame.data + plain::kUdp, source_port);
        rig_.fabric->switch_at(0).arrive(world, 0, frame);
    }
    // How many frames each uplink has carried since the last call.
    [[nodiscard]] std::vector<std::uint64_t> counts() {
        rig_.fabric->run_until(rig_.fabric->now() + Interval::microseconds(100));
        std::vector<std::uint64_t> counts;
        for (std::size_t i = 0; i < uplinks_.size(); ++i) {
            const std::uint64_t frames = rig_.fabric->cable(uplinks_[i], true).counts().frames;
            counts.push_back(frames - before_[i]);
            before_[i] = frames;
        }
        return counts;
    }

  private:
    PacedFabric rig_;
    std::vector<std::uint8_t> headers_;
    std::vector<std::uint32_t> uplinks_;
    std::vector<std::uint64_t> before_;
};

struct Law {
    unsigned flows;
    unsigned links;
    double expected_max;
    double slowest_share;
    double p_perfect;
};

class EcmpLaw : public ::testing::TestWithParam<Law> {};

// Exact values: the multinomial distribution of `flows` fair draws over `links`. expected_max:
// flows on the fullest link; slowest_share: what a flow on it gets of its fair bandwidth, (flows /
// links) / max, at most 1; p_perfect: the chance that all links have equally many.
TEST_P(EcmpLaw, HoldsForTheCoresHash) {
    constexpr unsigned kRounds = 3'000;
    const Law& law = GetParam();
    Uplinks uplinks(law.links);
    Prng prng(law.flows * 1'000 + law.links);
    Sample max;
    Sample share;
    unsigned perfect = 0;
    for (unsigned round = 0; round < kRounds; ++round) {
        for (unsigned flow = 0; flow < law.flows; ++flow) {
            uplinks.send(static_cast<std::uint16_t>(prng.below(65'536)));
        }
        const std::vector<std::uint64_t> counts = uplinks.counts();
        const auto fullest = static_cast<double>(*std::max_element(counts.begin(), counts.end()));
        const double fair = static_cast<double>(law.flows) / law.links;
        max.add(fullest);
        share.add(std::min(1.0, fair / fullest));
        perfect += fullest == fair ? 1 : 0;
    }
    EXPECT_NEAR(max.mean(), law.expected_max, max.three_sigma() + 0.0005);
    EXPECT_NEAR(share.mean(), law.slowest_share, share.three_sigma() + 0.0005);
    const double sigma = std::sqrt(law.p_perfect * (1 - law.p_perfect) / kRounds);
    EXPECT_NEAR(static_cast<double>(perfect) / kRounds, law.p_perfect, 3 * sigma + 0.00001);
}

INSTANTIATE_TEST_SUITE_P(
    Table, EcmpLaw,
    ::testing::Values(Law{2, 2, 1.500, 0.750, 0.5}, Law{4, 2, 2.750, 0.771, 0.375},
                      Law{4, 4, 2.125, 0.512, 0.09375}, Law{8, 2, 5.094, 0.809, 0.27344},
                      Law{8, 4, 3.538, 0.593, 0.03845}, Law{8, 8, 2.597, 0.410, 0.00240},
                      Law{16, 4, 6.139, 0.671, 0.01468}, Law{16, 8, 4.201, 0.497, 0.00029},
                      Law{32, 4, 10.994, 0.740, 0.00540}, Law{32, 8, 7.048, 0.583, 0.00003},
                      Law{64, 4, 20.202, 0.800, 0.00195}, Law{64, 8, 12.235, 0.665, 0}),
    [](const auto& row) {
        return std::to_string(row.param.flows) + "FlowsOn" + std::to_string(row.param.links);
    });

// 16 pairs on 16 links, each pair's traffic split over some queue pairs: the largest load over the
// mean falls as the parts get smaller.
TEST(EcmpLaw, MoreQueuePairsSpreadBetter) {
    constexpr unsigned kRounds = 1'000;
    constexpr double kMaxOverMean[] = {3.07, 2.42, 1.96, 1.67, 1.47, 1.32};  // 1, 2, 4 .. 32
    Uplinks uplinks(16);
    Prng prng(1);
    unsigned qps = 1;
    for (const double expected : kMaxOverMean) {
        Sample max_over_mean;
        for (unsigned round = 0; round < kRounds; ++round) {
            for (unsigned flow = 0; flow < 16 * qps; ++flow) {
                uplinks.send(static_cast<std::uint16_t>(prng.below(65'536)));
            }
            const std::vector<std::uint64_t> counts = uplinks.counts();
            const auto largest =
                static_cast<double>(*std::max_element(counts.begin(), counts.end()));
            max_over_mean.add(largest / qps);
        }
        // The table has two decimals.
        EXPECT_NEAR(max_over_mean.mean(), expected, max_over_mean.three_sigma() + 0.005) << qps;
        qps *= 2;
    }
}

// Three tiers, k = 8: an edge switch chooses among 4 uplinks and an aggregation switch among 4.
// With one seed for all the second choice repeats the first: of a pod's 16 links to the core only 4
// carry anything (aggregation switch i uses its i-th uplink). With seeds of their own all do.
unsigned core_links_used(HashSeeds seeds) {
    FabricOptions options;
    options.files.hash_seeds = seeds;
    PacedFabric rig(make_fat_tree({.k = 8}, {}), options);
    Fabric& fabric = *rig.fabric;
    for (std::uint16_t flow = 0; flow < 512; ++flow) {
        rig.host(0).add(fabric.world(), {.to = rig.host(127).address(),
                                         .source_port = static_cast<std::uint16_t>(flow * 101),
                                         .bytes = 102});
    }
    fabric.run_until(Time{1'000'000'000});
    EXPECT_EQ(rig.host(127).received(), 512u);
    unsigned used = 0;
    for (const Cable& cable : fabric.world().cables) {
        const std::string& from = fabric.topology().name(cable.from().node);
        const std::string& to = fabric.topology().name(cable.to().node);
        if (from.starts_with("agg") && to.starts_with("core") && cable.counts().frames != 0) ++used;
    }
    return used;
}

TEST(EcmpLaw, EqualSeedsPolariseTwoTiers) {
    EXPECT_EQ(core_links_used(HashSeeds::Equal), 4u);
    EXPECT_EQ(core_links_used(HashSeeds::Own), 16u);
}

}  // namespace
}  // namespace weir::lab

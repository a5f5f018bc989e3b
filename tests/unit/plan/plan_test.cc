// SPDX-License-Identifier: BSD-3-Clause
// Plans, seen by a walk through their tables (table_walk.h).
#include <cmath>
#include <numeric>

#include "tests/unit/plan/plan_rig.h"
#include "tools/plan/reserved_links.h"

namespace weir::plan {
namespace {

constexpr double kExact = 1e-9;

// A ring over all hosts in which no host's next is behind the same leaf.
std::vector<unsigned> ring_across(const PlanRig& rig, Prng& prng) {
    std::vector<unsigned> order(rig.input.topology.hosts());
    std::iota(order.begin(), order.end(), 0);
    shuffle(order, prng);
    const auto n = static_cast<unsigned>(order.size());
    const auto clash = [&](unsigned i) {
        return rig.leaf_of(order[i % n]) == rig.leaf_of(order[(i + 1) % n]);
    };
    for (bool again = true; again;) {
        again = false;
        for (unsigned i = 0; i < n; ++i) {
            if (!clash(i)) continue;
            std::swap(order[(i + 1) % n], order[prng.below(n)]);
            again = true;
        }
    }
    return order;
}

double ceil_of(double flows, double links) {
    return std::ceil(flows / links - kExact);
}

// Every leaf sends `load` flows for each of its links. After a failure next to a leaf its flows
// have a link less, after one of a spine all have. Where parallel links lead from a spine to a leaf
// the spine moves its flows among them, and no other switch hears of it.
void expect_even(unsigned leaves, unsigned spines, unsigned parallel, unsigned load,
                 std::uint64_t seed) {
    SCOPED_TRACE(std::to_string(leaves) + " leaves, " + std::to_string(spines) + " spines, " +
                 std::to_string(parallel) + " links, load " + std::to_string(load));
    const unsigned links = spines * parallel;
    const unsigned hosts = links * load;
    PlanRig rig(lab::make_leaf_spine({leaves, spines, hosts, parallel}, {}));
    Prng prng(seed);
    rig.add_job(ring_across(rig, prng));
    rig.make();
    const Walked walked = rig.walk();
    EXPECT_EQ(walked.by_hash + walked.lost, 0u);
    EXPECT_NEAR(walked.fullest / walked.mean, 1.0, kExact);
    EXPECT_NEAR(walked.jain, 1.0, kExact);
    EXPECT_NEAR(rig.plan.summary.fullest, load, kExact);
    EXPECT_NEAR(rig.plan.bound, load, kExact);
    EXPECT_EQ(rig.problems(), "");
    if (links == 1) return;
    const double up = ceil_of(hosts, links - 1);
    const double down = parallel == 1 ? up : ceil_of(load * parallel, parallel - 1);
    const double spine = spines == 1 ? 0 : ceil_of(hosts, links - parallel);
    for (const Failure& failure : rig.plan.failures) {
        if (failure.link == kNone && spines == 1) continue;
        Gone gone;
        if (failure.link != kNone) {
            gone.links.insert(failure.link);
        } else {
            gone.switches.insert(failure.node);
        }
        const Walked after = rig.walk(gone);
        EXPECT_EQ(after.by_hash + after.lost, 0u);
        EXPECT_NEAR(after.fullest, failure.link == kNone ? spine : std::max(up, down), kExact);
        EXPECT_NEAR(after.fullest, failure.reached, kExact);
    }
}

TEST(Plan, IsEvenForAThousandPlacements) {
    Prng prng(1);
    for (unsigned round = 0; round < 1'000; ++round) {
        const unsigned leaves = 3 + prng.below(4);
        const unsigned spines = 1 + prng.below(4);
        const unsigned parallel = 1 + prng.below(3);
        expect_even(leaves, spines, parallel, 1 + prng.below(2), round);
        if (testing::Test::HasFailure()) return;
    }
}

// The least that the leaf with most flows needs: whole flows on its links.
double best_for_leaves(const PlanRig& rig, unsigned links) {
    std::map<lab::NodeId, unsigned> out;
    std::map<lab::NodeId, unsigned> in;
    for (const Flow& flow : rig.plan.flows) {
        ++out[plan::leaf_of(rig.input.topology, flow.source)];
        ++in[plan::leaf_of(rig.input.topology, flow.destination)];
    }
    unsigned most = 0;
    for (const auto* side : {&out, &in}) {
        for (const auto& [leaf, flows] : *side) most = std::max(most, flows);
    }
    return ceil_of(most, links);
}

// The least that the fullest link can carry when one of two tiers fails and only the flows on it
// move, by trying every other spine for each. One link per leaf and spine.
class BestOfMoves {
  public:
    BestOfMoves(const PlanRig& rig, std::uint32_t link) : rig_(rig), topology_(rig.input.topology) {
        loads_.assign(rig.plan.loads.begin(), rig.plan.loads.end());
        for (std::size_t i = 0; i < rig.plan.flows.size(); ++i) {
            const Way& way = rig.plan.ways[i].primary;
            if (way.hops == 0 || (way.hop[0] / 2 != link && way.hop[1] / 2 != link)) continue;
            moved_.push_back(i);
            for (const Hop hop : way.all()) loads_[hop] -= kRate;
        }
    }
    [[nodiscard]] double least() {
        try_from(0);
        return best_;
    }

  private:
    static constexpr double kRate = 100e9;

    // NOLINTNEXTLINE(misc-no-recursion)
    void try_from(std::size_t k) {
        const double fullest = *std::max_element(loads_.begin(), loads_.end()) / kRate;
        if (fullest >= best_ - kExact) return;
        if (k == moved_.size()) {
            best_ = fullest;
            return;
        }
        const Flow& flow = rig_.plan.flows[moved_[k]];
        const Way& way = rig_.plan.ways[moved_[k]].primary;
        for (const lab::NodeId spine : rig_.tiers->leaves().upper) {
            if (spine == to_of(topology_, way.hop[0])) continue;
            const Hop up = rig_.tiers->bundle(plan::leaf_of(topology_, flow.source), spine)[0];
            const Hop down =
                rig_.tiers->bundle(spine, plan::leaf_of(topology_, flow.destination))[0];
            loads_[up] += kRate;
            loads_[down] += kRate;
            try_from(k + 1);
            loads_[up] -= kRate;
            loads_[down] -= kRate;
        }
    }

    const PlanRig& rig_;
    const lab::Topology& topology_;
    std::vector<double> loads_;
    std::vector<std::size_t> moved_;
    double best_ = kUnreachable;
};

// Several jobs on scattered hosts, some hosts idle.
TEST(Plan, IsTheBestForFragmentedJobs) {
    Prng prng(2);
    unsigned failures = 0;
    unsigned above = 0;
    for (unsigned round = 0; round < 1'000; ++round) {
        const unsigned spines = 1 + prng.below(5);
        const unsigned parallel = 1 + prng.below(2);
        const unsigned per_leaf = 2 + prng.below(9);
        PlanRig rig(lab::make_leaf_spine({2 + prng.below(6), spines, per_leaf, parallel}, {}));
        std::vector<unsigned> hosts(rig.input.topology.hosts());
        std::iota(hosts.begin(), hosts.end(), 0);
        shuffle(hosts, prng);
        std::size_t at = 0;
        for (unsigned job = 0; job < 3 && hosts.size() - at >= 2; ++job) {
            const auto left = static_cast<std::uint32_t>(hosts.size() - at);
            const std::size_t size = 2 + prng.below(left - 1);
            rig.add_job({hosts.begin() + static_cast<std::ptrdiff_t>(at),
                         hosts.begin() + static_cast<std::ptrdiff_t>(at + size)});
            at += size;
        }
        rig.make();
        const Walked walked = rig.walk();
        EXPECT_EQ(walked.by_hash + walked.lost, 0u);
        EXPECT_NEAR(walked.fullest, best_for_leaves(rig, spines * parallel), kExact) << round;
        EXPECT_EQ(rig.problems(), "");
        for (const Failure& failure : rig.plan.failures) {
            if (failure.bound >= kUnreachable) continue;
            EXPECT_GE(failure.reached, failure.bound - kExact);
            if (parallel != 1 || failure.link == kNone) continue;
            ++failures;
            const double least = BestOfMoves(rig, failure.link).least();
            EXPECT_GE(failure.reached, least - kExact);
            above += failure.reached > least + kExact ? 1 : 0;
        }
        if (testing::Test::HasFailure()) return;
    }
    // A flow has one backup for both of its links; for these failures it is not the best one.
    EXPECT_EQ(above, 39u) << failures << " failures";
}

// Racks with 1, 2, 3, ... links to each spine, and as many hosts as links.
TEST(Plan, IsEvenForUnevenRacks) {
    lab::Topology topology;
    for (unsigned l = 0; l < 4; ++l) topology.add_switch("leaf" + std::to_string(l));
    for (unsigned s = 0; s < 3; ++s) topology.add_switch("spine" + std::to_string(s));
    for (unsigned l = 0; l < 4; ++l) {
        for (unsigned h = 0; h < 3 * (l + 1); ++h) {
            topology.add_host("h" + std::to_string(topology.hosts()), l, {});
        }
        for (unsigned s = 0; s < 3; ++s) {
            for (unsigned i = 0; i <= l; ++i) topology.add_link(l, 4 + s, {});
        }
    }
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        PlanRig rig(topology);
        Prng prng(seed);
        rig.add_job(ring_across(rig, prng));
        rig.make();
        const Walked walked = rig.walk();
        EXPECT_NEAR(walked.fullest, 1, kExact);
        EXPECT_NEAR(walked.jain, 1, kExact);
    }
}

// Four leaves of 4 hosts: each of 16 sends 1/15 to 12 others behind a spine, 48 flows per leaf.
TEST(Plan, IsEvenForAllToAll) {
    for (const RuleKind rules : {RuleKind::Exact, RuleKind::Prefix}) {
        PlanRig rig(lab::make_leaf_spine({4, 4, 4, 1}, {}));
        rig.input.rules = rules;
        std::vector<unsigned> hosts(16);
        std::iota(hosts.begin(), hosts.end(), 0);
        rig.add_job(hosts, roce::Pattern::AllToAll);
        rig.make();
        EXPECT_EQ(rig.plan.flows.size(), rules == RuleKind::Exact ? 192u : 48u);
        std::vector<Sent> flows;
        for (unsigned from = 0; from < 16; ++from) {
            for (unsigned to = 0; to < 16; ++to) {
                if (rig.leaf_of(from) == rig.leaf_of(to)) continue;
                flows.push_back({rig.input.topology.host(from), rig.input.topology.host(to), 1});
            }
        }
        // 48 flows leave each leaf by 4 links: 12 each.
        const Walked walked = rig.walker->walk(flows, {});
        EXPECT_EQ(walked.by_hash + walked.lost, 0u);
        EXPECT_NEAR(walked.fullest, 12, kExact);
        EXPECT_NEAR(walked.jain, 1, kExact);
        EXPECT_EQ(rig.problems(), "");
    }
}

// Phases of halving-doubling never meet: each is even for itself.
TEST(Plan, PhasesShareLinks) {
    PlanRig rig(lab::make_leaf_spine({4, 4, 4, 1}, {}));
    std::vector<unsigned> hosts(16);
    std::iota(hosts.begin(), hosts.end(), 0);
    rig.add_job(hosts, roce::Pattern::HalvingDoublingAllReduce);
    rig.make();
    EXPECT_NEAR(rig.plan.summary.fullest, 1, kExact);
    for (unsigned phase = 0; phase < 4; ++phase) {
        std::vector<Sent> flows;
        for (const Flow& flow : rig.plan.flows) {
            if (flow.phase == phase) flows.push_back({flow.source, flow.destination, 1});
        }
        const Walked walked = rig.walker->walk(flows, {});
        EXPECT_EQ(flows.size(), phase < 2 ? 0u : 16u);  // the first two stay behind a leaf
        EXPECT_NEAR(walked.fullest, phase < 2 ? 0 : 1, kExact);
    }
}

// All ways of giving spines to a few flows, where spines have links of unlike speed.
class BestOfAll {
  public:
    explicit BestOfAll(const PlanRig& rig) : rig_(rig), loads_(rig.plan.loads.size(), 0) {}
    [[nodiscard]] double least() {
        try_from(0);
        return best_;
    }

  private:
    // NOLINTNEXTLINE(misc-no-recursion)
    void try_from(std::size_t i) {
        double fullest = 0;
        for (Hop hop = 0; hop < loads_.size(); ++hop) {
            fullest = std::max(
                fullest, loads_[hop] / static_cast<double>(rate_of(rig_.input.topology, hop)));
        }
        if (fullest >= best_ - kExact) return;
        if (i == rig_.plan.flows.size()) {
            best_ = fullest;
            return;
        }
        const Flow& flow = rig_.plan.flows[i];
        const auto rate = static_cast<double>(flow.rate_bps);
        for (const lab::NodeId spine : rig_.tiers->leaves().upper) {
            const auto leaf = [&](lab::NodeId host) {
                return plan::leaf_of(rig_.input.topology, host);
            };
            const Hop up = rig_.tiers->bundle(leaf(flow.source), spine)[0];
            const Hop down = rig_.tiers->bundle(spine, leaf(flow.destination))[0];
            loads_[up] += rate;
            loads_[down] += rate;
            try_from(i + 1);
            loads_[up] -= rate;
            loads_[down] -= rate;
        }
    }

    const PlanRig& rig_;
    std::vector<double> loads_;
    double best_ = kUnreachable;
};

TEST(Plan, IsTheBestOfAllWaysForAFewFlowsOnUnlikeLinks) {
    Prng prng(3);
    for (unsigned round = 0; round < 300; ++round) {
        lab::Topology topology;
        for (unsigned i = 0; i < 6; ++i) topology.add_switch("s" + std::to_string(i));
        for (unsigned i = 0; i < 9; ++i) topology.add_host("h" + std::to_string(i), i / 3, {});
        const unsigned fast = 1 + prng.below(3);
        for (unsigned leaf = 0; leaf < 3; ++leaf) {
            for (unsigned spine = 3; spine < 6; ++spine) {
                lab::CableOptions cable;
                if (spine == 3) cable.rate = lab::LineRate(fast * 100'000'000'000);
                topology.add_link(leaf, spine, cable);
            }
        }
        PlanRig rig(topology);
        rig.add_job(ring_across(rig, prng));
        rig.make();
        const double best = BestOfAll(rig).least();
        EXPECT_NEAR(rig.plan.summary.fullest, best, kExact) << round;
        EXPECT_LE(rig.plan.bound, best + kExact) << round;
    }
}

// Ten jobs of 8 hosts; one leaves and another comes.
struct Change {
    Change(unsigned spines, std::uint64_t seed)
        : before(lab::make_leaf_spine({11, spines, 8, 1}, {})), after(before.input.topology) {
        Prng prng(seed);
        std::vector<unsigned> hosts(88);
        std::iota(hosts.begin(), hosts.end(), 0);
        shuffle(hosts, prng);
        const auto job = [&](unsigned j) {
            return std::vector<unsigned>(hosts.begin() + 8 * j, hosts.begin() + 8 * (j + 1));
        };
        for (unsigned j = 0; j < 10; ++j) before.add_job(job(j));
        before.make();
        PathTables old(before.input);
        Problems problems;
        for (const PlanFile& file : before.plan.files) old.add("old", file, problems);
        EXPECT_TRUE(problems.empty()) << problems.text();

        for (unsigned j = 1; j < 11; ++j) after.add_job(job(j));
        after.make(&old);
        EXPECT_GT(after.plan.running, 40u);
        EXPECT_NEAR(after.plan.summary.fullest, best_for_leaves(after, spines), kExact) << seed;
        EXPECT_EQ(after.problems(), "");
    }
    PlanRig before;
    PlanRig after;
};

TEST(Plan, KeepsRunningFlowsWhereTheyAre) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        EXPECT_EQ(Change(16, seed).after.plan.moved, 0u) << seed;
    }
}

// With 8 links for up to 8 flows of a leaf hardly a new flow finds the same spine free at both of
// its ends: others must move, or a link carries two. Shortest chains of moves: 4.5 of 66 running
// flows.
TEST(Plan, MovesRunningFlowsOnlyForABetterFullestLink) {
    std::size_t moved = 0;
    std::size_t running = 0;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        const Change change(8, seed);
        moved += change.after.plan.moved;
        running += change.after.plan.running;
    }
    EXPECT_EQ(moved, 452u);
    EXPECT_EQ(running, 6'592u);
}

// What the leaf with most flows needs when the fullest phases of all jobs come together.
double best_for_phases(const PlanRig& rig, unsigned links) {
    std::map<std::pair<std::uint32_t, NodeId>, std::map<std::uint32_t, unsigned>> flows;
    for (const Flow& flow : rig.plan.flows) {
        const NodeId out = plan::leaf_of(rig.input.topology, flow.source);
        const NodeId in = plan::leaf_of(rig.input.topology, flow.destination);
        ++flows[{flow.job, 2 * out}][flow.phase];
        ++flows[{flow.job, 2 * in + 1}][flow.phase];
    }
    std::map<NodeId, unsigned> sums;
    for (const auto& [where, phases] : flows) {
        unsigned most = 0;
        for (const auto& [phase, count] : phases) most = std::max(most, count);
        sums[where.second] += most;
    }
    unsigned most = 0;
    for (const auto& [side, sum] : sums) most = std::max(most, sum);
    return ceil_of(most, links);
}

// Two or four jobs of halving-doubling and pairwise all-to-all, interleaved: each has as many hosts
// behind every leaf, in any order. Returns how many plans are above the bound.
unsigned above_bound_with_phases(unsigned jobs) {
    Prng prng(5);
    unsigned above = 0;
    for (unsigned round = 0; round < 100; ++round) {
        PlanRig rig(lab::make_leaf_spine({4, 4, 8, 2}, {}));
        for (unsigned j = 0; j < jobs; ++j) {
            std::vector<unsigned> hosts;
            for (unsigned h = 0; h < 32; ++h) {
                if (h % jobs == j) hosts.push_back(h);
            }
            shuffle(hosts, prng);
            rig.add_job(hosts, prng.below(2) == 0 ? roce::Pattern::HalvingDoublingAllReduce
                                                  : roce::Pattern::AllToAllPairwise);
        }
        rig.make();
        EXPECT_EQ(rig.problems(), "");
        const double best = best_for_phases(rig, 8);
        EXPECT_GE(rig.plan.summary.fullest, best - kExact);
        above += rig.plan.summary.fullest > best + kExact ? 1 : 0;
    }
    return above;
}

TEST(Plan, IsTheBestForTwoJobsWithPhases) {
    EXPECT_EQ(above_bound_with_phases(2), 0u);
}

TEST(Plan, IsTheBestForFourJobsWithPhases) {
    EXPECT_EQ(above_bound_with_phases(4), 0u);
}

// 8 links: jobs of 4, 3 and 1 flows fit with load 1. With one flow more they need
// ceil(4/2) + ceil(4/2) + ceil(1/2) = 5 links at load 2.
TEST(ReservedLinks, AreAsManyAsTheSmallestLoadNeeds) {
    const std::vector<unsigned> fit{4, 3, 1};
    const std::vector<Reserved> one = reserve_links(fit, 8);
    ASSERT_EQ(one.size(), 3u);
    EXPECT_EQ(one[1].first, 4u);
    EXPECT_EQ(one[2].first + one[2].count, 8u);
    const std::vector<unsigned> more{4, 4, 1};
    const std::vector<Reserved> two = reserve_links(more, 8);
    ASSERT_EQ(two.size(), 3u);
    EXPECT_EQ(two[2].first + two[2].count, 5u);
    EXPECT_TRUE(reserve_links(fit, 2).empty());
}

TEST(Plan, IsEvenInThreeTiers) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        const unsigned k = seed % 2 == 0 ? 4 : 6;
        PlanRig rig(lab::make_fat_tree({k}, {}));
        Prng prng(seed);
        rig.add_job(ring_across(rig, prng));
        rig.make();
        const Walked walked = rig.walk();
        EXPECT_EQ(walked.by_hash + walked.lost, 0u);
        EXPECT_NEAR(walked.fullest, 1, kExact);
        EXPECT_EQ(rig.problems(), "");
        for (const Failure& failure : rig.plan.failures) {
            Gone gone;
            if (failure.link != kNone) {
                gone.links.insert(failure.link);
            } else {
                gone.switches.insert(failure.node);
            }
            const Walked after = rig.walk(gone);
            EXPECT_EQ(after.lost, 0u);
            EXPECT_NEAR(after.fullest, failure.reached, kExact);
        }
        if (testing::Test::HasFailure()) return;
    }
}

}  // namespace
}  // namespace weir::plan

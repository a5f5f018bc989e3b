// SPDX-License-Identifier: BSD-3-Clause
// The engine: exact times, conservation, faults, several shards, repeatability.
#include <gtest/gtest.h>

#include "tests/sim/paced_host.h"
#include "tools/lab/checkers.h"

namespace weir::lab {
namespace {

constexpr Time kEnd{2'000'000'000};  // 2 ms

Topology two_leaves(const LinkKinds& links = {}) {
    return make_leaf_spine({.leaves = 2, .spines = 2, .hosts_per_leaf = 2}, links);
}

FabricOptions lossless_options(std::uint64_t seed = 1, const Lossless& lossless = {}) {
    FabricOptions options;
    options.seed = seed;
    options.adjust = [lossless](NodeId, CompiledTables& tables) {
        make_lossless(tables, lossless);
    };
    return options;
}

// 1,082 B and 24 B of overhead at 100 Gb/s take 1,106 * 80 ps = 88,480 ps, four times (host, leaf,
// spine, leaf), and each of the four cables 1 us.
TEST(Fabric, TimesAreExact) {
    PacedFabric rig(two_leaves(), {});
    Fabric& fabric = *rig.fabric;
    rig.host(0).add(fabric.world(), {.to = rig.host(2).address(), .bytes = 1'082});
    fabric.run_until(kEnd);
    EXPECT_EQ(rig.host(2).received(), 1u);
    EXPECT_EQ(rig.host(2).last_received().ps, 4u * (88'480 + 1'000'000));
    EXPECT_EQ(fabric.world().packet_hops, 3u);
}

// Back to back, the last of 1,000 frames is 999 serialisations behind the first: a hop never adds
// a gap. 4 hops + 999 * 88,480 ps.
TEST(Fabric, CarriesLineRate) {
    PacedFabric rig(two_leaves(), {});
    Fabric& fabric = *rig.fabric;
    rig.host(0).add(fabric.world(), {.to = rig.host(2).address(), .bytes = 1'082, .frames = 1'000});
    fabric.run_until(kEnd);
    EXPECT_EQ(rig.host(2).received(), 1'000u);
    EXPECT_EQ(rig.host(2).last_received().ps, 4u * (88'480 + 1'000'000) + 999u * 88'480);
}

TEST(Fabric, EveryShapeJoinsAllHosts) {
    const std::vector<Topology> shapes = {
        make_leaf_spine({.leaves = 3, .spines = 2, .hosts_per_leaf = 2, .links_per_pair = 2}, {}),
        make_fat_tree({.k = 4}, {}), make_ring({.switches = 5, .hosts_per_switch = 2}, {})};
    for (const Topology& topology : shapes) {
        PacedFabric rig(topology, {});
        Fabric& fabric = *rig.fabric;
        const unsigned hosts = topology.hosts();
        for (unsigned from = 0; from < hosts; ++from) {
            for (unsigned to = 0; to < hosts; ++to) {
                if (from == to) continue;
                rig.host(from).add(fabric.world(), {.to = rig.host(to).address()});
            }
        }
        fabric.run_until(kEnd);
        for (unsigned to = 0; to < hosts; ++to) EXPECT_EQ(rig.host(to).received(), hosts - 1);
        EXPECT_EQ(fabric.world().pool.in_use(), 0u);
    }
}

struct Incast {
    explicit Incast(FabricOptions options, std::uint64_t frames = 2'000)
        : rig(two_leaves(), std::move(options)), checkers(*rig.fabric, {}) {
        for (const unsigned from : {0u, 1u, 3u}) {
            rig.host(from).add(rig.fabric->world(),
                               {.to = rig.host(2).address(),
                                .source_port = static_cast<std::uint16_t>(50'000 + from),
                                .frames = frames});
        }
    }
    void run(Time end = kEnd) {
        for (Time at{}; at < end; at = at + Interval::microseconds(1)) {
            rig.fabric->run_until(at);
            checkers.check_accounts();
        }
        checkers.check_end();
    }

    PacedFabric rig;
    Checkers checkers;
};

TEST(Fabric, PfcKeepsAnIncastWhole) {
    Incast incast(lossless_options(1, {.pool_bytes = 500'000}));
    incast.run();
    EXPECT_EQ(incast.rig.host(2).received(), 6'000u);
    EXPECT_GT(incast.rig.host(0).pauses(), 0u);
    EXPECT_EQ(Checkers::lossless_drops(*incast.rig.fabric), 0u);
    EXPECT_TRUE(incast.checkers.clean()) << incast.checkers.violations().front();
}

// The checker sees what it is there for: hosts that do not obey PFC overrun the headroom.
TEST(Fabric, CheckerSeesALosslessDrop) {
    Incast incast(lossless_options(1, {.pool_bytes = 500'000}));
    for (PacedHost* host : incast.rig.hosts) host->obeys_pfc = false;
    incast.run();
    EXPECT_LT(incast.rig.host(2).received(), 6'000u);
    EXPECT_GT(Checkers::lossless_drops(*incast.rig.fabric), 0u);
    ASSERT_FALSE(incast.checkers.clean());
    EXPECT_NE(incast.checkers.violations().front().find("lossless priority dropped"),
              std::string::npos);
}

TEST(Fabric, SeveralShardsKeepEveryFrame) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        FabricOptions options = lossless_options(seed, {.pool_bytes = 1'000'000});
        options.shards = 3;
        Incast incast(options);
        incast.run();
        EXPECT_EQ(incast.rig.host(2).received(), 6'000u);
        EXPECT_TRUE(incast.checkers.clean()) << incast.checkers.violations().front();
    }
}

TEST(Fabric, AStalledWorkerLosesNothing) {
    // 20 us at 100 Gb/s are 250 KB that arrive in one burst when the worker is back.
    Incast incast(lossless_options(1, {.pool_bytes = 500'000, .headroom_bytes = 400'000}));
    Fabric& fabric = *incast.rig.fabric;
    for (unsigned i = 1; i < 6; ++i) {
        fabric.at(Time{} + Interval::microseconds(40 * i), [&fabric, i] {
            fabric.switch_at(i % 4).stall(fabric.world(), 0, Interval::microseconds(20));
        });
    }
    incast.run();
    EXPECT_EQ(incast.rig.host(2).received(), 6'000u);
    EXPECT_TRUE(incast.checkers.clean()) << incast.checkers.violations().front();
}

// One uplink of leaf0 goes down at 100 us and is noticed 50 us later: what was sent into it is cut,
// the rest takes the other spine.
TEST(Fabric, ACutLinkLosesOnlyWhatWasSentIntoIt) {
    FabricOptions options;
    options.detection = Interval::microseconds(50);
    PacedFabric rig(two_leaves(), options);
    Fabric& fabric = *rig.fabric;
    for (unsigned flow = 0; flow < 8; ++flow) {
        rig.host(0).add(fabric.world(), {.to = rig.host(2).address(),
                                         .source_port = static_cast<std::uint16_t>(50'000 + flow),
                                         .frames = 1'000,
                                         .gap = Interval::nanoseconds(1'000)});
    }
    const std::uint32_t uplink = fabric.topology().links_of(0)[2];
    fabric.at(Time{100'000'000}, [&] { fabric.set_link(uplink, false); });
    fabric.run_until(kEnd);
    const std::uint64_t cut =
        fabric.cable(uplink, true).counts().cut + fabric.cable(uplink, false).counts().cut;
    EXPECT_GT(cut, 0u);
    EXPECT_EQ(rig.host(2).received() + cut, 8'000u);
    EXPECT_EQ(fabric.world().pool.in_use(), 0u);
    // Flows of the cut link were silent for the detection time and little more.
    Interval outage{};
    for (const FlowTrack& flow : fabric.world().flows) outage = std::max(outage, flow.outage);
    EXPECT_GE(outage, Interval::microseconds(50));
    EXPECT_LT(outage, Interval::microseconds(54));
}

// Loss of 1 in 16 on the first cable: of 16,000 frames 1,000 are lost, give or take 5 standard
// deviations of sqrt(16,000 / 16 * 15 / 16) = 31.
TEST(Fabric, LossIsAsAskedFor) {
    Topology topology;
    const NodeId leaf = topology.add_switch("s0");
    topology.add_host("h0", leaf, {.loss_per_4g = 1u << 28});
    topology.add_host("h1", leaf, {});
    PacedFabric rig(topology, {});
    rig.host(0).add(rig.fabric->world(),
                    {.to = rig.host(1).address(), .bytes = 102, .frames = 16'000});
    rig.fabric->run_until(kEnd);
    EXPECT_NEAR(static_cast<double>(rig.host(1).received()), 15'000, 155);
    EXPECT_EQ(rig.fabric->cable(0, true).counts().lost + rig.host(1).received(), 16'000u);
}

std::uint64_t hash_of(std::uint64_t seed, unsigned shards) {
    FabricOptions options = lossless_options(seed, {.pool_bytes = 500'000});
    options.shards = shards;
    Incast incast(options);
    incast.rig.fabric->run_until(kEnd);
    return incast.rig.fabric->world().hash;
}

TEST(Fabric, ASeedRepeatsAndAnotherDiffers) {
    EXPECT_EQ(hash_of(1, 1), hash_of(1, 1));
    EXPECT_EQ(hash_of(7, 2), hash_of(7, 2));
    EXPECT_NE(hash_of(7, 2), hash_of(8, 2));
}

}  // namespace
}  // namespace weir::lab

// SPDX-License-Identifier: BSD-3-Clause
// Pauses that go from switch to switch, and the circle in which they never end.
#include <gtest/gtest.h>

#include "dataplane/core/pfc.h"
#include "tests/sim/paced_host.h"
#include "tools/lab/checkers.h"

namespace weir::lab {
namespace {

void run_checked(Fabric& fabric, Checkers& checkers, Time end) {
    while (fabric.now() < end) {
        fabric.run_until(fabric.now() + Interval::microseconds(10));
        checkers.check_accounts();
    }
}

// Acceptance A13: h0 -> s0 -> s1 -> h1, whose link is ten times slower. 9,243 frames of 1,082 B are
// 10 MB; at 10 Gb/s with 24 B of overhead each they take 9,243 * 1,106 * 800 ps = 8.178 ms.
TEST(Backpressure, TenMegabytesPassAPoolOfOne) {
    Topology topology;
    const NodeId s0 = topology.add_switch("s0");
    const NodeId s1 = topology.add_switch("s1");
    topology.add_host("h0", s0, {});
    topology.add_host("h1", s1, {.rate = LineRate(10'000'000'000)});
    topology.add_link(s0, s1, {});
    FabricOptions options;
    options.adjust = [](NodeId, CompiledTables& tables) {
        make_lossless(tables, {.pool_bytes = 1'000'000, .alpha_log2 = 0});
    };
    PacedFabric rig(topology, options);
    Fabric& fabric = *rig.fabric;
    constexpr std::uint64_t kFrames = 9'243;
    rig.host(0).add(fabric.world(), {.to = rig.host(1).address(), .frames = kFrames});
    Checkers checkers(fabric, {});
    run_checked(fabric, checkers, Time{9'000'000'000});
    checkers.check_end();
    EXPECT_TRUE(checkers.clean()) << checkers.violations().front();
    EXPECT_EQ(rig.host(1).received(), kFrames);
    EXPECT_GT(rig.host(0).pauses(), 0u);
    // Pauses never let the slow link run dry: its time and four microseconds on the way there.
    EXPECT_NEAR(static_cast<double>(rig.host(1).last_received().ps), kFrames * 1'106 * 800.0,
                4'000'000);
}

// Four switches in a ring and traffic from each to the one after next, all clockwise: every link is
// asked for twice its rate, and each switch's buffer waits for the next one's.
struct Circle {
    explicit Circle(bool clockwise)
        : rig(make_ring({.switches = 4, .hosts_per_switch = 1}, {}), options(clockwise)),
          checkers(*rig.fabric, {}) {
        for (unsigned from = 0; from < 4; ++from) {
            rig.host(from).add(rig.fabric->world(),
                               {.to = rig.host((from + 2) % 4).address(), .frames = 20'000});
        }
    }
    static FabricOptions options(bool clockwise) {
        FabricOptions options;
        options.adjust = [](NodeId, CompiledTables& tables) {
            make_lossless(tables, {.pool_bytes = 400'000});
        };
        for (NodeId at = 0; clockwise && at < 4; ++at) {
            options.files.routes.push_back({at, (at + 2) % 4, {(at + 1) % 4}});
        }
        // Otherwise both ways lead to switch 0 and 2 by 1, to 1 and 3 by 0 or 2: no circle.
        if (!clockwise) {
            options.files.routes = {{0, 2, {1}}, {1, 3, {2}}, {2, 0, {1}}, {3, 1, {2}}};
        }
        return options;
    }

    PacedFabric rig;
    Checkers checkers;
};

TEST(Backpressure, ACircleOfBuffersStopsAndTheCheckerSaysSo) {
    Circle circle(true);
    run_checked(*circle.rig.fabric, circle.checkers, Time{20'000'000'000});
    std::uint64_t received = 0;
    for (const PacedHost* host : circle.rig.hosts) received += host->received();
    EXPECT_LT(received, 80'000u);
    EXPECT_GE(circle.checkers.stuck_queues().size(), 4u);
    EXPECT_TRUE(circle.checkers.clean()) << circle.checkers.violations().front();
}

TEST(Backpressure, WithoutTheCircleEverythingArrives) {
    Circle circle(false);
    run_checked(*circle.rig.fabric, circle.checkers, Time{20'000'000'000});
    circle.checkers.check_end();
    for (const PacedHost* host : circle.rig.hosts) EXPECT_EQ(host->received(), 20'000u);
    EXPECT_TRUE(circle.checkers.stuck_queues().empty());
    EXPECT_TRUE(circle.checkers.clean()) << circle.checkers.violations().front();
}

// A pause that is never taken back ends by itself: 65,535 quanta of 512 bit times at 100 Gb/s are
// 335.5 us, and only then does the next frame leave. The peer is a cable that loses the resume.
TEST(Backpressure, APauseThatIsNotRefreshedExpires) {
    PacedFabric rig(make_leaf_spine({.leaves = 1, .spines = 1, .hosts_per_leaf = 2}, {}),
                    Circle::options(false));
    Fabric& fabric = *rig.fabric;
    SwitchNode& leaf = fabric.switch_at(0);
    World& world = fabric.world();
    PfcTimes times;
    times.enabled = 1 << 3;
    times.quanta[3] = kPauseQuantaMax;
    Frame pause = world.pool.take(kPfcFrameBytes, kPfcFrameBytes);
    write_pfc_frame(std::span<std::uint8_t, kPfcFrameBytes>(pause.data, kPfcFrameBytes),
                    MacAddress{2}, times);
    leaf.arrive(world, 1, pause);
    rig.host(0).add(world, {.to = rig.host(1).address()});
    fabric.run_until(Time{335'000'000});
    EXPECT_EQ(rig.host(1).received(), 0u);
    fabric.run_until(Time{340'000'000});
    EXPECT_EQ(rig.host(1).received(), 1u);
    // 65,535 * 512 * 10 ps, then one frame and one cable.
    EXPECT_EQ(rig.host(1).last_received().ps, 65'535u * 5'120 + 88'480 + 1'000'000);
}

}  // namespace
}  // namespace weir::lab

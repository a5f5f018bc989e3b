// SPDX-License-Identifier: BSD-3-Clause
// How fast the lab's engine and the core are in virtual time, without an end point: 64 hosts send
// at 95 % of line rate to one host each, through 8 leaves and 8 spines.
#include <cstdio>
#include <ctime>

#include "tests/sim/paced_host.h"

namespace weir::lab {
namespace {

int run() {
    FabricOptions options;
    options.adjust = [](NodeId, CompiledTables& tables) {
        make_lossless(tables, {.pool_bytes = 32'000'000});
    };
    PacedFabric rig(make_leaf_spine({.leaves = 8, .spines = 8, .hosts_per_leaf = 8}, {}), options);
    Fabric& fabric = *rig.fabric;
    constexpr std::uint64_t kFrames = 5'000;
    for (unsigned from = 0; from < 64; ++from) {
        rig.host(from).add(fabric.world(), {.to = rig.host((from + 8) % 64).address(),
                                            .source_port = static_cast<std::uint16_t>(from * 7),
                                            .frames = kFrames,
                                            .gap = Interval::nanoseconds(93)});
    }
    // The processor's time: the machine may have other work.
    const std::clock_t began = std::clock();
    fabric.run_until(Time{2'000'000'000});
    const double seconds = static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
    const World& world = fabric.world();
    std::printf("%.2f M events/s, %.2f M packet-hops/s (%llu events, %llu packet-hops)\n",
                static_cast<double>(world.happenings) / seconds / 1e6,
                static_cast<double>(world.packet_hops) / seconds / 1e6,
                static_cast<unsigned long long>(world.happenings),
                static_cast<unsigned long long>(world.packet_hops));
    // Three hops each, all of them through: what is measured is the whole work.
    return world.packet_hops == 64 * 3 * kFrames && world.pool.in_use() == 0 ? 0 : 1;
}

}  // namespace
}  // namespace weir::lab

int main() {
    return weir::lab::run();
}

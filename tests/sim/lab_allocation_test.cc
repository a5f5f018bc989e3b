// SPDX-License-Identifier: BSD-3-Clause
// Once its queues have found their size, the lab takes nothing from the heap for frames: not for
// data, ACK-like answers, pauses or hand-offs. A program of its own, as it replaces operator new.
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

#include <gtest/gtest.h>

#include "tests/sim/paced_host.h"

namespace {

std::atomic<std::uint64_t> allocations{0};  // relaxed: one thread

}  // namespace

void* operator new(std::size_t bytes) {
    allocations.fetch_add(1, std::memory_order_relaxed);
    if (void* memory = std::malloc(bytes)) return memory;
    throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

namespace weir::lab {
namespace {

// Eight hosts send to one on the other leaf, eight back and forth: pauses, full queues, free ones.
TEST(LabAllocation, NoneOnceTheQueuesHaveFoundTheirSize) {
    FabricOptions options;
    options.adjust = [](NodeId, CompiledTables& tables) {
        make_lossless(tables, {.pool_bytes = 1'000'000});
    };
    PacedFabric rig(make_leaf_spine({.leaves = 2, .spines = 2, .hosts_per_leaf = 8}, {}), options);
    Fabric& fabric = *rig.fabric;
    for (unsigned from = 0; from < 16; ++from) {
        rig.host(from).add(fabric.world(),
                           {.to = rig.host(from < 8 ? 8 : from - 8).address(),
                            .source_port = static_cast<std::uint16_t>(49'152 + from),
                            .frames = 1'000'000,
                            .gap = Interval::nanoseconds(100)});
    }
    fabric.run_until(Time{} + Interval::milliseconds(1));
    const std::uint64_t before = allocations.load(std::memory_order_relaxed);
    const std::uint64_t hops = fabric.world().packet_hops;
    fabric.run_until(Time{} + Interval::milliseconds(3));
    EXPECT_GT(before, 0u);
    EXPECT_EQ(allocations.load(std::memory_order_relaxed), before);
    // One of two hosts gets on at 100 Gb/s: 12,500 B/us are 11.3 frames of 1,106 B; three hops.
    EXPECT_GT(fabric.world().packet_hops - hops, 2'000u * 11u * 3u);
    EXPECT_GT(rig.host(0).pauses(), 0u) << "the incast has paused nobody";
}

}  // namespace
}  // namespace weir::lab

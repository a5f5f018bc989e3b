// SPDX-License-Identifier: BSD-3-Clause
// A route look-up in our trie and in DPDK's rte_fib: 10,000 random /24 of 10.0.0.0/8, addresses at
// random among them, a burst of 32 per turn.
#include <array>
#include <random>

#include <benchmark/benchmark.h>
#include <rte_fib.h>

#include "dataplane/core/limits.h"
#include "tests/unit/tables/eal.h"
#include "tests/unit/tables/prefix_lists.h"

namespace weir {
namespace {

constexpr std::size_t kPrefixes = 10'000;
constexpr std::size_t kAddresses = 1u << 16;  // 256 KiB: the addresses themselves stay in L2

std::vector<std::uint32_t> random_addresses(const std::vector<TriePrefix>& prefixes) {
    std::mt19937_64 random(9);
    std::vector<std::uint32_t> addresses(kAddresses);
    for (std::uint32_t& address : addresses) {
        address = prefixes[random() % prefixes.size()].address.v4_value() |
                  static_cast<std::uint32_t>(random() % 256);
    }
    return addresses;
}

void trie_burst(benchmark::State& state) {
    const auto prefixes = random_slash24(1, kPrefixes);
    const OwnedRouteTrie owned = build_route_trie(prefixes);
    const RouteTrie trie = owned.view();
    const auto addresses = random_addresses(prefixes);
    std::array<std::uint64_t, kBurstMax> routes{};
    std::size_t at = 0;
    while (state.KeepRunning()) {
        for (unsigned i = 0; i < kBurstMax; ++i) {
            routes[i] = trie.find(std::uint64_t{addresses[at + i]} << 32, 0);
        }
        benchmark::DoNotOptimize(routes);
        at = (at + kBurstMax) % kAddresses;
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * kBurstMax);
    state.counters["bytes"] = static_cast<double>(owned.bytes());
}
BENCHMARK(trie_burst);

void fib_burst(benchmark::State& state) {
    const auto prefixes = random_slash24(1, kPrefixes);
    rte_fib_conf conf{};
    conf.type = RTE_FIB_DIR24_8;
    conf.max_routes = kPrefixes;
    conf.dir24_8.nh_sz = RTE_FIB_DIR24_8_4B;
    conf.dir24_8.num_tbl8 = 256;
    rte_fib* fib = rte_fib_create("bench", -1, &conf);
    if (fib == nullptr) return state.SkipWithError("rte_fib_create failed");
    for (const TriePrefix& prefix : prefixes) {
        rte_fib_add(fib, prefix.address.v4_value(), 24, prefix.route);
    }
    auto addresses = random_addresses(prefixes);
    std::array<std::uint64_t, kBurstMax> routes{};
    std::size_t at = 0;
    while (state.KeepRunning()) {
        rte_fib_lookup_bulk(fib, &addresses[at], routes.data(), kBurstMax);
        benchmark::DoNotOptimize(routes);
        at = (at + kBurstMax) % kAddresses;
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * kBurstMax);
    rte_fib_free(fib);
}
BENCHMARK(fib_burst);

}  // namespace
}  // namespace weir

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    const weir::Eal eal;
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}

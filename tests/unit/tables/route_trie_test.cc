// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <random>

#include <gtest/gtest.h>

#include "tests/unit/tables/prefix_lists.h"

namespace weir {
namespace {

std::uint32_t find_v4(const OwnedRouteTrie& trie, std::uint32_t address) {
    return trie_find(trie, IpAddress::v4(address));
}

TEST(RouteTrie, HasNoRouteWhenItIsEmpty) {
    const OwnedRouteTrie trie = build_route_trie({});
    EXPECT_EQ(trie.root.size(), std::size_t{1} << kTrieRootBits);
    EXPECT_TRUE(trie.nodes.empty());
    EXPECT_EQ(find_v4(trie, 0), kNoRouteIndex);
    EXPECT_EQ(find_v4(trie, 0xffff'ffff), kNoRouteIndex);
    EXPECT_EQ(trie.view().find(~0ull, ~0ull), kNoRouteIndex);
}

TEST(RouteTrie, FindsTheDefaultRouteEverywhere) {
    const OwnedRouteTrie v4 = build_route_trie(std::vector{ipv4_prefix(0, 0, 7)});
    EXPECT_TRUE(v4.nodes.empty()) << "the root holds it";
    for (const std::uint32_t address : {0u, 0x0a00'0001u, 0x8000'0000u, 0xffff'ffffu}) {
        EXPECT_EQ(find_v4(v4, address), 7u);
    }
    const OwnedRouteTrie v6 = build_route_trie(std::vector{ipv6_prefix(0, 0, 0, 8)});
    EXPECT_EQ(v6.view().find(0, 0), 8u);
    EXPECT_EQ(v6.view().find(~0ull, ~0ull), 8u);
}

TEST(RouteTrie, FindsAHostRouteAndNothingBeside) {
    const OwnedRouteTrie v4 = build_route_trie(std::vector{ipv4_prefix(0xc000'0201, 32, 3)});
    EXPECT_EQ(find_v4(v4, 0xc000'0200), kNoRouteIndex);
    EXPECT_EQ(find_v4(v4, 0xc000'0201), 3u);
    EXPECT_EQ(find_v4(v4, 0xc000'0202), kNoRouteIndex);
    // 12 bits at the root, then nodes for bits 12, 18, 24 and 30.
    EXPECT_EQ(v4.nodes.size(), 4u);

    const OwnedRouteTrie v6 =
        build_route_trie(std::vector{ipv6_prefix(0x2001'0db8'0000'0000, 1, 128, 4)});
    EXPECT_EQ(v6.view().find(0x2001'0db8'0000'0000, 0), kNoRouteIndex);
    EXPECT_EQ(v6.view().find(0x2001'0db8'0000'0000, 1), 4u);
    EXPECT_EQ(v6.view().find(0x2001'0db8'0000'0000, 2), kNoRouteIndex);
    EXPECT_EQ(v6.view().find(0x2001'0db8'0000'0001, 1), kNoRouteIndex);
    // Nodes for bits 12, 18 ... 126: (126 - 12) / 6 + 1.
    EXPECT_EQ(v6.nodes.size(), 20u);
}

TEST(RouteTrie, PrefersTheLongestOfNestedPrefixesInAnyOrder) {
    std::vector<TriePrefix> prefixes;
    for (unsigned length = 0; length <= 32; ++length) {
        const std::uint32_t mask = length == 0 ? 0 : 0xffff'ffffu << (32 - length);
        prefixes.push_back(ipv4_prefix(0xc0a8'5555 & mask, length, 100 + length));
    }
    std::mt19937 random(3);
    for (unsigned round = 0; round < 5; ++round) {
        std::shuffle(prefixes.begin(), prefixes.end(), random);
        const OwnedRouteTrie trie = build_route_trie(prefixes);
        EXPECT_EQ(find_v4(trie, 0xc0a8'5555), 132u);
        // With bit n (from the top) flipped, the first n bits are right.
        for (unsigned n = 0; n < 32; ++n) {
            EXPECT_EQ(find_v4(trie, 0xc0a8'5555 ^ (0x8000'0000u >> n)), 100 + n);
        }
    }
}

TEST(RouteTrie, KeepsHolesInAWiderRoute) {
    // 10/8 with 10.1/16 inside, of which 10.1.2/24 has no route.
    const OwnedRouteTrie trie = build_route_trie(std::vector{ipv4_prefix(0x0a00'0000, 8, 1),
                                                             ipv4_prefix(0x0a01'0000, 16, 2),
                                                             ipv4_prefix(0x0a01'0200, 24, 0)});
    EXPECT_EQ(find_v4(trie, 0x09ff'ffff), kNoRouteIndex);
    EXPECT_EQ(find_v4(trie, 0x0a00'0000), 1u);
    EXPECT_EQ(find_v4(trie, 0x0a00'ffff), 1u);
    EXPECT_EQ(find_v4(trie, 0x0a01'0000), 2u);
    EXPECT_EQ(find_v4(trie, 0x0a01'01ff), 2u);
    EXPECT_EQ(find_v4(trie, 0x0a01'0200), kNoRouteIndex);
    EXPECT_EQ(find_v4(trie, 0x0a01'02ff), kNoRouteIndex);
    EXPECT_EQ(find_v4(trie, 0x0a01'0300), 2u);
    EXPECT_EQ(find_v4(trie, 0x0a02'0000), 1u);
    EXPECT_EQ(find_v4(trie, 0x0b00'0000), kNoRouteIndex);
}

// The first and last slot of the root and of a node, with a child among equal leaves: a child does
// not end a run of leaves.
TEST(RouteTrie, CountsRunsOfLeavesAcrossChildren) {
    const OwnedRouteTrie trie = build_route_trie(
        std::vector{ipv4_prefix(0x0a00'0000, 12, 5), ipv4_prefix(0x0a00'0001, 32, 6),
                    ipv4_prefix(0x0a04'0001, 32, 7), ipv4_prefix(0x0a0f'ffff, 32, 8)});
    EXPECT_EQ(find_v4(trie, 0x0a00'0000), 5u);
    EXPECT_EQ(find_v4(trie, 0x0a00'0001), 6u);
    EXPECT_EQ(find_v4(trie, 0x0a00'0002), 5u);
    EXPECT_EQ(find_v4(trie, 0x0a03'ffff), 5u);
    EXPECT_EQ(find_v4(trie, 0x0a04'0001), 7u);
    EXPECT_EQ(find_v4(trie, 0x0a05'0000), 5u);
    EXPECT_EQ(find_v4(trie, 0x0a0f'fffe), 5u);
    EXPECT_EQ(find_v4(trie, 0x0a0f'ffff), 8u);
    EXPECT_EQ(find_v4(trie, 0x0a10'0000), kNoRouteIndex);
    EXPECT_EQ(trie.nodes[0].children, (1ull << 0) | (1ull << 16) | (1ull << 63));
    EXPECT_EQ(trie.nodes[0].leaf_starts, 1ull << 1) << "one run: slots 1 to 62 but for 16";
}

// 60 to 65 is the stride that takes bits of both words: lengths from 59 to 67 are the interesting
// ones.
TEST(RouteTrie, CrossesFromTheUpperToTheLowerWord) {
    constexpr std::uint64_t kHigh = 0x2001'0db8'1234'5675;
    constexpr std::uint64_t kLow = 0x9abc'def0'1234'5678;
    std::vector<TriePrefix> prefixes;
    for (unsigned length = 58; length <= 68; ++length) {
        const std::uint64_t high = length < 64 ? kHigh & (~0ull << (64 - length)) : kHigh;
        const std::uint64_t low = length <= 64 ? 0 : kLow & (~0ull << (128 - length));
        prefixes.push_back(ipv6_prefix(high, low, length, length));
    }
    const OwnedRouteTrie owned = build_route_trie(prefixes);
    EXPECT_EQ(owned.view().find(kHigh, kLow), 68u);
    for (unsigned n = 58; n < 64; ++n) {
        EXPECT_EQ(owned.view().find(kHigh ^ (1ull << (63 - n)), kLow), n);
    }
    for (unsigned n = 64; n < 68; ++n) {
        EXPECT_EQ(owned.view().find(kHigh, kLow ^ (1ull << (127 - n))), n);
    }
    EXPECT_EQ(owned.view().find(kHigh ^ (1ull << 6), kLow), kNoRouteIndex) << "bit 57 differs";
}

TEST(RouteTrie, AgreesWithTheNaiveSearchForIpv4) {
    for (const std::uint64_t seed : {1u, 2u, 3u}) {
        const auto prefixes = random_ipv4(seed, 1'500, 0, 32);
        const OwnedRouteTrie trie = build_route_trie(prefixes);
        for (const IpAddress& address : telling_addresses(prefixes, seed)) {
            ASSERT_EQ(trie_find(trie, address), naive_find(prefixes, address))
                << "seed " << seed << " address " << std::hex << address.v4_value();
        }
    }
}

TEST(RouteTrie, AgreesWithTheNaiveSearchForIpv6) {
    for (const std::uint64_t seed : {1u, 2u, 3u}) {
        const auto prefixes = random_ipv6(seed, 1'500, 0, 128);
        const OwnedRouteTrie trie = build_route_trie(prefixes);
        for (const IpAddress& address : telling_addresses(prefixes, seed)) {
            ASSERT_EQ(trie_find(trie, address), naive_find(prefixes, address))
                << "seed " << seed << " address " << std::hex << address.high << ' ' << address.low;
        }
    }
}

// Figures for people: nothing here depends on them, but a trie that left L2 would be a surprise.
TEST(RouteTrie, HoldsTenThousandPrefixesInLittleMemory) {
    const auto report = [](const char* what, const std::vector<TriePrefix>& prefixes) {
        const std::clock_t start = std::clock();  // CPU time: others may be running
        const OwnedRouteTrie trie = build_route_trie(prefixes);
        const double took_ms = 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
        std::printf("%-28s %7zu prefixes: %8zu B, %6.1f ms\n", what, prefixes.size(), trie.bytes(),
                    took_ms);
        return trie.bytes();
    };
    const std::size_t slash24 = report("/24 in 10/8", random_slash24(1, 10'000));
    // Root 16 KiB; 16 + 1,024 nodes of 24 B at most (bits 12 and 18 of 10/8); at most two leaves
    // of 4 B per prefix.
    EXPECT_LE(slash24, 16'384u + 1'040 * 24 + 20'000 * 4);
    report("IPv4, /8 to /32", random_ipv4(2, 10'000, 8, 32));
    report("IPv4, /8 to /32", random_ipv4(3, 100'000, 8, 32));
    report("IPv6, /16 to /64", random_ipv6(4, 10'000, 16, 64));
    report("IPv6, /16 to /128", random_ipv6(5, 100'000, 16, 128));
}

}  // namespace
}  // namespace weir

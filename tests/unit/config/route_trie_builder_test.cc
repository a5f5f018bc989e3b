// SPDX-License-Identifier: BSD-3-Clause
// The trie against the definition of longest-prefix match, over random and over edge addresses.
#include "config/route_trie_builder.h"

#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/config/route_lookup.h"

namespace weir {
namespace {

std::uint32_t longest_match(const std::vector<TriePrefix>& prefixes, const IpAddress& address) {
    int best = -1;
    std::uint32_t route = kNoRouteIndex;
    for (const TriePrefix& prefix : prefixes) {
        if (prefix.length > best && contains({prefix.address, prefix.length}, address)) {
            best = prefix.length;
            route = prefix.route;
        }
    }
    return route;
}

bool has(const std::vector<TriePrefix>& prefixes, const IpPrefix& prefix) {
    for (const TriePrefix& other : prefixes) {
        if (other.address == prefix.address && other.length == prefix.length) return true;
    }
    return false;
}

TEST(RouteTrieBuilder, FindsNothingInAnEmptyTrie) {
    const OwnedRouteTrie trie = build_route_trie({});
    EXPECT_EQ(find_in(trie.view(), *parse_ip("10.0.0.1")), kNoRouteIndex);
    EXPECT_EQ(find_in(trie.view(), *parse_ip("fd00::1")), kNoRouteIndex);
    EXPECT_EQ(trie.bytes(), 4096u * 4u);
}

// Every length of one chain of prefixes, each inside the one before: at the last address of each,
// that one wins, and one behind it the next shorter does.
TEST(RouteTrieBuilder, NestsEveryLength) {
    for (const char* base : {"10.170.85.170", "fdaa:5555:aaaa:5555:aaaa:5555:aaaa:5555"}) {
        const IpAddress address = *parse_ip(base);
        const unsigned shortest = address.is_v4() ? 96 : 0;
        std::vector<TriePrefix> prefixes;
        for (unsigned length = shortest; length <= 128; ++length) {
            const IpPrefix prefix = network_of({address, static_cast<std::uint8_t>(length)});
            prefixes.push_back({prefix.address, prefix.length, length + 1});
        }
        const OwnedRouteTrie trie = build_route_trie(prefixes);
        for (const TriePrefix& prefix : prefixes) {
            for (const IpAddress& probe : {first_of({prefix.address, prefix.length}),
                                           last_of({prefix.address, prefix.length})}) {
                EXPECT_EQ(find_in(trie.view(), probe), longest_match(prefixes, probe))
                    << format(probe);
            }
        }
        EXPECT_EQ(find_in(trie.view(), address), 129u);
    }
}

class RandomTrie : public testing::TestWithParam<unsigned> {
  protected:
    std::mt19937_64 random_{GetParam()};
    const bool v4_ = GetParam() % 2 == 0;

    // Few distinct leading bits, so that prefixes nest and share nodes.
    IpAddress address() {
        const std::uint64_t high = random_() & 0xff03'0f00'0000'0007;
        return v4_ ? IpAddress::v4(static_cast<std::uint32_t>(random_()) & 0x0f0f'03ff)
                   : IpAddress{high, random_() % 4 == 0 ? random_() & 3 : random_()};
    }
    std::vector<TriePrefix> prefixes(unsigned count) {
        std::vector<TriePrefix> out;
        for (std::uint32_t route = 1; route <= count; ++route) {
            const auto length =
                static_cast<std::uint8_t>(v4_ ? 96 + random_() % 33 : random_() % 129);
            const IpPrefix prefix = network_of({address(), length});
            if (prefix.is_v4() != v4_ || has(out, prefix)) continue;
            out.push_back({prefix.address, prefix.length, route});
        }
        return out;
    }
};

TEST_P(RandomTrie, AgreesWithTheDefinition) {
    const std::vector<TriePrefix> all = prefixes(GetParam() * 8);
    const OwnedRouteTrie trie = build_route_trie(all);
    for (int i = 0; i < 500; ++i) {
        const IpAddress probe = address();
        ASSERT_EQ(find_in(trie.view(), probe), longest_match(all, probe)) << format(probe);
    }
    for (const TriePrefix& prefix : all) {
        const IpPrefix range{prefix.address, prefix.length};
        for (IpAddress probe : {first_of(range), last_of(range)}) {
            ASSERT_EQ(find_in(trie.view(), probe), longest_match(all, probe)) << format(probe);
            // One beside the range; IPv4 wraps within its 32 bits.
            probe.low = probe.low == first_of(range).low ? probe.low - 1 : probe.low + 1;
            if (v4_) probe = IpAddress::v4(probe.v4_value());
            if (probe.is_v4() != v4_) continue;
            ASSERT_EQ(find_in(trie.view(), probe), longest_match(all, probe)) << format(probe);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomTrie, testing::Range(1u, 41u));

TEST(RouteTrieBuilder, TakesPrefixesInAnyOrder) {
    std::vector<TriePrefix> prefixes;
    for (const char* text : {"10.1.2.0/24", "10.0.0.0/8", "0.0.0.0/0", "10.1.0.0/16"}) {
        const IpPrefix prefix = *parse_prefix(text);
        prefixes.push_back(
            {prefix.address, prefix.length, static_cast<std::uint32_t>(prefixes.size() + 1)});
    }
    const OwnedRouteTrie trie = build_route_trie(prefixes);
    EXPECT_EQ(find_in(trie.view(), *parse_ip("10.1.2.3")), 1u);
    EXPECT_EQ(find_in(trie.view(), *parse_ip("10.1.3.3")), 4u);
    EXPECT_EQ(find_in(trie.view(), *parse_ip("10.2.3.3")), 2u);
    EXPECT_EQ(find_in(trie.view(), *parse_ip("11.2.3.3")), 3u);
}

}  // namespace
}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
// The same prefixes and addresses in our trie and in DPDK's rte_fib, rte_rib and their IPv6 forms:
// every look-up must agree.
#include <memory>

#include <gtest/gtest.h>
#include <rte_fib.h>
#include <rte_fib6.h>
#include <rte_rib.h>
#include <rte_rib6.h>

#include "dataplane/core/wire.h"
#include "tests/unit/tables/eal.h"
#include "tests/unit/tables/prefix_lists.h"

namespace weir {
namespace {

using Fib = std::unique_ptr<rte_fib, decltype(&rte_fib_free)>;
using Fib6 = std::unique_ptr<rte_fib6, decltype(&rte_fib6_free)>;
using Rib = std::unique_ptr<rte_rib, decltype(&rte_rib_free)>;
using Rib6 = std::unique_ptr<rte_rib6, decltype(&rte_rib6_free)>;

// Without prefixes that reach up to the last address: adding one of these after others makes
// rte_fib of DPDK 22.11 write over other prefixes' entries (rte_rib and the naive search agree with
// us there).
std::vector<TriePrefix> without_the_end(std::vector<TriePrefix> prefixes) {
    std::erase_if(prefixes, [](const TriePrefix& prefix) {
        const IpAddress last = last_address(prefix);
        return last == IpAddress::v4(0xffff'ffff) || last == IpAddress{~0ull, ~0ull};
    });
    return prefixes;
}

Fib make_fib(const std::vector<TriePrefix>& prefixes) {
    rte_fib_conf conf{};
    conf.type = RTE_FIB_DIR24_8;
    conf.default_nh = kNoRouteIndex;
    conf.max_routes = static_cast<int>(prefixes.size());
    conf.dir24_8.nh_sz = RTE_FIB_DIR24_8_4B;
    conf.dir24_8.num_tbl8 = 32'768;
    Fib fib(rte_fib_create("ours", -1, &conf), rte_fib_free);
    if (!fib) return fib;
    for (const TriePrefix& prefix : prefixes) {
        const auto length = static_cast<std::uint8_t>(prefix.length - 96);
        EXPECT_EQ(rte_fib_add(fib.get(), prefix.address.v4_value(), length, prefix.route), 0);
    }
    return fib;
}

struct Bytes16 {
    std::uint8_t bytes[16];
};

Bytes16 wire_bytes(const IpAddress& address) {
    Bytes16 wire{};
    write_ipv6(wire.bytes, address);
    return wire;
}

Fib6 make_fib6(const std::vector<TriePrefix>& prefixes) {
    rte_fib6_conf conf{};
    conf.type = RTE_FIB6_TRIE;
    conf.default_nh = kNoRouteIndex;
    conf.max_routes = static_cast<int>(prefixes.size());
    conf.trie.nh_sz = RTE_FIB6_TRIE_4B;
    conf.trie.num_tbl8 = 65'536;
    Fib6 fib(rte_fib6_create("ours6", -1, &conf), rte_fib6_free);
    if (!fib) return fib;
    for (const TriePrefix& prefix : prefixes) {
        const Bytes16 wire = wire_bytes(prefix.address);
        EXPECT_EQ(rte_fib6_add(fib.get(), wire.bytes, prefix.length, prefix.route), 0);
    }
    return fib;
}

void expect_same_v4(const std::vector<TriePrefix>& prefixes, std::uint64_t seed) {
    const Fib fib = make_fib(prefixes);
    ASSERT_NE(fib, nullptr);
    const OwnedRouteTrie trie = build_route_trie(prefixes);
    for (const IpAddress& address : telling_addresses(prefixes, seed)) {
        std::uint32_t key = address.v4_value();
        std::uint64_t theirs = 0;
        ASSERT_EQ(rte_fib_lookup_bulk(fib.get(), &key, &theirs, 1), 0);
        ASSERT_EQ(trie_find(trie, address), theirs) << "address " << std::hex << key;
    }
}

void expect_same_v6(const std::vector<TriePrefix>& prefixes, std::uint64_t seed) {
    const Fib6 fib = make_fib6(prefixes);
    ASSERT_NE(fib, nullptr);
    const OwnedRouteTrie trie = build_route_trie(prefixes);
    for (const IpAddress& address : telling_addresses(prefixes, seed)) {
        Bytes16 wire = wire_bytes(address);
        std::uint64_t theirs = 0;
        ASSERT_EQ(rte_fib6_lookup_bulk(fib.get(), &wire.bytes, &theirs, 1), 0);
        ASSERT_EQ(trie_find(trie, address), theirs)
            << "address " << std::hex << address.high << ' ' << address.low;
    }
}

void expect_same_as_rib(const std::vector<TriePrefix>& prefixes, std::uint64_t seed) {
    rte_rib_conf conf{};
    conf.max_nodes = static_cast<int>(2 * prefixes.size() + 1);
    const Rib rib(rte_rib_create("ours", -1, &conf), rte_rib_free);
    ASSERT_NE(rib, nullptr);
    for (const TriePrefix& prefix : prefixes) {
        const auto length = static_cast<std::uint8_t>(prefix.length - 96);
        rte_rib_node* node = rte_rib_insert(rib.get(), prefix.address.v4_value(), length);
        ASSERT_NE(node, nullptr);
        rte_rib_set_nh(node, prefix.route);
    }
    const OwnedRouteTrie trie = build_route_trie(prefixes);
    for (const IpAddress& address : telling_addresses(prefixes, seed)) {
        std::uint64_t theirs = kNoRouteIndex;
        rte_rib_node* node = rte_rib_lookup(rib.get(), address.v4_value());
        if (node != nullptr) rte_rib_get_nh(node, &theirs);
        ASSERT_EQ(trie_find(trie, address), theirs) << "address " << std::hex << address.v4_value();
    }
}

void expect_same_as_rib6(const std::vector<TriePrefix>& prefixes, std::uint64_t seed) {
    rte_rib6_conf conf{};
    conf.max_nodes = static_cast<int>(2 * prefixes.size() + 1);
    const Rib6 rib(rte_rib6_create("ours6", -1, &conf), rte_rib6_free);
    ASSERT_NE(rib, nullptr);
    for (const TriePrefix& prefix : prefixes) {
        const Bytes16 wire = wire_bytes(prefix.address);
        rte_rib6_node* node = rte_rib6_insert(rib.get(), wire.bytes, prefix.length);
        ASSERT_NE(node, nullptr);
        rte_rib6_set_nh(node, prefix.route);
    }
    const OwnedRouteTrie trie = build_route_trie(prefixes);
    for (const IpAddress& address : telling_addresses(prefixes, seed)) {
        std::uint64_t theirs = kNoRouteIndex;
        rte_rib6_node* node = rte_rib6_lookup(rib.get(), wire_bytes(address).bytes);
        if (node != nullptr) rte_rib6_get_nh(node, &theirs);
        ASSERT_EQ(trie_find(trie, address), theirs)
            << "address " << std::hex << address.high << ' ' << address.low;
    }
}

TEST(FibComparison, FindsTheSameAmongTenThousandIpv4Prefixes) {
    expect_same_v4(without_the_end(random_ipv4(11, 10'000, 1, 32)), 11);
}

TEST(FibComparison, FindsTheSameAmongTenThousandSlash24) {
    expect_same_v4(random_slash24(12, 10'000), 12);
}

TEST(FibComparison, FindsTheSameAmongIpv6Prefixes) {
    expect_same_v6(without_the_end(random_ipv6(13, 4'000, 1, 128)), 13);
}

// What networks use: nothing longer than /64 but some host routes.
TEST(FibComparison, FindsTheSameAmongTenThousandIpv6Networks) {
    std::vector<TriePrefix> prefixes = random_ipv6(14, 10'000, 16, 64);
    for (const TriePrefix& host : random_ipv6(15, 100, 128, 128)) prefixes.push_back(host);
    expect_same_v6(without_the_end(std::move(prefixes)), 14);
}

TEST(RibComparison, FindsTheSameAmongTenThousandIpv4Prefixes) {
    expect_same_as_rib(random_ipv4(16, 10'000, 0, 32), 16);
}

TEST(RibComparison, FindsTheSameAmongTenThousandIpv6Prefixes) {
    expect_same_as_rib6(random_ipv6(17, 10'000, 0, 128), 17);
}

}  // namespace
}  // namespace weir

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    const weir::Eal eal;
    return RUN_ALL_TESTS();
}

// SPDX-License-Identifier: BSD-3-Clause
// Prefixes by hand and by chance, and a look-up that is too simple to be wrong.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "config/route_trie_builder.h"

namespace weir {

// a.b.c.d/length
[[nodiscard]] TriePrefix ipv4_prefix(std::uint32_t address, unsigned length, std::uint32_t route);
[[nodiscard]] TriePrefix ipv6_prefix(std::uint64_t high, std::uint64_t low, unsigned length,
                                     std::uint32_t route);

[[nodiscard]] IpAddress last_address(const TriePrefix& prefix);

// `count` unlike prefixes with lengths in [shortest, longest] (IPv4: of 32), routes 1, 2, 3 ... A
// third lies within a prefix drawn before, so that they nest.
[[nodiscard]] std::vector<TriePrefix> random_ipv4(std::uint64_t seed, std::size_t count,
                                                  unsigned shortest, unsigned longest);
[[nodiscard]] std::vector<TriePrefix> random_ipv6(std::uint64_t seed, std::size_t count,
                                                  unsigned shortest, unsigned longest);
// `count` unlike /24 in 10.0.0.0/8.
[[nodiscard]] std::vector<TriePrefix> random_slash24(std::uint64_t seed, std::size_t count);

// The first and last address of each prefix, those just outside, and as many random ones.
[[nodiscard]] std::vector<IpAddress> telling_addresses(std::span<const TriePrefix> prefixes,
                                                       std::uint64_t seed);

// Longest-prefix match by looking at each prefix.
[[nodiscard]] std::uint32_t naive_find(std::span<const TriePrefix> prefixes,
                                       const IpAddress& address);

// What the frame path does with an address.
[[nodiscard]] std::uint32_t trie_find(const OwnedRouteTrie& trie, const IpAddress& address);

}  // namespace weir

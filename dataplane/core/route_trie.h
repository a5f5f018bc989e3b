// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include "dataplane/core/types.h"

namespace weir {

// Longest-prefix match over addresses of up to 128 bits: a direct table of the first 12 bits, then
// strides of six bits whose 64 slots are compressed by bitmaps (the "poptrie" of Asai and Ohara,
// SIGCOMM 2015, section 3). Immutable; built by config/route_trie_builder. A /24 costs four
// dependent loads. The first 12 bits cost 16 KiB, a node 24 B: ten thousand /24 prefixes stay
// within L2.
inline constexpr unsigned kTrieRootBits = 12;
inline constexpr unsigned kTrieStrideBits = 6;
inline constexpr std::uint32_t kTrieLeaf =
    0x8000'0000;                                   // root slot: the rest is a route, not a node
inline constexpr std::uint32_t kNoRouteIndex = 0;  // routes[0] is "no route"

struct TrieNode {
    std::uint64_t children = 0;     // bit v set: slot v leads to a child node
    std::uint64_t leaf_starts = 0;  // bit v set: slot v starts a new run of equal leaves
    std::uint32_t first_child = 0;  // children of this node are consecutive nodes
    std::uint32_t first_leaf = 0;   // its leaf runs are consecutive entries of `leaves`
};
static_assert(sizeof(TrieNode) == 24);

struct RouteTrie {
    std::span<const std::uint32_t>
        root;  // 1 << kTrieRootBits slots: kTrieLeaf | route, or node index
    std::span<const TrieNode> nodes;
    std::span<const std::uint32_t> leaves;  // indexes into Tables::routes

    // `high` holds address bits 127..64 left-aligned (an IPv4 address in its upper 32 bits, the
    // rest 0).
    [[nodiscard]] std::uint32_t find(std::uint64_t high, std::uint64_t low) const {
        std::uint32_t slot = root[high >> (64 - kTrieRootBits)];
        unsigned offset = kTrieRootBits;
        while ((slot & kTrieLeaf) == 0) {
            const TrieNode& node = nodes[slot];
            const unsigned v = stride_at(high, low, offset);
            const std::uint64_t upto =
                (std::uint64_t{2} << v) - 1;  // bits 0..v; v = 63 gives all ones
            if (((node.children >> v) & 1) == 0) {
                const auto run = static_cast<std::uint32_t>(std::popcount(node.leaf_starts & upto));
                return leaves[node.first_leaf + run - 1];
            }
            slot = node.first_child +
                   static_cast<std::uint32_t>(std::popcount(node.children & upto)) - 1;
            offset += kTrieStrideBits;
        }
        return slot & ~kTrieLeaf;
    }

  private:
    // The six bits of the 128-bit address that begin `offset` bits below its top; bits beyond 128
    // are 0.
    [[nodiscard]] static unsigned stride_at(std::uint64_t high, std::uint64_t low,
                                            unsigned offset) {
        if (offset + kTrieStrideBits <= 64) [[likely]] {
            return static_cast<unsigned>(high >> (64 - kTrieStrideBits - offset)) & 63u;
        }
        if (offset < 64) {
            const unsigned from_low = offset + kTrieStrideBits - 64;
            return static_cast<unsigned>((high << from_low) | (low >> (64 - from_low))) & 63u;
        }
        const unsigned below = offset - 64;
        if (below + kTrieStrideBits <= 64) {
            return static_cast<unsigned>(low >> (64 - kTrieStrideBits - below)) & 63u;
        }
        return static_cast<unsigned>(low << (below + kTrieStrideBits - 64)) & 63u;
    }
};

}  // namespace weir

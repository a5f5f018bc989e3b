// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dataplane/core/route_trie.h"
#include "dataplane/core/types.h"

namespace weir {

struct TriePrefix {
    IpAddress address;        // without host bits
    std::uint8_t length = 0;  // IPv4: 96 + the usual, as in PortAddress
    std::uint32_t route = 0;  // index into Tables::routes
};

// A trie with the memory that its spans point to. The view stays valid when it is moved.
struct OwnedRouteTrie {
    std::vector<std::uint32_t> root;
    std::vector<TrieNode> nodes;
    std::vector<std::uint32_t> leaves;

    [[nodiscard]] RouteTrie view() const { return {root, nodes, leaves}; }
    [[nodiscard]] std::size_t bytes() const {
        return root.size() * sizeof root[0] + nodes.size() * sizeof nodes[0] +
               leaves.size() * sizeof leaves[0];
    }
};

// All prefixes of one family, each once, in any order.
[[nodiscard]] OwnedRouteTrie build_route_trie(std::span<const TriePrefix> prefixes);

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#include "config/route_trie_builder.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "dataplane/core/check.h"

namespace weir {
namespace {

// As RouteTrie::find() sees it: left-aligned, lengths from 0.
struct Key {
    std::uint64_t high;
    std::uint64_t low;
    unsigned length;
    std::uint32_t route;
};

Key key_of(const TriePrefix& prefix) {
    if (!prefix.address.is_v4()) {
        return {prefix.address.high, prefix.address.low, prefix.length, prefix.route};
    }
    return {std::uint64_t{prefix.address.v4_value()} << 32, 0, prefix.length - 96u, prefix.route};
}

// `bits` bits of the key, `offset` below its top; beyond the 128th they are 0.
unsigned bits_at(const Key& key, unsigned offset, unsigned bits) {
    const auto shifted = [&] {
        if (offset == 0) return key.high;
        if (offset < 64) return (key.high << offset) | (key.low >> (64 - offset));
        return key.low << (offset - 64);
    };
    return static_cast<unsigned>(shifted() >> (64 - bits));
}

// Keys that share their first `offset` bits and are longer than that; `route` is for addresses that
// match none of them.
struct Range {
    std::size_t first = 0;
    std::size_t last = 0;
    std::uint32_t route = kNoRouteIndex;
};

constexpr std::size_t kNodeSlots = std::size_t{1} << kTrieStrideBits;

class Builder {
  public:
    explicit Builder(std::span<const TriePrefix> prefixes) {
        keys_.reserve(prefixes.size());
        for (const TriePrefix& prefix : prefixes) keys_.push_back(key_of(prefix));
        // A shorter prefix comes before those inside it, so that they overwrite it.
        std::sort(keys_.begin(), keys_.end(), [](const Key& a, const Key& b) {
            return std::tie(a.high, a.low, a.length) < std::tie(b.high, b.low, b.length);
        });
    }

    OwnedRouteTrie build() {
        build_root();
        unsigned offset = kTrieRootBits;
        // Level by level: the children of a node are consecutive.
        std::vector<Range> level = std::move(children_);
        while (!level.empty()) {
            children_ = {};
            const std::size_t next_level = out_.nodes.size() + level.size();
            for (const Range& range : level) build_node(range, offset, next_level);
            level = std::move(children_);
            offset += kTrieStrideBits;
        }
        return std::move(out_);
    }

  private:
    void build_root() {
        out_.root.assign(std::size_t{1} << kTrieRootBits, kNoRouteIndex);
        std::vector<std::uint32_t> child_slots;
        split({0, keys_.size(), kNoRouteIndex}, 0, kTrieRootBits, out_.root,
              [&](unsigned v) { child_slots.push_back(v); });
        for (std::uint32_t& slot : out_.root) slot |= kTrieLeaf;
        for (std::uint32_t i = 0; i < child_slots.size(); ++i) out_.root[child_slots[i]] = i;
    }

    void build_node(const Range& range, unsigned offset, std::size_t next_level) {
        TrieNode node;
        node.first_child = static_cast<std::uint32_t>(next_level + children_.size());
        node.first_leaf = static_cast<std::uint32_t>(out_.leaves.size());
        std::array<std::uint32_t, kNodeSlots> routes;
        routes.fill(range.route);
        split(range, offset, kTrieStrideBits, routes,
              [&](unsigned v) { node.children |= std::uint64_t{1} << v; });
        add_leaves(routes, node);
        out_.nodes.push_back(node);
        WEIR_CHECK(next_level + children_.size() < kTrieLeaf);
    }

    // A slot with a child has no leaf and does not end a run of equal ones.
    void add_leaves(std::span<const std::uint32_t> routes, TrieNode& node) {
        for (unsigned v = 0; v < routes.size(); ++v) {
            const std::uint64_t bit = std::uint64_t{1} << v;
            if ((node.children & bit) != 0) continue;
            const bool first = out_.leaves.size() == node.first_leaf;
            if (!first && out_.leaves.back() == routes[v]) continue;
            node.leaf_starts |= bit;
            out_.leaves.push_back(routes[v]);
        }
    }

    // Writes the routes of prefixes that end within the 2^bits slots behind `offset`; what is
    // longer makes a child for its slot, slots in ascending order. When a slot's first longer key
    // comes, its route is final: every prefix that covers the slot was sorted before.
    template <typename HasChild>
    void split(const Range& range, unsigned offset, unsigned bits, std::span<std::uint32_t> routes,
               HasChild has_child) {
        std::size_t i = range.first;
        while (i < range.last) {
            const Key& key = keys_[i];
            const unsigned v = bits_at(key, offset, bits);
            if (key.length <= offset + bits) {
                const std::size_t covered = std::size_t{1} << (offset + bits - key.length);
                std::fill_n(routes.begin() + v, covered, key.route);
                ++i;
                continue;
            }
            std::size_t end = i + 1;
            while (end < range.last && bits_at(keys_[end], offset, bits) == v) ++end;
            children_.push_back({i, end, routes[v]});
            has_child(v);
            i = end;
        }
    }

    std::vector<Key> keys_;
    std::vector<Range> children_;
    OwnedRouteTrie out_;
};

}  // namespace

OwnedRouteTrie build_route_trie(std::span<const TriePrefix> prefixes) {
    return Builder(prefixes).build();
}

}  // namespace weir

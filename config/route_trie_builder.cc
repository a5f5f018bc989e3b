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
        constexpr std::size_t kSlots = std::size_t{1} << kTrieRootBits;
        std::vector<Range> slots(kSlots);
        split({0, keys_.size(), kNoRouteIndex}, 0, kTrieRootBits, slots);
        for (const Range& slot : slots) {
            if (slot.first == slot.last) {
                out_.root.push_back(kTrieLeaf | slot.route);
            } else {
                out_.root.push_back(static_cast<std::uint32_t>(children_.size()));
                children_.push_back(slot);
            }
        }
    }

    void build_node(const Range& range, unsigned offset, std::size_t next_level) {
        std::array<Range, std::size_t{1} << kTrieStrideBits> slots;
        split(range, offset, kTrieStrideBits, slots);
        TrieNode node;
        node.first_child = static_cast<std::uint32_t>(next_level + children_.size());
        node.first_leaf = static_cast<std::uint32_t>(out_.leaves.size());
        for (unsigned v = 0; v < slots.size(); ++v) {
            const std::uint64_t bit = std::uint64_t{1} << v;
            if (slots[v].first != slots[v].last) {
                node.children |= bit;
                children_.push_back(slots[v]);
            } else if (out_.leaves.size() == node.first_leaf ||
                       out_.leaves.back() != slots[v].route) {
                node.leaf_starts |= bit;
                out_.leaves.push_back(slots[v].route);
            }
        }
        out_.nodes.push_back(node);
        WEIR_CHECK(next_level + children_.size() < kTrieLeaf);
    }

    // What lies in each of the 2^bits slots behind `offset`.
    void split(const Range& range, unsigned offset, unsigned bits, std::span<Range> slots) const {
        for (Range& slot : slots) slot = {0, 0, range.route};
        for (std::size_t i = range.first; i < range.last; ++i) {
            const Key& key = keys_[i];
            const unsigned v = bits_at(key, offset, bits);
            if (key.length <= offset + bits) {
                const unsigned covered = 1u << (offset + bits - key.length);
                for (unsigned at = v; at < v + covered; ++at) slots[at].route = key.route;
            } else {
                if (slots[v].first == slots[v].last) slots[v].first = i;
                slots[v].last = i + 1;
            }
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

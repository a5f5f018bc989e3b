// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>

#include "dataplane/core/arena.h"

namespace weir {

// A set of destination groups: one bit each.
class GroupSet {
  public:
    void lay_out(Arena& arena, unsigned groups) {
        words_ = arena.take<std::uint64_t>((groups + 63) / 64);
    }
    [[nodiscard]] bool has(std::uint32_t group) const {
        return ((words_[group / 64] >> (group % 64)) & 1) != 0;
    }
    void add(std::uint32_t group) { words_[group / 64] |= std::uint64_t{1} << (group % 64); }
    void remove(std::uint32_t group) { words_[group / 64] &= ~(std::uint64_t{1} << (group % 64)); }
    void clear() { std::fill(words_.begin(), words_.end(), 0); }
    void add_all(const GroupSet& other) {
        for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
    }
    [[nodiscard]] bool empty() const {
        return std::all_of(words_.begin(), words_.end(), [](std::uint64_t w) { return w == 0; });
    }
    [[nodiscard]] unsigned size() const {
        unsigned size = 0;
        for (const std::uint64_t word : words_) size += static_cast<unsigned>(std::popcount(word));
        return size;
    }
    // The first member from `from` on; groups() when there is none.
    [[nodiscard]] std::uint32_t next(std::uint32_t from) const {
        std::size_t i = from / 64;
        if (i >= words_.size()) return groups();
        std::uint64_t word = words_[i] >> (from % 64) << (from % 64);
        while (word == 0) {
            if (++i == words_.size()) return groups();
            word = words_[i];
        }
        return static_cast<std::uint32_t>(i * 64) +
               static_cast<std::uint32_t>(std::countr_zero(word));
    }
    // Calls visit(group) for each member; it may remove the one it is at.
    template <typename Visit>
    void for_each(Visit visit) const {
        for (std::uint32_t group = next(0); group < groups(); group = next(group + 1)) visit(group);
    }
    [[nodiscard]] std::uint32_t groups() const {
        return static_cast<std::uint32_t>(words_.size() * 64);
    }

  private:
    std::span<std::uint64_t> words_;
};

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "dataplane/core/check.h"

namespace weir {

// Indexes of things that keep theirs from one compilation to the next as long as they are
// configured, so that frames and conditions may carry them across a reload. One that is freed is
// handed out again two generations later.
template <typename Key>
struct StableIndexes {
    std::vector<std::optional<Key>> keys;  // by index; none: it is free
    std::vector<std::uint64_t> freed;      // the generation that first had it free
};

template <typename Key>
class IndexCompiler {
  public:
    // Indexes from `first` on, below `indexes_max`; `previous` is null at start.
    IndexCompiler(const StableIndexes<Key>* previous, std::uint64_t generation, std::uint32_t first,
                  std::uint32_t indexes_max)
        : generation_(generation), indexes_max_(indexes_max) {
        if (previous == nullptr) {
            indexes_.keys.resize(first);
            indexes_.freed.resize(first);
            return;
        }
        previous_ = previous->keys;
        indexes_.keys.resize(previous_.size());
        indexes_.freed = previous->freed;
        for (std::uint32_t i = first; i < previous_.size(); ++i) {
            if (previous_[i]) {
                known_.emplace(*previous_[i], i);
            } else if (indexes_.freed[i] + 1 < generation) {
                // Frames in hand-off rings may carry an index over one reload, not over two.
                reusable_.push_back(i);
            }
        }
        std::reverse(reusable_.begin(), reusable_.end());  // the lowest is taken first
    }

    [[nodiscard]] std::uint32_t index_of(const Key& key) {
        const auto [at, is_new] = known_.emplace(key, kUnset);
        if (is_new) at->second = take_index();
        indexes_.keys[at->second] = key;
        return at->second;
    }

    [[nodiscard]] StableIndexes<Key> finish() {
        for (std::uint32_t i = 0; i < previous_.size(); ++i) {
            if (previous_[i] && !indexes_.keys[i]) indexes_.freed[i] = generation_;
        }
        return std::move(indexes_);
    }

  private:
    static constexpr std::uint32_t kUnset = 0xffff'ffff;

    [[nodiscard]] std::uint32_t take_index() {
        if (!reusable_.empty()) {
            const std::uint32_t index = reusable_.back();
            reusable_.pop_back();
            return index;
        }
        // What may be configured leaves room for the sets of two reloads before.
        WEIR_CHECK(indexes_.keys.size() < indexes_max_);
        indexes_.keys.emplace_back();
        indexes_.freed.push_back(0);
        return static_cast<std::uint32_t>(indexes_.keys.size() - 1);
    }

    std::uint64_t generation_;
    std::uint32_t indexes_max_;
    std::vector<std::optional<Key>> previous_;
    StableIndexes<Key> indexes_;
    std::vector<std::uint32_t> reusable_;
    std::map<Key, std::uint32_t> known_;
};

}  // namespace weir

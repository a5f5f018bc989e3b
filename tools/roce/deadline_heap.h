// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dataplane/core/time.h"

namespace weir::roce {

// Queue pairs by the instant at which each wants to be looked at, the earliest first; at one
// instant by index, so that a run repeats.
class DeadlineHeap {
  public:
    struct Entry {
        Time at{};
        std::uint32_t index = 0;
    };

    [[nodiscard]] bool empty() const { return entries_.empty(); }
    [[nodiscard]] const Entry& first() const { return entries_.front(); }

    void push(Time at, std::uint32_t index) {
        entries_.push_back({at, index});
        std::push_heap(entries_.begin(), entries_.end(), later);
    }
    void pop() {
        std::pop_heap(entries_.begin(), entries_.end(), later);
        entries_.pop_back();
    }

  private:
    static bool later(const Entry& a, const Entry& b) {
        return b.at < a.at || (a.at == b.at && b.index < a.index);
    }

    std::vector<Entry> entries_;
};

}  // namespace weir::roce

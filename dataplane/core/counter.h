// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

namespace weir {

// A monotonic counter with one writer. Readers on other threads see a value of some recent moment;
// an add is a plain load, add and store (no locked instruction).
class Counter {
  public:
    void add(std::uint64_t n) {
        // Relaxed: a counter publishes nothing but itself.
        value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
    }
    [[nodiscard]] std::uint64_t read() const { return value_.load(std::memory_order_relaxed); }

  private:
    std::atomic<std::uint64_t> value_{0};
};

static_assert(sizeof(Counter) == 8 && std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>

#include "dataplane/core/check.h"

namespace weir {

// A vector of at most N plain items, held in place. The caller leaves room; a push over N stops the
// program.
template <typename T, std::size_t N>
class Bounded {
  public:
    void push(const T& item) {
        WEIR_CHECK(size_ < N);
        items_[size_++] = item;
    }
    // An item to be filled in by the caller.
    [[nodiscard]] T& push_slot() {
        WEIR_CHECK(size_ < N);
        return items_[size_++];
    }
    [[nodiscard]] std::span<T> all() { return {items_, size_}; }
    [[nodiscard]] std::span<const T> all() const { return {items_, size_}; }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::size_t room() const { return N - size_; }
    [[nodiscard]] bool empty() const { return size_ == 0; }
    void clear() { size_ = 0; }

  private:
    std::size_t size_ = 0;
    T items_[N];  // left uninitialised: only [0, size_) is ever read
};

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "dataplane/core/check.h"

namespace weir::roce {

// First in, first out, with access by position. Grows by doubling and never shrinks, so that a
// queue that has found its size allocates no more.
template <typename T>
class Fifo {
  public:
    [[nodiscard]] bool empty() const { return size_ == 0; }
    [[nodiscard]] std::size_t size() const { return size_; }

    [[nodiscard]] T& operator[](std::size_t position) { return items_[index(position)]; }
    [[nodiscard]] const T& operator[](std::size_t position) const {
        return items_[index(position)];
    }
    [[nodiscard]] T& front() { return (*this)[0]; }
    [[nodiscard]] const T& front() const { return (*this)[0]; }
    [[nodiscard]] T& back() { return (*this)[size_ - 1]; }
    [[nodiscard]] const T& back() const { return (*this)[size_ - 1]; }

    void push(T item) {
        if (size_ == items_.size()) grow();
        ++size_;
        back() = std::move(item);
    }
    void pop() {
        WEIR_CHECK(size_ > 0);
        first_ = index(1);
        --size_;
    }
    void pop_back() {
        WEIR_CHECK(size_ > 0);
        --size_;
    }
    void clear() { size_ = 0; }

  private:
    // The number of places is a power of two.
    [[nodiscard]] std::size_t index(std::size_t position) const {
        return (first_ + position) & (items_.size() - 1);
    }
    void grow() {
        std::vector<T> larger(items_.empty() ? 4 : 2 * items_.size());
        for (std::size_t i = 0; i < size_; ++i) larger[i] = std::move((*this)[i]);
        items_ = std::move(larger);
        first_ = 0;
    }

    std::vector<T> items_;
    std::size_t first_ = 0;
    std::size_t size_ = 0;
};

}  // namespace weir::roce

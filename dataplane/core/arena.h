// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

#include "dataplane/core/check.h"

namespace weir {

// Hands out arrays from one block of memory that the caller owns (hugepages in the switch, plain
// heap in tests and the lab), once, at start. With a null block it only counts, so the same code
// that lays out a shard also says how many bytes it needs.
class Arena {
  public:
    explicit Arena(std::span<std::byte> block) : block_(block) {}

    template <typename T>
    [[nodiscard]] std::span<T> take(std::size_t count) {
        T* items = place<T>(count);
        if (items == nullptr) return {};
        std::uninitialized_value_construct_n(items, count);
        return {std::launder(items), count};
    }
    // As take(), but the items keep whatever the memory holds: for types that are written before
    // they are read.
    template <typename T>
    [[nodiscard]] std::span<T> take_raw(std::size_t count) {
        static_assert(std::is_trivially_destructible_v<T>);
        T* items = place<T>(count);
        return items == nullptr ? std::span<T>{} : std::span<T>{items, count};
    }
    [[nodiscard]] std::size_t used_bytes() const { return used_; }

    static constexpr std::size_t kAlign = 64;  // the block itself must be aligned to this

  private:
    template <typename T>
    [[nodiscard]] T* place(std::size_t count) {
        used_ = (used_ + kAlign - 1) / kAlign * kAlign;
        const std::size_t first = used_;
        used_ += count * sizeof(T);
        if (block_.data() == nullptr) return nullptr;
        WEIR_CHECK(used_ <= block_.size());
        return reinterpret_cast<T*>(block_.data() + first);
    }

    std::span<std::byte> block_;
    std::size_t used_ = 0;
};

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
// Objects in EAL's memory (hugepages where there are any): what workers touch on every frame.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <utility>

#include <rte_lcore.h>
#include <rte_malloc.h>

namespace weir {

struct HugeDelete {
    template <typename T>
    void operator()(T* object) const {
        object->~T();
        rte_free(object);
    }
};

template <typename T>
using HugePointer = std::unique_ptr<T, HugeDelete>;

// Null when memory is short.
template <typename T, typename... Arguments>
[[nodiscard]] HugePointer<T> make_huge(Arguments&&... arguments) {
    void* memory = rte_zmalloc_socket("weir", sizeof(T), alignof(T) < 64 ? 64 : alignof(T),
                                      static_cast<int>(rte_socket_id()));
    if (memory == nullptr) return nullptr;
    return HugePointer<T>(new (memory) T(std::forward<Arguments>(arguments)...));
}

// A zeroed block, aligned to a cache line.
class HugeBlock {
  public:
    HugeBlock() = default;
    explicit HugeBlock(std::size_t bytes)
        : memory_(static_cast<std::byte*>(
              rte_zmalloc_socket("weir", bytes, 64, static_cast<int>(rte_socket_id())))),
          bytes_(memory_ ? bytes : 0) {}
    [[nodiscard]] std::span<std::byte> bytes() const { return {memory_.get(), bytes_}; }

  private:
    struct Free {
        void operator()(std::byte* memory) const { rte_free(memory); }
    };
    std::unique_ptr<std::byte, Free> memory_;
    std::size_t bytes_ = 0;
};

}  // namespace weir

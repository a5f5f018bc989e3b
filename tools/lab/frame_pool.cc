// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lab/frame_pool.h"

#include <new>

namespace weir::lab {

void FramePool::grow(SizeClass& sizes) {
    constexpr std::size_t kSlotsPerBlock = 1'024;
    constexpr std::size_t kLine = alignof(Slot);
    const std::size_t used = sizeof(Slot) + kFrameHeadroomBytes + sizes.capacity;
    const std::size_t stride = (used + kLine - 1) / kLine * kLine;
    // Left uninitialised: of a long slot only what is written costs memory.
    std::unique_ptr<std::byte[], AlignedFree> block(new (std::align_val_t{kLine})
                                                        std::byte[kSlotsPerBlock * stride]);
    for (std::size_t i = kSlotsPerBlock; i > 0; --i) {
        Slot* slot = new (block.get() + (i - 1) * stride) Slot;
        slot->capacity = sizes.capacity;
        slot->next_free = sizes.free;
        sizes.free = slot;
    }
    blocks_.push_back(std::move(block));
}

}  // namespace weir::lab

// SPDX-License-Identifier: BSD-3-Clause
// The lab's frames: memory for headers only, so that big fabrics fit, and what the lab itself knows
// of a frame, which no switch sees.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "dataplane/core/check.h"
#include "dataplane/core/frame.h"
#include "dataplane/core/limits.h"
#include "dataplane/core/types.h"

namespace weir::lab {

inline constexpr std::uint32_t kNoFlow = 0xffff'ffff;

// Headers of the longest frame with data: Ethernet 14, tag 4, IPv6 40, UDP 8, BTH 12, DETH or RETH
// and immediate 20, AETH 4 are 102 B.
inline constexpr std::uint16_t kHeaderBytesMax = 128;

// What stands in front of a frame's bytes: a cache line of its own, so that a hop touches two (this
// and the headers). Its address is the frame's handle.
struct alignas(64) Slot {
    Slot* next_free = nullptr;
    std::uint64_t number = 0;      // of the frame within its flow, as it left the host; from 1
    std::uint32_t flow = kNoFlow;  // kNoFlow: made by a switch, or no data
    std::uint16_t capacity = 0;    // bytes behind the headroom
    bool lossless = false;         // no switch may drop it
    bool in_use = false;           // a frame freed twice stops the program

    [[nodiscard]] std::uint8_t* bytes() {
        return reinterpret_cast<std::uint8_t*>(this + 1) + kFrameHeadroomBytes;
    }
};
static_assert(sizeof(Slot) == 64);

// Frames by size class, from blocks that are never given back. No allocation once the run has
// reached its largest number of frames.
class FramePool {
  public:
    // A frame of `length` bytes on the wire of which `readable` can be read; its bytes are not
    // initialised.
    [[nodiscard]] Frame take(std::uint16_t length, std::uint16_t readable) {
        SizeClass& sizes = readable <= kHeaderBytesMax ? short_ : long_;
        if (sizes.free == nullptr) [[unlikely]]
            grow(sizes);
        Slot* slot = sizes.free;
        sizes.free = slot->next_free;
        slot->flow = kNoFlow;
        slot->in_use = true;
        ++in_use_;
        return Frame{.data = slot->bytes(), .handle = slot, .length = length, .readable = readable};
    }

    void give(void* handle) {
        auto* slot = static_cast<Slot*>(handle);
        WEIR_CHECK(slot->in_use);
        slot->in_use = false;
        SizeClass& sizes = slot->capacity == kHeaderBytesMax ? short_ : long_;
        slot->next_free = sizes.free;
        sizes.free = slot;
        --in_use_;
    }

    [[nodiscard]] static Slot& slot_of(const Frame& frame) {
        return *static_cast<Slot*>(frame.handle);
    }
    [[nodiscard]] std::uint64_t in_use() const { return in_use_; }

  private:
    struct SizeClass {
        std::uint16_t capacity;
        Slot* free = nullptr;
    };

    void grow(SizeClass& sizes);

    SizeClass short_{kHeaderBytesMax};
    SizeClass long_{kFrameBytesMax};
    struct AlignedFree {
        void operator()(std::byte* memory) const {
            ::operator delete[](memory, std::align_val_t{alignof(Slot)});
        }
    };
    std::vector<std::unique_ptr<std::byte[], AlignedFree>> blocks_;
    std::uint64_t in_use_ = 0;
};

}  // namespace weir::lab

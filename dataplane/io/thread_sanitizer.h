// SPDX-License-Identifier: BSD-3-Clause
// Frames change hands inside DPDK's drivers and mempools, which are not instrumented: the thread
// sanitizer does not see that the rings in there order what both sides do with a frame. These say
// so; in other builds they are nothing.
#pragma once

#if defined(__SANITIZE_THREAD__)
#define WEIR_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WEIR_THREAD_SANITIZER 1
#endif
#endif

#ifdef WEIR_THREAD_SANITIZER
extern "C" {
void __tsan_acquire(void* address);
void __tsan_release(void* address);
}
#endif

namespace weir {

inline void took_over([[maybe_unused]] void* frame) {
#ifdef WEIR_THREAD_SANITIZER
    __tsan_acquire(frame);
#endif
}

inline void gave_away([[maybe_unused]] void* frame) {
#ifdef WEIR_THREAD_SANITIZER
    __tsan_release(frame);
#endif
}

}  // namespace weir

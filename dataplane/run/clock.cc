// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/run/clock.h"

#include <ctime>

namespace weir {

namespace {

constexpr std::uint64_t kNanosecondsPerSecond = 1'000'000'000;

std::uint64_t kernel_nanoseconds(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * kNanosecondsPerSecond +
           static_cast<std::uint64_t>(time.tv_nsec);
}

}  // namespace

// Both clocks at one instant: of several tries the one between whose two counter reads least time
// passed, so that an interrupt in between does not count.
Clock::Reading Clock::read_together() {
    Reading best;
    std::uint64_t best_width = UINT64_MAX;
    for (int i = 0; i < 16; ++i) {
        const std::uint64_t before = rte_get_tsc_cycles();
        const std::uint64_t nanoseconds = kernel_nanoseconds(CLOCK_MONOTONIC_RAW);
        const std::uint64_t width = rte_get_tsc_cycles() - before;
        if (width < best_width) {
            best_width = width;
            best = {before + width / 2, nanoseconds};
        }
    }
    return best;
}

CycleScale Clock::calibrate(const Reading& first) {
    // A reading is good for some 50 ns, two of them over 20 ms for 5 parts in a million; crystals
    // are no better.
    const timespec pause{.tv_sec = 0, .tv_nsec = 20'000'000};
    nanosleep(&pause, nullptr);
    const Reading second = read_together();
    return {second.cycles - first.cycles, (second.nanoseconds - first.nanoseconds) * 1000};
}

Clock::Clock()
    : first_(read_together()), scale_(calibrate(first_)), base_cycles_(rte_get_tsc_cycles()) {}

std::uint64_t Clock::wall_nanoseconds(Time at) const {
    const std::int64_t ago_ps = (now() - at).ps;
    const auto wall = static_cast<std::int64_t>(kernel_nanoseconds(CLOCK_REALTIME));
    return static_cast<std::uint64_t>(wall - ago_ps / 1000);
}

}  // namespace weir

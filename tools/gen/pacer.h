// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cassert>
#include <cstdint>

#include "dataplane/core/time.h"

namespace weir::gen {

// Says how many frames are due at a rate. A sender that was away does not catch up on more than a
// millisecond: a generator that bursts would measure its own scheduling.
class Pacer {
  public:
    static constexpr std::uint64_t kFramesPerSecondMax = 1'000'000'000;
    static constexpr Interval kCatchUp = Interval::milliseconds(1);

    Pacer(Time start, std::uint64_t frames_per_s)
        : next_(start), interval_(Interval::seconds(1) / static_cast<std::int64_t>(frames_per_s)) {
        assert(frames_per_s > 0 && frames_per_s <= kFramesPerSecondMax);
    }

    std::uint64_t due(Time now) {
        if (now < next_) return 0;
        if (now - next_ > kCatchUp) next_ = now - kCatchUp;
        return static_cast<std::uint64_t>((now - next_).ps / interval_.ps) + 1;
    }

    void sent(std::uint64_t frames) {
        next_ = next_ + interval_ * static_cast<std::int64_t>(frames);
    }

    // When the next frame is due.
    Time next() const { return next_; }

  private:
    Time next_;
    Interval interval_;
};

}  // namespace weir::gen

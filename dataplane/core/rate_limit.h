// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dataplane/core/time.h"

namespace weir {

// A token bucket kept as one instant: when it will be full again. Each token taken moves that one
// interval on, and `burst` tokens fit between now and then. A new one is full.
class RateLimit {
  public:
    // Takes a token if there is one. Tokens come back one per `interval`.
    [[nodiscard]] bool take(Time now, Interval interval, unsigned burst) {
        Interval filling = full_at_ - now;
        // Full for so long that Time wrapped: no more than `burst` tokens were ever missing.
        if (filling < Interval{} || filling > interval * burst) filling = {};
        if (filling > interval * (burst - 1)) return false;
        full_at_ = now + filling + interval;
        return true;
    }

  private:
    Time full_at_;
};

}  // namespace weir

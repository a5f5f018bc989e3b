// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

#include "dataplane/core/time.h"

namespace weir {

// How bad a link has been: each flap adds a penalty, which halves with every half-life (RFC 2439
// section 4.2). In units of one flap's thousandth.
inline constexpr std::uint32_t kFlapPenalty = 1'000;
inline constexpr std::uint32_t kDampedFrom = 3'000;      // the fourth flap at once, or so
inline constexpr std::uint32_t kDampedUntil = 1'000;     // usable again when it has fallen to this
inline constexpr std::uint32_t kFlapPenaltyMax = 8'000;  // three half-lives above kDampedUntil

class Damping {
  public:
    // `half_life`: positive. Within a half-life the penalty falls in a straight line.
    [[nodiscard]] std::uint32_t penalty(Time now, Interval half_life) const {
        if (penalty_ == 0) return 0;
        const Interval age = now - at_;
        // 8,000 is 0 after thirteen; and an age that wrapped is a long one.
        if (age < Interval{} || age >= half_life * kForgottenAfter) return 0;
        const std::uint32_t whole = penalty_ >> (age.ps / half_life.ps);
        return whole - falls_by(whole, age.ps % half_life.ps, half_life);
    }

    void flap(Time now, Interval half_life) {
        penalty_ = std::min(penalty(now, half_life) + kFlapPenalty, kFlapPenaltyMax);
        at_ = now;
    }

    // When the link may be used again after the flaps so far: `now` when they are too few.
    [[nodiscard]] Time released_at(Time now, Interval half_life) const {
        std::uint32_t rest = penalty(now, half_life);
        if (rest <= kDampedFrom) return now;
        Time at = now;
        for (; rest / 2 >= kDampedUntil; rest /= 2) at = at + half_life;
        // Of the next half-life as much as it takes in a straight line from `rest` to its half.
        const std::int64_t fall = rest - kDampedUntil;
        return at + Interval{half_life.ps / rest * 2 * fall};
    }

  private:
    static constexpr std::int64_t kForgottenAfter = 13;

    [[nodiscard]] static std::uint32_t falls_by(std::uint32_t whole, std::int64_t ps,
                                                Interval half_life) {
        // In 4,096ths of the half-life, so that no product overflows.
        const std::int64_t part = ps / (half_life.ps / 4'096 + 1);
        return static_cast<std::uint32_t>(std::int64_t{whole / 2} * part / 4'096);
    }

    std::uint32_t penalty_ = 0;
    Time at_;
};

}  // namespace weir

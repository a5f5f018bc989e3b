// SPDX-License-Identifier: BSD-3-Clause
// The pauses that the switch has sent us. A port takes a while to obey: each pause frame holds from
// its response time on, and so does each resume.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "dataplane/core/pfc.h"
#include "dataplane/core/time.h"
#include "tools/roce/fifo.h"

namespace weir::roce {

class PeerPause {
  public:
    PeerPause(std::uint64_t speed_bps, std::uint8_t obeyed, Interval response)
        : speed_bps_(speed_bps), obeyed_(obeyed), response_(response) {}

    void heard(Time now, const PfcTimes& times) { pending_.push({now + response_, times}); }

    // Bit p: a frame of priority p may not start at `now`.
    [[nodiscard]] std::uint8_t advance(Time now) {
        return pending_.empty() && mask_ == 0 ? 0 : advance_some(now);
    }

    // When one of these priorities, if it is paused, may go on at the earliest.
    [[nodiscard]] std::optional<Time> deadline(std::uint8_t priorities) const {
        return (priorities & mask_) == 0 ? std::nullopt : deadline_of(priorities & mask_);
    }

  private:
    struct Pending {
        Time at{};
        PfcTimes times{};
    };

    [[nodiscard]] std::uint8_t advance_some(Time now) {
        while (!pending_.empty() && pending_.front().at <= now) {
            apply(pending_.front());
            pending_.pop();
        }
        for (unsigned p = 0; p < kPriorities && mask_ != 0; ++p) {
            if (until_[p] <= now) mask_ &= static_cast<std::uint8_t>(~(1u << p));
        }
        return mask_;
    }

    [[nodiscard]] std::optional<Time> deadline_of(unsigned priorities) const {
        std::optional<Time> first;
        if (!pending_.empty()) first = pending_.front().at;
        for (unsigned p = 0; p < kPriorities; ++p) {
            if ((priorities >> p & 1) == 0) continue;
            if (!first || until_[p] < *first) first = until_[p];
        }
        return first;
    }

    void apply(const Pending& pending) {
        const unsigned classes = pending.times.enabled & obeyed_;
        for (unsigned p = 0; p < kPriorities; ++p) {
            if ((classes >> p & 1) == 0) continue;
            until_[p] = pending.at + pause_interval(pending.times.quanta[p], speed_bps_);
            mask_ |= static_cast<std::uint8_t>(1u << p);  // advance() clears those that are over
        }
    }

    std::uint64_t speed_bps_;
    std::uint8_t obeyed_;
    std::uint8_t mask_ = 0;
    Interval response_;
    Fifo<Pending> pending_;
    std::array<Time, kPriorities> until_{};
};

}  // namespace weir::roce

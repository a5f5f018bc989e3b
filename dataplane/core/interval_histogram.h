// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "dataplane/core/time.h"

namespace weir {

// How often intervals of which length were seen: 16 buckets for each power of two, so a quantile is
// at most 1/16 above the truth. From 2^20 ps (1.05 us) to 2^46 ps (70 s); what is outside counts in
// the first or last bucket.
class IntervalHistogram {
  public:
    void add(Interval interval) {
        const auto ps = static_cast<std::uint64_t>(std::max<std::int64_t>(interval.ps, 0));
        ++buckets_[bucket_of(ps)];
        min_ = count_ == 0 ? interval : std::min(min_, interval);
        max_ = count_ == 0 ? interval : std::max(max_, interval);
        ++count_;
    }
    void clear() { *this = {}; }

    [[nodiscard]] std::uint64_t count() const { return count_; }
    [[nodiscard]] Interval min() const { return min_; }
    [[nodiscard]] Interval max() const { return max_; }

    // The length that `permille` of 1,000 intervals do not exceed; 0 when there are none.
    [[nodiscard]] Interval quantile(unsigned permille) const {
        const std::uint64_t wanted = (count_ * permille + 999) / 1'000;
        std::uint64_t seen = 0;
        for (unsigned bucket = 0; bucket < kBuckets; ++bucket) {
            seen += buckets_[bucket];
            if (seen < wanted || seen == 0) continue;
            if (bucket == kBuckets - 1) break;  // it has no end
            return std::clamp(Interval{static_cast<std::int64_t>(last_of(bucket))}, min_, max_);
        }
        return max_;
    }

  private:
    static constexpr unsigned kFirstBit = 20;
    static constexpr unsigned kEndBit = 46;
    static constexpr unsigned kPerPower = 16;
    static constexpr unsigned kBuckets = (kEndBit - kFirstBit) * kPerPower;

    [[nodiscard]] static unsigned bucket_of(std::uint64_t ps) {
        const auto bit = static_cast<unsigned>(std::bit_width(ps | 1)) - 1;
        if (bit < kFirstBit) return 0;
        if (bit >= kEndBit) return kBuckets - 1;
        const auto part = static_cast<unsigned>(ps >> (bit - 4)) % kPerPower;
        return (bit - kFirstBit) * kPerPower + part;
    }
    // The longest interval of a bucket.
    [[nodiscard]] static std::uint64_t last_of(unsigned bucket) {
        const unsigned bit = bucket / kPerPower + kFirstBit;
        return (std::uint64_t{kPerPower + bucket % kPerPower + 1} << (bit - 4)) - 1;
    }

    std::uint64_t count_ = 0;
    Interval min_;
    Interval max_;
    std::array<std::uint32_t, kBuckets> buckets_{};
};

}  // namespace weir

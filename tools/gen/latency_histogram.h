// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "dataplane/core/time.h"

namespace weir::gen {

// Times in buckets that are an eighth of their size wide: from 1 ns to hours in 4 KiB.
class LatencyHistogram {
  public:
    void add(Interval latency) {
        const auto ns = static_cast<std::uint64_t>(std::max<std::int64_t>(latency.ps, 0)) / 1000;
        ++buckets_[bucket_of(ns)];
        ++count_;
        ns_max_ = std::max(ns_max_, ns);
    }

    [[nodiscard]] std::uint64_t count() const { return count_; }
    [[nodiscard]] std::uint64_t ns_max() const { return ns_max_; }

    // The upper end of the bucket in which so many per million of the times are at most; no more
    // than the longest time. 0: none.
    [[nodiscard]] std::uint64_t quantile_ns(std::uint64_t per_million) const {
        const std::uint64_t wanted = (count_ * per_million + 999'999) / 1'000'000;
        std::uint64_t seen = 0;
        for (unsigned bucket = 0; bucket < kBuckets; ++bucket) {
            seen += buckets_[bucket];
            if (buckets_[bucket] != 0 && seen >= wanted) {
                return std::min(upper_end(bucket), ns_max_);
            }
        }
        return 0;
    }

    // Calls show(upper end in ns, times) for each bucket that has any.
    template <typename Show>
    void for_each_bucket(Show show) const {
        for (unsigned bucket = 0; bucket < kBuckets; ++bucket) {
            if (buckets_[bucket] != 0) show(upper_end(bucket), buckets_[bucket]);
        }
    }

  private:
    static constexpr unsigned kEighths = 8;
    static constexpr unsigned kBuckets = 61 * kEighths + kEighths;

    // Below 16 ns each has its own; above, the three bits behind the first choose the eighth.
    [[nodiscard]] static unsigned bucket_of(std::uint64_t ns) {
        if (ns < 2 * kEighths) return static_cast<unsigned>(ns);
        const auto shift = static_cast<unsigned>(std::bit_width(ns)) - 4;
        return shift * kEighths + static_cast<unsigned>(ns >> shift);
    }
    [[nodiscard]] static std::uint64_t upper_end(unsigned bucket) {
        if (bucket < 2 * kEighths) return bucket;
        const unsigned shift = bucket / kEighths - 1;
        return ((std::uint64_t{bucket % kEighths + kEighths} + 1) << shift) - 1;
    }

    std::array<std::uint64_t, kBuckets> buckets_{};
    std::uint64_t count_ = 0;
    std::uint64_t ns_max_ = 0;
};

}  // namespace weir::gen

// SPDX-License-Identifier: BSD-3-Clause
#include "tools/gen/latency_histogram.h"

#include <limits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace weir::gen {
namespace {

using Buckets = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

Buckets buckets_of(const LatencyHistogram& histogram) {
    Buckets buckets;
    histogram.for_each_bucket([&](std::uint64_t upper_end, std::uint64_t times) {
        buckets.push_back({upper_end, times});
    });
    return buckets;
}

LatencyHistogram of(const std::vector<std::int64_t>& times_ns) {
    LatencyHistogram histogram;
    for (const std::int64_t ns : times_ns) histogram.add(Interval::nanoseconds(ns));
    return histogram;
}

// Up to 15 each its own; then eighths: 16 and 17 share one of two, 1000 is in 960..1023, 1024 in
// 1024..1151.
TEST(LatencyHistogram, BucketsAreAnEighthOfTheirSize) {
    EXPECT_EQ(buckets_of(of({0, 15, 16, 17, 18, 1'000, 1'023, 1'024, 1'151, 1'152})),
              (Buckets{{0, 1}, {15, 1}, {17, 2}, {19, 1}, {1'023, 2}, {1'151, 2}, {1'279, 1}}));
}

// Of 100 times the 50th is 50: in 48..51. The 99th is 99, in 96..103, but none was above 100.
TEST(LatencyHistogram, QuantilesAreUpperEndsOfBuckets) {
    std::vector<std::int64_t> times;
    for (std::int64_t ns = 1; ns <= 100; ++ns) times.push_back(ns);
    const LatencyHistogram histogram = of(times);
    EXPECT_EQ(histogram.count(), 100u);
    EXPECT_EQ(histogram.quantile_ns(500'000), 51u);
    EXPECT_EQ(histogram.quantile_ns(990'000), 100u);
    EXPECT_EQ(histogram.quantile_ns(1'000'000), 100u);
    EXPECT_EQ(histogram.ns_max(), 100u);
}

TEST(LatencyHistogram, OneTimeIsEveryQuantile) {
    const LatencyHistogram histogram = of({12'345});
    EXPECT_EQ(histogram.quantile_ns(1), 12'345u);
    EXPECT_EQ(histogram.quantile_ns(999'000), 12'345u);
}

TEST(LatencyHistogram, NoneAndTheLongest) {
    EXPECT_EQ(LatencyHistogram().quantile_ns(500'000), 0u);
    LatencyHistogram histogram;
    histogram.add(Interval{std::numeric_limits<std::int64_t>::max()});
    histogram.add(Interval{-1});  // a clock that went back
    EXPECT_EQ(histogram.quantile_ns(1'000'000), 9'223'372'036'854'775u);
    EXPECT_EQ(histogram.quantile_ns(500'000), 0u);
}

}  // namespace
}  // namespace weir::gen

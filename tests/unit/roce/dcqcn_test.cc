// SPDX-License-Identifier: BSD-3-Clause
// Rates and alpha worked out by hand. Fractions are of 2^20 = 1,048,576; g = 1/256 = 4096.
#include "tools/roce/dcqcn.h"

#include <cstdint>

#include <gtest/gtest.h>

namespace weir::roce {
namespace {

constexpr Time us(std::uint64_t n) {
    return Time{n * 1'000'000};
}

constexpr std::uint64_t kGbps = 1'000'000'000;
constexpr std::uint64_t kMbps = 1'000'000;

// At 40 Gb/s: R_AI 40 Mb/s, R_HAI 400 Mb/s, timers 55 us, 10 MB.
const DcqcnParameters kPaper = dcqcn_paper(40 * kGbps);

TEST(Dcqcn, HasTheSetsOfThePaperAndOfHpcc) {
    EXPECT_EQ(kPaper.additive_bps, 40 * kMbps);
    EXPECT_EQ(kPaper.hyper_bps, 400 * kMbps);
    const DcqcnParameters hpcc = dcqcn_hpcc(100 * kGbps);
    EXPECT_EQ(hpcc.additive_bps, 20 * kMbps);  // 5 * 100 / 25
    EXPECT_EQ(hpcc.hyper_bps, 200 * kMbps);
    EXPECT_EQ(hpcc.increase_bytes, 0u);
}

// alpha is 1 and stays 1: (1 - 1/256) * 1 + 1/256. Half the rate goes.
TEST(Dcqcn, TheFirstCnpHalvesTheRate) {
    RateControl rate(kPaper);
    EXPECT_EQ(rate.rate_bps(), 40 * kGbps);
    rate.cnp_heard(us(100), kPaper);
    EXPECT_EQ(rate.alpha(), kAlphaOne);
    EXPECT_EQ(rate.target_bps(), 40 * kGbps);
    EXPECT_EQ(rate.rate_bps(), 20 * kGbps);
}

// No CNP for 55 us: alpha 1,048,576 - 4,096 = 1,044,480; a picosecond before, not yet. After 110 us
// less 1,044,480 / 256 = 4,080: 1,040,400.
TEST(Dcqcn, AlphaDecaysWithEachExpiryOfItsTimer) {
    RateControl rate(kPaper);
    rate.cnp_heard(us(0), kPaper);
    rate.advance(Time{55'000'000 - 1}, kPaper);
    EXPECT_EQ(rate.alpha(), 1'048'576u);
    rate.advance(us(55), kPaper);
    EXPECT_EQ(rate.alpha(), 1'044'480u);
    rate.advance(us(110), kPaper);
    EXPECT_EQ(rate.alpha(), 1'040'400u);
}

// A second CNP at 60 us: alpha has decayed once to 1,044,480; decays 4,080 and rises 4,096 to
// 1,044,496. The rate had one fast recovery at 55 us: (20 + 40) / 2 = 30 Gb/s, the new target. It
// is cut by 30e9 * 1,044,496 / 1,048,576 / 2 = 14,941,635,131 (29,883,270,263 / 2, rounded down).
TEST(Dcqcn, ALaterCnpCutsByHalfOfAlpha) {
    RateControl rate(kPaper);
    rate.cnp_heard(us(0), kPaper);
    rate.cnp_heard(us(60), kPaper);
    EXPECT_EQ(rate.alpha(), 1'044'496u);
    EXPECT_EQ(rate.target_bps(), 30 * kGbps);
    EXPECT_EQ(rate.rate_bps(), 30 * kGbps - 14'941'635'131);
}

// Five steps of fast recovery halve the distance to 40 Gb/s: 30, 35, 37.5, 38.75, 39.375. A sixth
// is additive: the target is at line rate already, and the rate (39.375 + 40) / 2.
TEST(Dcqcn, RecoversInFiveSteps) {
    RateControl rate(kPaper);
    rate.cnp_heard(us(0), kPaper);
    const std::uint64_t expected[] = {30'000, 35'000, 37'500, 38'750, 39'375};
    for (unsigned step = 0; step < 5; ++step) {
        const Time due = us(55 * (step + 1));
        rate.advance(due - Interval{1}, kPaper);
        EXPECT_LT(rate.rate_bps(), expected[step] * kMbps);
        rate.advance(due, kPaper);
        EXPECT_EQ(rate.rate_bps(), expected[step] * kMbps) << step;
    }
    rate.advance(us(330), kPaper);
    EXPECT_EQ(rate.rate_bps(), 39'687'500'000u);
}

// Two cuts, 50 us apart: 40 -> 20 with target 40, then 20 -> 10 with target 20 (alpha is 1 all the
// time: it decays by 4,096 and rises by 4,096, and its timer never expires). Fast recovery ends
// after 5 * 55 us = 275 us: 10 -> 15, 17.5, 18.75, 19.375, 19.6875. The sixth step adds 40 Mb/s to
// the target: 20.04, rate (19.6875 + 20.04) / 2 = 19.86375. With no byte steps it stays additive:
// target 20.08, rate 19.971875.
TEST(Dcqcn, IncreasesAdditivelyWhileOneCounterLagsBehind) {
    RateControl rate(kPaper);
    rate.cnp_heard(us(0), kPaper);
    rate.cnp_heard(us(50), kPaper);
    EXPECT_EQ(rate.rate_bps(), 10 * kGbps);
    EXPECT_EQ(rate.target_bps(), 20 * kGbps);
    rate.advance(us(50 + 275), kPaper);
    EXPECT_EQ(rate.rate_bps(), 19'687'500'000u);
    rate.advance(us(50 + 330), kPaper);
    EXPECT_EQ(rate.target_bps(), 20'040'000'000u);
    EXPECT_EQ(rate.rate_bps(), 19'863'750'000u);
    rate.advance(us(50 + 385), kPaper);
    EXPECT_EQ(rate.target_bps(), 20'080'000'000u);
    EXPECT_EQ(rate.rate_bps(), 19'971'875'000u);
}

// Steps of both kinds: hyper increase begins when both have made more than five. Six byte steps of
// 10 MB at once: five of fast recovery (from 10 towards 20 as above: 19.6875), then one additive:
// target 20.04. Timer steps 1 to 6 (max >= 5 at once, min = 0..5): six more additive: target 20.28.
// The seventh finds both counts at 6: + 400 Mb/s.
TEST(Dcqcn, IncreasesHyperWhenBothCountersAreThrough) {
    RateControl rate(kPaper);
    rate.cnp_heard(us(0), kPaper);
    rate.cnp_heard(us(50), kPaper);
    rate.sent(us(51), 10'000'000 - 1, kPaper);
    EXPECT_EQ(rate.rate_bps(), 10 * kGbps);
    rate.sent(us(51), 1, kPaper);
    EXPECT_EQ(rate.rate_bps(), 15 * kGbps);
    rate.sent(us(51), 50'000'000, kPaper);
    EXPECT_EQ(rate.target_bps(), 20'040'000'000u);
    rate.advance(us(50 + 6 * 55), kPaper);
    EXPECT_EQ(rate.target_bps(), 20'280'000'000u);
    rate.advance(us(50 + 7 * 55), kPaper);
    EXPECT_EQ(rate.target_bps(), 20'680'000'000u);
}

// A cut begins the byte counter anew: a byte less than 10 MB before it and one behind it are no
// step.
TEST(Dcqcn, ACutForgetsTheBytesBefore) {
    RateControl rate(kPaper);
    rate.cnp_heard(us(0), kPaper);
    rate.sent(us(1), 10'000'000 - 1, kPaper);
    rate.cnp_heard(us(50), kPaper);
    rate.sent(us(51), 1, kPaper);
    EXPECT_EQ(rate.rate_bps(), 10 * kGbps);
    rate.sent(us(52), 10'000'000 - 1, kPaper);
    EXPECT_EQ(rate.rate_bps(), 15 * kGbps);
}

// A CNP 49 us after a cut waits until 50 us, and takes effect then.
TEST(Dcqcn, CutsAtMostOncePerDecreaseInterval) {
    RateControl rate(kPaper);
    rate.cnp_heard(us(0), kPaper);
    rate.cnp_heard(us(49), kPaper);
    EXPECT_EQ(rate.rate_bps(), 20 * kGbps);
    rate.advance(Time{50'000'000 - 1}, kPaper);
    EXPECT_EQ(rate.rate_bps(), 20 * kGbps);
    rate.advance(us(50), kPaper);
    EXPECT_EQ(rate.rate_bps(), 10 * kGbps);
}

TEST(Dcqcn, NeverGoesBelowItsMinimum) {
    RateControl rate(kPaper);
    for (unsigned i = 0; i < 30; ++i) rate.cnp_heard(us(50 * i), kPaper);
    EXPECT_EQ(rate.rate_bps(), 100 * kMbps);
}

// A flow that is left alone gets back to exactly its line rate and stays there.
TEST(Dcqcn, ReachesLineRateAgain) {
    RateControl rate(kPaper);
    for (unsigned i = 0; i < 10; ++i) rate.cnp_heard(us(50 * i), kPaper);
    rate.advance(us(2'000'000), kPaper);
    EXPECT_EQ(rate.rate_bps(), 40 * kGbps);
    EXPECT_EQ(rate.alpha(), 0u);
}

// HPCC's set: timers run from the first CNP on, which cuts nothing yet; the decrease timer finds it
// 4 us later. alpha: ticks at 1, 2, 3, 4 us; the first CNP counts for none of them, so four decays:
// 1,048,576 -> 1,044,480 -> 1,040,400 -> 1,036,335 (4,064.06 rounded up to 4,065) -> 1,032,286
// (4,048.2 -> 4,049). Alpha comes first at one instant. 100e9 * 1,032,286 / 2^20 =
// 98,446,464,538.5, half of it 49,223,232,269.
TEST(Dcqcn, TicksCutAtTheDecreaseTimer) {
    const DcqcnParameters hpcc = dcqcn_hpcc(100 * kGbps);
    RateControl rate(hpcc);
    rate.cnp_heard(us(10), hpcc);
    EXPECT_EQ(rate.rate_bps(), 100 * kGbps);
    rate.advance(Time{14'000'000 - 1}, hpcc);
    EXPECT_EQ(rate.rate_bps(), 100 * kGbps);
    rate.advance(us(14), hpcc);
    EXPECT_EQ(rate.alpha(), 1'032'286u);
    EXPECT_EQ(rate.rate_bps(), 100 * kGbps - 49'223'232'269);
}

// Without clamping a second cut leaves the target where it was before the first.
TEST(Dcqcn, KeepsTheTargetOverCutsIfNotClamped) {
    DcqcnParameters hpcc = dcqcn_hpcc(100 * kGbps);
    RateControl rate(hpcc);
    rate.cnp_heard(us(0), hpcc);
    rate.cnp_heard(us(5), hpcc);
    rate.advance(us(8), hpcc);
    EXPECT_LT(rate.rate_bps(), 30 * kGbps);
    EXPECT_EQ(rate.target_bps(), 100 * kGbps);
    hpcc.clamp_target = true;
    RateControl clamped(hpcc);
    clamped.cnp_heard(us(0), hpcc);
    clamped.cnp_heard(us(5), hpcc);
    clamped.advance(us(8), hpcc);
    EXPECT_LT(clamped.target_bps(), 51 * kGbps);
}

// Catching up in one call or in many gives the same.
TEST(Dcqcn, TheResultDoesNotDependOnWhenItIsAsked) {
    for (const DcqcnParameters& set :
         {dcqcn_paper(100 * kGbps), dcqcn_hpcc(100 * kGbps), dcqcn_hpcc_paper(100 * kGbps)}) {
        RateControl often(set);
        RateControl rarely(set);
        for (std::uint64_t i = 0; i < 3000; ++i) {
            const Time now{i * 777'777};
            often.advance(now, set);
            if (i % 97 == 5 && i < 1500) {
                often.cnp_heard(now, set);
                rarely.cnp_heard(now, set);
            }
        }
        rarely.advance(Time{std::uint64_t{2999} * 777'777}, set);
        EXPECT_EQ(often.rate_bps(), rarely.rate_bps());
        EXPECT_EQ(often.target_bps(), rarely.target_bps());
        EXPECT_EQ(often.alpha(), rarely.alpha());
    }
}

// The interval is 50 us: at 49.999999 us it is too soon, at 50 us it is not.
TEST(CnpLimit, AllowsOneCnpPerInterval) {
    const Interval interval = Interval::microseconds(50);
    CnpLimit limit;
    EXPECT_TRUE(limit.marked(us(7), interval));
    EXPECT_FALSE(limit.marked(us(7), interval));
    EXPECT_FALSE(limit.marked(us(57) - Interval{1}, interval));
    EXPECT_TRUE(limit.marked(us(57), interval));
    EXPECT_FALSE(limit.marked(us(58), interval));
}

}  // namespace
}  // namespace weir::roce

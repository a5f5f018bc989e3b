// SPDX-License-Identifier: BSD-3-Clause
#include "config/units.h"

#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(Units, RatesAreDecimalBitsPerSecond) {
    EXPECT_EQ(parse_rate("25G")->bps, 25'000'000'000u);
    EXPECT_EQ(parse_rate("2.5G")->bps, 2'500'000'000u);
    EXPECT_EQ(parse_rate("100M")->bps, 100'000'000u);
    EXPECT_EQ(parse_rate("10K")->bps, 10'000u);
    EXPECT_EQ(parse_rate("0.001K")->bps, 1u);
    EXPECT_EQ(parse_rate("0G")->bps, 0u);
}

// 2^64 - 1 = 18,446,744,073,709,551,615: 18,446,744 T fit, one more T does not; and
// 18,446,744,073,709,551 K fit, one more K does not.
TEST(Units, RatesAreRefusedAboveSixtyFourBits) {
    EXPECT_EQ(parse_rate("18446744T")->bps, 18'446'744'000'000'000'000u);
    EXPECT_FALSE(parse_rate("18446745T"));
    EXPECT_EQ(parse_rate("18446744073709551K")->bps, 18'446'744'073'709'551'000u);
    EXPECT_FALSE(parse_rate("18446744073709552K"));
    EXPECT_EQ(parse_rate("99999999999999999999G").problem,
              "'99999999999999999999G' has too many digits or is too large");
}

TEST(Units, BytesAreDecimalOrBinaryAsWritten) {
    EXPECT_EQ(*parse_bytes("1B"), 1u);
    EXPECT_EQ(*parse_bytes("400KB"), 400'000u);
    EXPECT_EQ(*parse_bytes("16MiB"), 16'777'216u);
    EXPECT_EQ(*parse_bytes("1KiB"), 1'024u);
    EXPECT_EQ(*parse_bytes("1MB"), 1'000'000u);
    EXPECT_EQ(*parse_bytes("1GB"), 1'000'000'000u);
    EXPECT_EQ(*parse_bytes("1GiB"), 1'073'741'824u);
    EXPECT_EQ(*parse_bytes("1.5KiB"), 1'536u);
}

// (2^64 - 1) / 2^30 = 17,179,869,183.99..: that many GiB fit, one more does not.
TEST(Units, BytesAreRefusedAboveSixtyFourBits) {
    EXPECT_EQ(*parse_bytes("17179869183GiB"), 17'179'869'183u << 30);
    EXPECT_FALSE(parse_bytes("17179869184GiB"));
    EXPECT_EQ(*parse_bytes("18446744073709551615B"), std::numeric_limits<std::uint64_t>::max());
    EXPECT_FALSE(parse_bytes("18446744073709551616B"));
}

TEST(Units, IntervalsArePicoseconds) {
    EXPECT_EQ(*parse_interval("100us"), Interval::microseconds(100));
    EXPECT_EQ(*parse_interval("300s"), Interval::seconds(300));
    EXPECT_EQ(*parse_interval("7ms"), Interval::milliseconds(7));
    EXPECT_EQ(*parse_interval("80ps"), Interval::picoseconds(80));
    EXPECT_EQ(*parse_interval("0.5ns"), Interval::picoseconds(500));
}

// 2^63 - 1 ps = 9,223,372.036854775807 s.
TEST(Units, IntervalsAreRefusedAboveSixtyThreeBits) {
    EXPECT_EQ(*parse_interval("9223372s"), Interval::seconds(9'223'372));
    EXPECT_FALSE(parse_interval("9223373s"));
    EXPECT_EQ(parse_interval("9223372036854775807ps")->ps,
              std::numeric_limits<std::int64_t>::max());
    EXPECT_FALSE(parse_interval("9223372036854775808ps"));
}

TEST(Units, LengthsAreMillimetres) {
    EXPECT_EQ(parse_length("5m")->mm, 5'000u);
    EXPECT_EQ(parse_length("2.5m")->mm, 2'500u);
    EXPECT_EQ(parse_length("2km")->mm, 2'000'000u);
    EXPECT_EQ(parse_length("5 metres").problem,
              "'5 metres' has the unknown unit 'metres'; write 5m");
}

// What cannot be held exactly is refused, not rounded.
TEST(Units, FractionsMustBeWholeInTheSmallestUnit) {
    EXPECT_EQ(parse_bytes("1.5B").problem, "'1.5B' is no whole number of bytes");
    EXPECT_EQ(parse_bytes("1.1KiB").problem, "'1.1KiB' is no whole number of bytes");
    EXPECT_EQ(parse_interval("0.0005ns").problem, "'0.0005ns' is no whole number of picoseconds");
    EXPECT_EQ(parse_rate("0.0001K").problem, "'0.0001K' is no whole number of bits per second");
    EXPECT_EQ(parse_rate("1.000001K").problem, "'1.000001K' is no whole number of bits per second");
    EXPECT_EQ(parse_rate("1.000001M")->bps, 1'000'001u);
    // Six digits are the most.
    EXPECT_FALSE(parse_rate("1.0000001G"));
}

TEST(Units, SayWhatToWriteWhenTheUnitIsMissing) {
    EXPECT_EQ(parse_rate("25").problem, "'25' has no unit; write 25G");
    EXPECT_EQ(parse_rate("999999").problem, "'999999' has no unit; write 999999G");
    EXPECT_EQ(parse_rate("1000000").problem, "'1000000' has no unit; write 1M");
    EXPECT_EQ(parse_rate("25000000000").problem, "'25000000000' has no unit; write 25G");
    EXPECT_EQ(parse_bytes("1000").problem, "'1000' has no unit; write 1000B");
    EXPECT_EQ(parse_interval("300").problem, "'300' has no unit; write 300s");
}

TEST(Units, SayWhatToWriteForOtherHabits) {
    EXPECT_EQ(parse_rate("25g").problem, "'25g' has the unknown unit 'g'; write 25G");
    EXPECT_EQ(parse_rate("25Gbps").problem, "'25Gbps' has the unknown unit 'Gbps'; write 25G");
    EXPECT_EQ(parse_rate("100 Mbit/s").problem,
              "'100 Mbit/s' has the unknown unit 'Mbit/s'; write 100M");
    EXPECT_EQ(parse_bytes("1mb").problem, "'1mb' has the unknown unit 'mb'; write 1MB");
    EXPECT_EQ(parse_bytes("64k").problem, "'64k' has the unknown unit 'k'; write 64KB");
    EXPECT_EQ(parse_interval("5m").problem, "'5m' has the unknown unit 'm'; write 300s");
    EXPECT_EQ(parse_interval("5min").problem, "'5min' has the unknown unit 'min'; write 300s");
    EXPECT_EQ(parse_interval("1h").problem, "'1h' has the unknown unit 'h'; write 3600s");
    EXPECT_EQ(parse_interval("3parsecs").problem,
              "'3parsecs' has the unknown unit 'parsecs'; write one like 100us or 300s");
    EXPECT_EQ(parse_rate("25 G").problem, "'25 G' has a space; write 25G");
}

TEST(Units, SayWhatIsNoQuantity) {
    EXPECT_EQ(parse_rate("fast").problem, "'fast' is no rate; write one like 25G");
    EXPECT_EQ(parse_bytes("").problem, "'' is no size; write one like 400KB or 16MiB");
    EXPECT_EQ(parse_interval("-5s").problem, "'-5s' is no time; write one like 100us or 300s");
    EXPECT_EQ(parse_length("long").problem, "'long' is no length; write one like 5m or 2km");
    EXPECT_FALSE(parse_rate(".5G"));
    EXPECT_FALSE(parse_rate("5.G"));
    EXPECT_FALSE(parse_rate("1.2.3G"));
}

TEST(Units, NumbersHaveExactBounds) {
    EXPECT_EQ(*parse_number("1", 1, 4094), 1u);
    EXPECT_EQ(*parse_number("4094", 1, 4094), 4094u);
    EXPECT_EQ(parse_number("0", 1, 4094).problem, "'0' is out of range; write 1 to 4094");
    EXPECT_EQ(parse_number("4095", 1, 4094).problem, "'4095' is out of range; write 1 to 4094");
    EXPECT_EQ(*parse_number("18446744073709551615", 0, std::numeric_limits<std::uint64_t>::max()),
              std::numeric_limits<std::uint64_t>::max());
    EXPECT_FALSE(
        parse_number("18446744073709551616", 0, std::numeric_limits<std::uint64_t>::max()));
    EXPECT_EQ(parse_number("-1", 0, 7).problem, "'-1' is no whole number; write 0 to 7");
    EXPECT_EQ(parse_number("0x10", 0, 7).problem, "'0x10' is no whole number; write 0 to 7");
    EXPECT_EQ(parse_number("", 0, 7).problem, "'' is no whole number; write 0 to 7");
    EXPECT_FALSE(parse_number("3 ", 0, 7));
}

TEST(Units, FormatInTheLargestUnitThatNeedsNoFraction) {
    EXPECT_EQ(format_rate({25'000'000'000}), "25G");
    EXPECT_EQ(format_rate({2'500'000'000}), "2500M");
    EXPECT_EQ(format_rate({1'000'000'000'000}), "1T");
    EXPECT_EQ(format_rate({1}), "0.001K");
    EXPECT_EQ(format_bytes(0), "0B");
    EXPECT_EQ(format_bytes(1'048'576), "1MiB");
    EXPECT_EQ(format_bytes(400'000), "400KB");
    EXPECT_EQ(format_bytes(1'001), "1001B");
    EXPECT_EQ(format_interval(Interval::seconds(300)), "300s");
    EXPECT_EQ(format_interval(Interval::microseconds(1'500)), "1500us");
    EXPECT_EQ(format_interval(Interval::picoseconds(80)), "80ps");
}

TEST(Units, WhatIsFormattedIsReadBack) {
    for (const std::uint64_t value : {1ull, 999ull, 1'000ull, 1'024ull, 65'536'000ull,
                                      123'456'789ull, 1'000'000'000'000ull, (1ull << 40) + 1}) {
        EXPECT_EQ(*parse_bytes(format_bytes(value)), value);
        EXPECT_EQ(parse_rate(format_rate({value}))->bps, value);
        const Interval interval{static_cast<std::int64_t>(value)};
        EXPECT_EQ(*parse_interval(format_interval(interval)), interval);
    }
}

TEST(Units, ProbabilitiesArePercentagesUpToAHundred) {
    EXPECT_EQ(parse_probability("5%")->millionths, 50'000u);
    EXPECT_EQ(parse_probability("0.0001%")->millionths, 1u);
    EXPECT_EQ(parse_probability("100%")->millionths, 1'000'000u);
    EXPECT_FALSE(parse_probability("100.0001%"));
    EXPECT_EQ(parse_probability("0.00001%").problem, "'0.00001%' is no whole number of millionths");
    EXPECT_EQ(parse_probability("5").problem, "'5' has no unit; write 5%");
    EXPECT_EQ(parse_probability("5 percent").problem,
              "'5 percent' has the unknown unit 'percent'; write 5%");
}

TEST(Units, LengthsAndProbabilitiesAreWrittenAsTheyAreRead) {
    EXPECT_EQ(format_length({5'000}), "5m");
    EXPECT_EQ(format_length({2'000'000}), "2km");
    EXPECT_EQ(format_length({2'500}), "2.5m");
    EXPECT_EQ(format_length({1}), "0.001m");
    EXPECT_EQ(format_probability({50'000}), "5%");
    EXPECT_EQ(format_probability({1}), "0.0001%");
    EXPECT_EQ(format_probability({1'000'000}), "100%");
    EXPECT_EQ(format_probability({0}), "0%");
}

}  // namespace
}  // namespace weir

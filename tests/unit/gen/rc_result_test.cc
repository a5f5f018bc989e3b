// SPDX-License-Identifier: BSD-3-Clause
#include "tools/gen/rc_result.h"

#include <gtest/gtest.h>

namespace weir::gen {
namespace {

RcResult good() {
    RcResult result;
    result.messages = 10;
    result.bytes = 1'250'000;
    result.elapsed = Interval::milliseconds(10);
    result.latency.add(Interval::microseconds(10));
    result.pairs.packets_sent = 1'230;
    result.pairs.packets_repeated = 9;
    return result;
}

TEST(RcResult, AllMessagesAndNothingDamagedIsWell) {
    RcOptions options;
    EXPECT_EQ(verdict(options, good()), "");
    options.count = 10;
    EXPECT_EQ(verdict(options, good()), "") << "repeats are what connections are for";
}

TEST(RcResult, WhatIsMissingIsSaid) {
    RcOptions options;
    options.count = 11;
    EXPECT_EQ(verdict(options, good()), "10 of 11 messages");
    options.count.reset();
    RcResult result = good();
    result.failed = 2;
    EXPECT_EQ(verdict(options, result).substr(0, 25), "2 messages were given up:");
    result.port.icrc_wrong = 3;
    EXPECT_EQ(verdict(options, result), "3 frames had a wrong ICRC");
    EXPECT_EQ(verdict(options, RcResult{}), "no message came through");
}

// 1,250,000 B are 10^7 bits: in 10 ms 1 Gbit/s.
TEST(RcResult, TextHasRateAndQuantiles) {
    const std::string text = to_text(good());
    EXPECT_NE(text.find("10 messages, 1250000 bytes in 0.010 s: 1.000 Gbit/s\n"), std::string::npos)
        << text;
    EXPECT_NE(text.find("packets sent 1230, repeated 9;"), std::string::npos) << text;
    EXPECT_NE(text.find("p50 10.0 p90 10.0 p99 10.0 p99.9 10.0 max 10.0\n"), std::string::npos)
        << text;
}

TEST(RcResult, JsonHasTheHistogram) {
    const std::string text = to_json(good(), "");
    EXPECT_NE(text.find("\"messages\": 10, \"failed\": 0, \"bytes\": 1250000"), std::string::npos)
        << text;
    // 10,000 ns are between 9,216 and 10,239.
    EXPECT_NE(text.find("\"histogram_ns\": [[10239, 1]]"), std::string::npos) << text;
}

TEST(RcResult, ALiveLineIsAboutTheTimeSince) {
    RcResult before = good();
    RcResult now = good();
    now.messages = 30;
    now.bytes = 3'750'000;  // 2 * 10^7 bits more, in 10 ms
    const std::string line = live_line(now, before, Interval::milliseconds(10));
    EXPECT_EQ(line.substr(0, 26), "30 messages, 2.000 Gbit/s,") << line;
}

}  // namespace
}  // namespace weir::gen

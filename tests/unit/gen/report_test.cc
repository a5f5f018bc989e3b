// SPDX-License-Identifier: BSD-3-Clause
#include "tools/gen/report.h"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tools/roce/address.h"
#include "tools/roce/frame_writer.h"

namespace weir::gen {
namespace {

// Frames of 60 bytes of one flow, with the PSNs given.
SinkResult received(const std::vector<std::uint32_t>& psns) {
    SinkResult result;
    for (const std::uint32_t psn : psns) {
        const roce::Frame frame{.source = roce::parse_ip("192.0.2.1").value(),
                                .destination = roce::parse_ip("192.0.2.2").value(),
                                .dscp = 26,
                                .ecn = roce::kEcnCongestion,
                                .bth = {.destination_qp = 256, .psn = psn}};
        std::vector<std::uint8_t> bytes(roce::frame_bytes(frame));
        roce::write_frame(frame, bytes);
        result.counters.count(bytes, {});
    }
    result.elapsed = Interval::milliseconds(1);
    return result;
}

TEST(Verdict, AllWellIsEmpty) {
    SinkResult result = received({0, 1, 2});
    EXPECT_EQ(verdict(result, false), "");
    result.expected = 3;
    EXPECT_EQ(verdict(result, false), "");
}

TEST(Verdict, NothingReceivedIsAProblemEvenIfLossIsAllowed) {
    EXPECT_EQ(verdict(received({}), false), "no RoCEv2 frame came");
    EXPECT_EQ(verdict(received({}), true), "no RoCEv2 frame came");
}

TEST(Verdict, NamesEveryKindOfLossUnlessItIsAllowed) {
    SinkResult result = received({10, 13, 13, 12, 5});
    result.socket_drops = 7;
    result.expected = 8;
    EXPECT_EQ(verdict(result, false),
              "1 missing, 1 duplicate, 1 reordered, 1 stale, 7 dropped at the socket, "
              "3 fewer than expected");
    EXPECT_EQ(verdict(result, true), "");
}

TEST(Verdict, DamageIsNeverAllowed) {
    SinkResult result = received({0});
    result.counters.icrc_errors = 2;
    result.counters.malformed = 1;
    EXPECT_EQ(verdict(result, true), "2 with a wrong ICRC, 1 malformed");
}

TEST(Verdict, ARunThatEndedBeforeItsTimeIsNeverWell) {
    SinkResult result = received({0, 1});
    result.failure = "cannot receive on h0";
    EXPECT_EQ(verdict(result, true), "cannot receive on h0");
}

TEST(Report, SinkJsonHoldsTheNumbers) {
    const std::string json = to_json(received({0, 2}), "1 missing");
    for (const char* part :
         {"\"ok\": false", "\"problem\": \"1 missing\"", "\"frames\": 2", "\"bytes\": 120",
          "\"seconds\": 0.001000", "\"frames_per_s\": 2000.0", "\"missing\": 1",
          "\"ecn\": {\"not_ect\": 0, \"ect1\": 0, \"ect0\": 0, \"ce\": 2}",
          "\"dscp\": {\"26\": {\"frames\": 2, \"bytes\": 120}}", "\"pcp\": {}",
          R"({"source": "192.0.2.1", "destination": "192.0.2.2", "qp": 256, "frames": 2, )",
          R"("bytes": 120, "psn_first": 0, "psn_newest": 2, "missing": 1, "duplicates": 0)"}) {
        EXPECT_NE(json.find(part), std::string::npos) << part << " in\n" << json;
    }
}

TEST(Report, SendTextAndJsonHoldTheRates) {
    // 1000 frames of 1250 bytes in 1 s: 10 Mbit.
    const SendResult result{
        .flows = 2, .sent = {.frames = 1000, .bytes = 1'250'000}, .elapsed = Interval::seconds(1)};
    EXPECT_EQ(to_text(result),
              "sent 1000 frames, 1250000 bytes in 1.000 s: 1000 frames/s, 0.010 Gbit/s\n");
    EXPECT_NE(to_json(result).find("\"frames_per_s\": 1000.0"), std::string::npos);
    SendResult slower = result;
    slower.frames_per_s_asked = 1500;
    EXPECT_EQ(to_text(slower),
              "sent 1000 frames, 1250000 bytes in 1.000 s: 1000 frames/s, 0.010 Gbit/s, of 1500 "
              "frames/s asked for\n");
}

TEST(Report, LiveLineShowsTheRateSinceTheLast) {
    const SinkResult result = received({0, 1, 2, 3});
    const std::string line =
        live_line(result.counters, {.frames = 1, .bytes = 60}, Interval::seconds(1));
    EXPECT_EQ(line.rfind("4 frames, 3 frames/s, 0.000 Gbit/s, 0 missing", 0), 0u) << line;
}

}  // namespace
}  // namespace weir::gen

// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/io/captured_output.h"

#include <cstdio>
#include <cstdlib>

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(CapturedOutput, HoldsBothStreamsAndGivesThemBack) {
    std::string inside;
    testing::internal::CaptureStderr();
    {
        CapturedOutput output;
        std::fputs("to stdout\n", stdout);
        std::fputs("to stderr\n", stderr);
        inside = output.end();
        std::fputs("afterwards\n", stderr);
    }
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "afterwards\n");
    EXPECT_NE(inside.find("to stdout\n"), std::string::npos);
    EXPECT_NE(inside.find("to stderr\n"), std::string::npos);
}

// What a library says before it aborts must not be lost.
TEST(CapturedOutputDeathTest, WritesOutWhenTheProgramAborts) {
    EXPECT_DEATH(
        {
            CapturedOutput output;
            std::fputs("PANIC in driver\n", stderr);
            std::abort();
        },
        "PANIC in driver");
}

TEST(LineOfEal, SkipsWhatIsNoMessage) {
    EXPECT_EQ(line_of_eal("EAL: Detected CPU lcores: 2\n"
                          "weir: unrecognized option '--foo'\n\nUsage: weir [options]\n"),
              "unrecognized option '--foo'");
    EXPECT_EQ(line_of_eal("Usage: weir [options]\nEAL: lcore 9 unavailable\nEAL: invalid lcores\n"),
              "lcore 9 unavailable");
    EXPECT_EQ(line_of_eal("no colon here\n"), "");
}

TEST(LineOfDriver, LeavesOutWhatEalMakesOfIt) {
    EXPECT_EQ(line_of_driver("EAL: Cannot attach\nmemif_connect(): no socket\n"), "no socket");
    EXPECT_EQ(line_of_driver("EAL: Cannot attach\n"), "");
}

}  // namespace
}  // namespace weir

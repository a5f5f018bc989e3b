// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/io/captured_output.h"

#include <cstdio>

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

TEST(FirstLineThatSaysWhy, SkipsWhatIsNoMessage) {
    EXPECT_EQ(first_line_that_says_why("EAL: Detected CPU lcores: 2\n"
                                       "weir: unrecognized option '--foo'\n\nUsage: weir ...\n"),
              "unrecognized option '--foo'");
    EXPECT_EQ(first_line_that_says_why(""), "");
    EXPECT_EQ(first_line_that_says_why("no colon here\n"), "");
}

}  // namespace
}  // namespace weir

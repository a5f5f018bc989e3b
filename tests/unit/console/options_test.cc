// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Options, WhatStandsBeforeTheDashesIsForEal) {
    const auto parsed = parse_options({"-l", "2-3", "-m", "64", "--", "-c", "a.yaml", "-i"});
    EXPECT_EQ(parsed.problem, "");
    EXPECT_THAT(parsed.options.eal, ElementsAre("-l", "2-3", "-m", "64"));
    EXPECT_THAT(parsed.options.files, ElementsAre("a.yaml"));
    EXPECT_TRUE(parsed.options.interactive);
}

TEST(Options, WithoutDashesEverythingIsOurs) {
    const auto parsed = parse_options(
        {"-c", "a.yaml", "-c", "b.yaml", "--socket", "/run/a", "--cmd-file", "f", "--events", "-"});
    EXPECT_EQ(parsed.problem, "");
    EXPECT_THAT(parsed.options.eal, IsEmpty());
    EXPECT_THAT(parsed.options.files, ElementsAre("a.yaml", "b.yaml"));
    EXPECT_EQ(parsed.options.socket, "/run/a");
    EXPECT_EQ(parsed.options.command_file, "f");
    EXPECT_EQ(parsed.options.events, "-");
    EXPECT_FALSE(parsed.options.interactive);
    EXPECT_FALSE(parsed.ends);
}

TEST(Options, CheckTakesManyFiles) {
    const auto parsed = parse_options({"--check", "a.yaml", "b.yaml"});
    EXPECT_EQ(parsed.problem, "");
    EXPECT_THAT(parsed.options.check, ElementsAre("a.yaml", "b.yaml"));
}

TEST(Options, AttachTakesCommands) {
    const auto parsed = parse_options({"--attach", "/run/a", "-e", "show drops", "-e", "quit"});
    EXPECT_EQ(parsed.problem, "");
    EXPECT_EQ(parsed.options.attach, "/run/a");
    EXPECT_THAT(parsed.options.commands, ElementsAre("show drops", "quit"));
}

TEST(Options, HelpAndVersionEndWellOnStdout) {
    for (const char* word : {"--help", "-h", "--version"}) {
        const auto parsed = parse_options({word});
        EXPECT_TRUE(parsed.ends);
        EXPECT_EQ(parsed.status, 0);
        EXPECT_EQ(parsed.problem, "");
        EXPECT_THAT(parsed.out, HasSubstr("weir"));
    }
    EXPECT_THAT(parse_options({"--version"}).out, HasSubstr("DPDK"));
}

void expect_refused(const std::vector<std::string>& words, const std::string& part) {
    const auto parsed = parse_options(words);
    EXPECT_TRUE(parsed.ends);
    EXPECT_EQ(parsed.status, 2);
    EXPECT_THAT(parsed.problem, HasSubstr(part));
    EXPECT_EQ(parsed.problem.find('\n'), std::string::npos) << "one line: " << parsed.problem;
}

TEST(Options, SaysInOneLineWhatToWriteInstead) {
    expect_refused({}, "-c FILE");
    expect_refused({"-l", "1", "-c", "a.yaml"}, "EAL options stand before --");
    expect_refused({"-c"}, "-c");
    expect_refused({"--check"}, "--check");
    expect_refused({"--check", "a.yaml", "-c", "b.yaml"}, "leave out -c");
    expect_refused({"--attach", "/run/a", "-c", "b.yaml"}, "leave out -c");
    expect_refused({"-c", "a.yaml", "-e", "show drops"}, "--attach");
    expect_refused({"--frobnicate"}, "--frobnicate");
    expect_refused({"a.yaml"}, "a.yaml");
}

}  // namespace
}  // namespace weir

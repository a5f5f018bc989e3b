// SPDX-License-Identifier: BSD-3-Clause
#include "config/problem.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(Problem, IsOneLine) {
    EXPECT_EQ((Problem{"leaf.yaml", {12, 15}, "ports[1].speed", "'25' has no unit"}).line(),
              "leaf.yaml:12:15: ports[1].speed: '25' has no unit");
    EXPECT_EQ((Problem{"leaf.yaml", {}, "", "cannot be read"}).line(), "leaf.yaml: cannot be read");
}

// Neither a line end nor a terminal escape of the file reaches the terminal; UTF-8 does.
TEST(Problem, IsPlainTextWhateverItQuotes) {
    EXPECT_EQ((Problem{"f", {1, 2}, "a", "'x\ny\x1b[2J\x7f\xc2\xb5s'"}).line(),
              "f:1:2: a: 'x\\x0ay\\x1b[2J\\x7f\xc2\xb5s'");
}

TEST(Problems, ArePrintedInTheOrderOfTheFile) {
    Problems problems;
    EXPECT_TRUE(problems.empty());
    problems.add({"f", {2, 1}, "", "third"});
    problems.add({"f", {1, 9}, "", "second"});
    problems.add({"f", {1, 3}, "", "first"});
    EXPECT_EQ(problems.text(), "f:1:3: first\nf:1:9: second\nf:2:1: third\n");
}

TEST(Problems, AreKeptUpToALimitAndCountedBeyond) {
    Problems problems;
    for (std::size_t i = 0; i < Problems::kKeptMax; ++i) problems.add({"f", {1, 1}, "", "x"});
    EXPECT_EQ(problems.text().find("more"), std::string::npos);
    problems.add({"f", {1, 1}, "", "x"});
    EXPECT_EQ(problems.kept().size(), 50u);
    EXPECT_EQ(problems.count(), 51u);
    EXPECT_NE(problems.text().find("\n... and 1 more problems\n"), std::string::npos);

    Problems both;
    both.add({"g", {1, 1}, "", "y"});
    both.add_all(problems);
    EXPECT_EQ(both.count(), 52u);
}

}  // namespace
}  // namespace weir

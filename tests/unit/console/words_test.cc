// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/console/words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Words, CutsAtBlanksAndTabs) {
    EXPECT_THAT(split_words("  show\tport  stats 1 \r\n").words,
                ElementsAre("show", "port", "stats", "1"));
    EXPECT_THAT(split_words("").words, IsEmpty());
    EXPECT_THAT(split_words(" \t ").words, IsEmpty());
}

TEST(Words, KeepsBlanksInsideQuotes) {
    EXPECT_THAT(split_words(R"(load "my file.yaml")").words, ElementsAre("load", "my file.yaml"));
    EXPECT_THAT(split_words(R"(load a"b c"d)").words, ElementsAre("load", "ab cd"));
    EXPECT_THAT(split_words(R"(load "a\"b\\c\d")").words, ElementsAre("load", R"(a"b\c\d)"));
    EXPECT_THAT(split_words(R"(load "")").words, ElementsAre("load", ""));
}

TEST(Words, SaysThatQuotesAreOpen) {
    EXPECT_TRUE(split_words(R"(load "my file)").open_quote);
    EXPECT_FALSE(split_words(R"(load "my file")").open_quote);
}

TEST(Words, EndsAtACommentButNotInsideAWord) {
    EXPECT_THAT(split_words("quit # the end").words, ElementsAre("quit"));
    EXPECT_THAT(split_words("# nothing").words, IsEmpty());
    EXPECT_THAT(split_words("load a#b").words, ElementsAre("load", "a#b"));
    EXPECT_THAT(split_words("load \"#b\"").words, ElementsAre("load", "#b"));
}

TEST(Words, KnowsWhetherTheLastWordIsStillOpen) {
    EXPECT_TRUE(split_words("show po").ends_in_word);
    EXPECT_FALSE(split_words("show po ").ends_in_word);
    EXPECT_FALSE(split_words("").ends_in_word);
}

}  // namespace
}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#include "config/nearest.h"

#include <array>
#include <string>

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(EditDistance, CountsInsertedRemovedReplacedAndSwappedLetters) {
    EXPECT_EQ(edit_distance("", ""), 0u);
    EXPECT_EQ(edit_distance("speed", "speed"), 0u);
    EXPECT_EQ(edit_distance("sped", "speed"), 1u);
    EXPECT_EQ(edit_distance("speeed", "speed"), 1u);
    EXPECT_EQ(edit_distance("spead", "speed"), 1u);
    EXPECT_EQ(edit_distance("sepde", "speed"), 2u);
    EXPECT_EQ(edit_distance("psees", "speed"), 2u);
    EXPECT_EQ(edit_distance("", "speed"), 5u);
    EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

constexpr std::array<std::string_view, 5> kKnown{"name", "device", "speed", "addresses",
                                                 "default_priority"};

TEST(NearestWord, FindsTheWordThatWasMeant) {
    EXPECT_EQ(nearest_word("sped", kKnown), "speed");
    EXPECT_EQ(nearest_word("Adresses", kKnown), "addresses");
    EXPECT_EQ(nearest_word("default-priority", kKnown), "default_priority");
}

// At most three letters wrong, and at most half of the word: of "name" two, of "addresses" three.
TEST(NearestWord, StopsWhereItIsAnotherWord) {
    EXPECT_EQ(nearest_word("naxx", kKnown), "name");
    EXPECT_EQ(nearest_word("nxxx", kKnown), "");
    EXPECT_EQ(nearest_word("addresxxx", kKnown), "addresses");
    EXPECT_EQ(nearest_word("addrexxxx", kKnown), "");
    EXPECT_EQ(nearest_word(std::string(65, 'a'), kKnown), "");
}

TEST(NearestWord, KnowsWhatOthersCallIt) {
    constexpr std::string_view kGroup[] = {"reserve", "alpha", "limit", "headroom", "xon_offset"};
    EXPECT_EQ(nearest_word("dynamic_th", kGroup), "alpha");
    EXPECT_EQ(nearest_word("static-th", kGroup), "limit");
    EXPECT_EQ(nearest_word("xoff", kGroup), "headroom");
    EXPECT_EQ(nearest_word("xoff", kKnown), "") << "only where there is such a key";
}

TEST(Suggestion, NamesTheNearestOrAll) {
    EXPECT_EQ(suggestion("sped", kKnown), "did you mean 'speed'?");
    EXPECT_EQ(suggestion("qqq", kKnown),
              "known here: name, device, speed, addresses, default_priority");
}

}  // namespace
}  // namespace weir

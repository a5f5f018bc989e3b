// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/json.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(Json, EscapesWhatWouldBreakTheLine) {
    EXPECT_EQ(json_string("plain"), R"("plain")");
    EXPECT_EQ(json_string("a\"b\\c"), R"("a\"b\\c")");
    EXPECT_EQ(json_string("a\nb\tc\x7f"), R"("a\u000ab\u0009c\u007f")");
    EXPECT_EQ(json_string(std::string_view("\0", 1)), R"("\u0000")");
}

TEST(Json, KeepsUtf8AndReplacesTheRest) {
    EXPECT_EQ(json_string("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"),
              "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"");
    // RFC 3629: an end that is missing, a lone continuation, an overlong '/', a surrogate, and a
    // number beyond U+10FFFF are no UTF-8. One mark for each byte that begins nothing.
    EXPECT_EQ(json_string("\xe2\x82"), R"("\ufffd\ufffd")");
    EXPECT_EQ(json_string("\x80"), R"("\ufffd")");
    EXPECT_EQ(json_string("\xc0\xaf"), R"("\ufffd\ufffd")");
    EXPECT_EQ(json_string("\xed\xa0\x80"), R"("\ufffd\ufffd\ufffd")");
    EXPECT_EQ(json_string("\xf4\x90\x80\x80"), R"("\ufffd\ufffd\ufffd\ufffd")");
    EXPECT_EQ(json_string("a\xff"
                          "b"),
              R"("a\ufffdb")");
}

TEST(Json, ALineIsOneObject) {
    JsonLine line;
    EXPECT_EQ(line.text(), "{}\n");
    line.add("name", "p0").add("count", std::uint64_t{18'446'744'073'709'551'615u});
    EXPECT_EQ(line.text(), "{\"name\":\"p0\",\"count\":18446744073709551615}\n");
}

}  // namespace
}  // namespace weir

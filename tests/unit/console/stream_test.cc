// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/console/stream.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(LineBuffer, GivesWholeLinesInOrder) {
    LineBuffer buffer;
    std::string line;
    buffer.add("show po");
    EXPECT_FALSE(buffer.next(line));
    buffer.add("rt\r\nquit\nrest");
    ASSERT_TRUE(buffer.next(line));
    EXPECT_EQ(line, "show port");
    ASSERT_TRUE(buffer.next(line));
    EXPECT_EQ(line, "quit");
    EXPECT_FALSE(buffer.next(line));
    EXPECT_EQ(buffer.rest(), "rest");
    EXPECT_EQ(buffer.rest(), "");
}

TEST(LineBuffer, ALineHasALimitUntilItEnds) {
    LineBuffer buffer;
    buffer.add(std::string(LineBuffer::kLineBytesMax, 'x'));
    EXPECT_FALSE(buffer.too_long());  // 4096 bytes are allowed
    buffer.add("x");
    EXPECT_TRUE(buffer.too_long());  // 4097 are not
    std::string line;
    buffer.add("\n");
    EXPECT_FALSE(buffer.too_long());
    ASSERT_TRUE(buffer.next(line));
    EXPECT_EQ(line.size(), LineBuffer::kLineBytesMax + 1);
}

TEST(LineBuffer, LinesThatWereTakenDoNotCountForTheLimit) {
    LineBuffer buffer;
    std::string line;
    for (int i = 0; i < 3; ++i) {
        buffer.add(std::string(3000, 'x') + "\n");
        ASSERT_TRUE(buffer.next(line));
        EXPECT_FALSE(buffer.too_long());
    }
}

}  // namespace
}  // namespace weir

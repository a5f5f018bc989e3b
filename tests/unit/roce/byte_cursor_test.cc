// SPDX-License-Identifier: BSD-3-Clause
#include "tools/roce/byte_cursor.h"

#include <array>
#include <cstdint>

#include <gtest/gtest.h>

namespace weir::roce {
namespace {

TEST(ByteReader, TakesBigEndianNumbers) {
    const std::array<std::uint8_t, 10> bytes{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    ByteReader in(bytes);
    EXPECT_EQ(in.take_u8(), 1u);
    EXPECT_EQ(in.take_be16(), 0x0203u);
    EXPECT_EQ(in.take_be24(), 0x04'0506u);
    EXPECT_EQ(in.take_be32(), 0x0708'090au);
    EXPECT_TRUE(in.ok());
    EXPECT_TRUE(in.left().empty());
}

TEST(ByteReader, OneByteTooManyGivesZeroAndStaysBad) {
    const std::array<std::uint8_t, 3> bytes{1, 2, 3};
    ByteReader in(bytes);
    EXPECT_EQ(in.take_be32(), 0u);
    EXPECT_FALSE(in.ok());
    // Three bytes are there, but after a failure nothing may look right any more.
    EXPECT_EQ(in.take_u8(), 0u);
    EXPECT_FALSE(in.ok());
}

TEST(ByteWriter, PutsBigEndianNumbers) {
    std::array<std::uint8_t, 9> bytes{};
    ByteWriter out(bytes);
    out.put_be64(0x0102'0304'0506'0708);
    out.put_u8(9);
    EXPECT_TRUE(out.ok());
    EXPECT_EQ(out.written(), 9u);
    EXPECT_EQ(bytes, (std::array<std::uint8_t, 9>{1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST(ByteWriter, WritesNothingOfWhatDoesNotFit) {
    std::array<std::uint8_t, 3> bytes{7, 7, 7};
    ByteWriter out(bytes);
    out.put_be32(0);
    EXPECT_FALSE(out.ok());
    EXPECT_EQ(out.written(), 0u);
    EXPECT_EQ(bytes, (std::array<std::uint8_t, 3>{7, 7, 7}));
}

}  // namespace
}  // namespace weir::roce

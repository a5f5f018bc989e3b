// SPDX-License-Identifier: BSD-3-Clause
#include "config/notice_key.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace weir {
namespace {

const std::string kKey(64, '0');

std::vector<std::uint8_t> bytes_of(std::string_view text) {
    std::vector<std::uint8_t> bytes(text.begin(), text.end());
    bytes.resize(bytes.size() + kNoticeMacBytes);
    return bytes;
}

TEST(NoticeKey, IsSixtyFourHexadecimalDigits) {
    EXPECT_TRUE(parse_notice_key(kKey));
    EXPECT_FALSE(parse_notice_key(kKey.substr(1)));
    EXPECT_FALSE(parse_notice_key(kKey + "0"));
    EXPECT_FALSE(parse_notice_key("g" + kKey.substr(1)));
    EXPECT_FALSE(parse_notice_key(" " + kKey.substr(1)));
    const auto key = parse_notice_key("0aF9" + std::string(60, '1'));
    ASSERT_TRUE(key);
    EXPECT_EQ((*key)[0], 0x0a);
    EXPECT_EQ((*key)[1], 0xf9);
    EXPECT_EQ((*key)[31], 0x11);
}

// RFC 4231 has no case with a key of 32 bytes. This one is its second, key "Jefe", with the zeros
// to the block's end that RFC 2104 section 2 puts there written out as far as the key goes: the
// same block, so the same result, cut to 16 bytes.
TEST(NoticeKey, SignsAsRfc4231Says) {
    const auto key = parse_notice_key("4a656665" + std::string(56, '0'));
    ASSERT_TRUE(key);
    NoticeKey signer(*key);
    auto bytes = bytes_of("what do ya want for nothing?");
    signer.sign(bytes);
    const std::vector<std::uint8_t> expected{0x5b, 0xdc, 0xc1, 0x46, 0xbf, 0x60, 0x75, 0x4e,
                                             0x6a, 0x04, 0x24, 0x26, 0x08, 0x95, 0x75, 0xc7};
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), bytes.end() - kNoticeMacBytes));
    EXPECT_TRUE(signer.is_signed(bytes)) << "it can be used again";
}

TEST(NoticeKey, RefusesEveryChangedBit) {
    NoticeKey signer(*parse_notice_key(kKey));
    auto bytes = bytes_of("ten bytes!");
    signer.sign(bytes);
    for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
        auto changed = bytes;
        changed[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
        ASSERT_FALSE(signer.is_signed(changed)) << bit;
    }
    EXPECT_FALSE(signer.is_signed(std::span(bytes).first(kNoticeMacBytes - 1)));
    NoticeKey other(*parse_notice_key(std::string(63, '0') + "1"));
    EXPECT_FALSE(other.is_signed(bytes));
}

}  // namespace
}  // namespace weir

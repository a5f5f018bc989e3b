// SPDX-License-Identifier: BSD-3-Clause
// Failure notices on the wire.
#include "dataplane/core/notice.h"

#include <vector>

#include <gtest/gtest.h>

namespace weir {
namespace {

DestinationPrefix v4(std::uint32_t address, unsigned length) {
    return {IpAddress::v4(address), static_cast<std::uint8_t>(96 + length)};
}

// 10.2.0.0/24, 2001:db8::/32 and 10.3.0.0/16, in that order.
const std::vector<DestinationPrefix> kPrefixes{
    v4(0x0a02'0000, 24), {{0x2001'0db8'0000'0000, 0}, 32}, v4(0x0a03'0000, 16)};

NoticeHeader header_of(NoticeKind kind = NoticeKind::Lost) {
    return {.origin = 0x0102'0304'0506'0708,
            .sequence = 0x1112'1314'1516'1718,
            .sender_discriminator = 0x2122'2324,
            .receiver_discriminator = 0x3132'3334,
            .kind = kind};
}

std::vector<std::uint8_t> written(std::span<const DestinationPrefix> prefixes = kPrefixes) {
    std::vector<std::uint8_t> bytes(kNoticeBytesMax);
    NoticeHeader header = header_of();
    bytes.resize(write_notice(bytes, header, prefixes));
    return bytes;
}

TEST(Notice, StandsOnTheWireAsTheDocumentSays) {
    const std::vector<std::uint8_t> expected{
        1,    1,    0,    0,    0,    2,    0,    1,     // version, Lost, two of IPv4, one of IPv6
        0x21, 0x22, 0x23, 0x24, 0x31, 0x32, 0x33, 0x34,  // discriminators
        1,    2,    3,    4,    5,    6,    7,    8,     // origin
        0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18,  // sequence
        24,   10,   2,    0,    0,    16,   10,   3,    0, 0,                       // IPv4 first
        32,   0x20, 0x01, 0x0d, 0xb8, 0,    0,    0,    0, 0, 0, 0, 0, 0, 0, 0, 0,  // IPv6
        0,    0,    0,    0,    0,    0,    0,    0,    0, 0, 0, 0, 0, 0, 0, 0};  // not signed yet
    EXPECT_EQ(written(), expected);
}

TEST(Notice, IsReadAsItWasWritten) {
    const auto bytes = written();
    NoticeHeader header;
    ASSERT_EQ(read_notice(bytes, header), NoticeError::None);
    EXPECT_EQ(header.kind, NoticeKind::Lost);
    EXPECT_EQ(header.origin, header_of().origin);
    EXPECT_EQ(header.sequence, header_of().sequence);
    EXPECT_EQ(header.sender_discriminator, header_of().sender_discriminator);
    EXPECT_EQ(header.receiver_discriminator, header_of().receiver_discriminator);
    std::vector<DestinationPrefix> read;
    for_each_prefix(bytes, header, [&](const DestinationPrefix& p) { read.push_back(p); });
    EXPECT_EQ(read, (std::vector{kPrefixes[0], kPrefixes[2], kPrefixes[1]}));
}

TEST(Notice, EveryShorterOrLongerOneIsRefused) {
    const auto whole = written();
    NoticeHeader header;
    for (std::size_t size = 0; size < whole.size(); ++size) {
        const std::vector<std::uint8_t> cut(whole.begin(),
                                            whole.begin() + static_cast<std::ptrdiff_t>(size));
        // 32 + 16 bytes are the shortest.
        ASSERT_EQ(read_notice(cut, header),
                  size < 48 ? NoticeError::Truncated : NoticeError::LengthWrong);
    }
    auto longer = whole;
    longer.push_back(0);
    EXPECT_EQ(read_notice(longer, header), NoticeError::LengthWrong);
}

TEST(Notice, WhatItCannotMeanIsRefused) {
    NoticeHeader header;
    const auto with = [&](std::size_t at, std::uint8_t value) {
        auto bytes = written();
        bytes[at] = value;
        return read_notice(bytes, header);
    };
    EXPECT_EQ(with(0, 0), NoticeError::VersionUnknown);
    EXPECT_EQ(with(0, 2), NoticeError::VersionUnknown);
    EXPECT_EQ(with(1, 0), NoticeError::KindUnknown);
    EXPECT_EQ(with(1, 2), NoticeError::None);
    EXPECT_EQ(with(1, 3), NoticeError::KindUnknown);
    EXPECT_EQ(with(32, 32), NoticeError::None) << "10.2.0.0/32";
    EXPECT_EQ(with(32, 33), NoticeError::PrefixInvalid);
    EXPECT_EQ(with(32, 200), NoticeError::PrefixInvalid) << "96 + 200 = 40 in a byte";
    EXPECT_EQ(with(32, 15), NoticeError::None) << "10.2.0.0/15";
    EXPECT_EQ(with(32, 14), NoticeError::PrefixInvalid) << "10.2.0.0/14 has a bit behind";
    EXPECT_EQ(with(42, 128), NoticeError::None);
    EXPECT_EQ(with(42, 129), NoticeError::PrefixInvalid);
    EXPECT_EQ(with(42, 29), NoticeError::None) << "2001:db8::/29";
    EXPECT_EQ(with(42, 28), NoticeError::PrefixInvalid);
    EXPECT_EQ(with(42 + 16, 1), NoticeError::PrefixInvalid) << "bit 128 of a /32";
    EXPECT_EQ(with(42 + 5, 1), NoticeError::PrefixInvalid) << "bit 40 of a /32";
}

// 256 prefixes of five bytes fill a notice to 32 + 1,280 + 16 = 1,328 bytes; one more is too many.
TEST(Notice, HoldsTwoHundredAndFiftySixIpv4Prefixes) {
    std::vector<DestinationPrefix> prefixes;
    for (unsigned i = 0; i < 256; ++i) prefixes.push_back(v4(0x0a00'0000 + (i << 8), 24));
    auto bytes = written(prefixes);
    EXPECT_EQ(bytes.size(), 1'328u);
    EXPECT_EQ(kNoticeBytesMax, 1'328u);
    NoticeHeader header;
    EXPECT_EQ(read_notice(bytes, header), NoticeError::None);
    // 257 of them would be right but for the length of the whole.
    bytes[4] = 1;
    bytes[5] = 1;
    bytes.insert(bytes.begin() + 32, {24, 11, 0, 0, 0});
    EXPECT_EQ(read_notice(bytes, header), NoticeError::LengthWrong);
}

TEST(Notice, NoPrefixAtAllIsANotice) {
    const auto bytes = written({});
    NoticeHeader header;
    EXPECT_EQ(bytes.size(), 48u);
    EXPECT_EQ(read_notice(bytes, header), NoticeError::None);
}

}  // namespace
}  // namespace weir

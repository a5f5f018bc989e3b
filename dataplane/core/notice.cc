// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/notice.h"

#include <algorithm>

#include "dataplane/core/check.h"

namespace weir {

namespace {

// Bits of the address behind the first `length`.
bool has_bits_behind(const IpAddress& address, unsigned length) {
    const auto mask = [](unsigned kept) {
        return kept == 0 ? ~std::uint64_t{0} : kept >= 64 ? 0 : ~std::uint64_t{0} >> kept;
    };
    return (address.high & mask(length)) != 0 ||
           (address.low & mask(length <= 64 ? 0 : length - 64)) != 0;
}

bool prefixes_right(std::span<const std::uint8_t> payload, const NoticeHeader& header) {
    bool right = true;
    for_each_prefix(payload, header, [&](const DestinationPrefix& prefix) {
        right = right && prefix.length <= 128 && !has_bits_behind(prefix.address, prefix.length);
    });
    return right;
}

// An IPv4 length above 32 would be one above 128 here; 96 + 200 does not fit into its byte.
bool ipv4_lengths_right(const std::uint8_t* at, unsigned prefixes) {
    for (unsigned i = 0; i < prefixes; ++i, at += kNoticeIpv4PrefixBytes) {
        if (*at > 32) return false;
    }
    return true;
}

std::uint8_t* write_prefix(std::uint8_t* at, const DestinationPrefix& prefix) {
    if (notice_bytes_of(prefix) == kNoticeIpv4PrefixBytes) {
        *at = static_cast<std::uint8_t>(prefix.length - 96);
        write_be32(at + 1, prefix.address.v4_value());
        return at + kNoticeIpv4PrefixBytes;
    }
    *at = prefix.length;
    write_ipv6(at + 1, prefix.address);
    return at + kNoticeIpv6PrefixBytes;
}

}  // namespace

NoticeError read_notice(std::span<const std::uint8_t> payload, NoticeHeader& header) {
    if (payload.size() < kNoticeHeaderBytes + kNoticeMacBytes) return NoticeError::Truncated;
    const std::uint8_t* at = payload.data();
    if (at[0] != kNoticeVersion) return NoticeError::VersionUnknown;
    if (at[1] != static_cast<std::uint8_t>(NoticeKind::Lost) &&
        at[1] != static_cast<std::uint8_t>(NoticeKind::Restored)) {
        return NoticeError::KindUnknown;
    }
    header.kind = static_cast<NoticeKind>(at[1]);
    header.ipv4_prefixes = read_be16(at + 4);
    header.ipv6_prefixes = read_be16(at + 6);
    header.sender_discriminator = read_be32(at + 8);
    header.receiver_discriminator = read_be32(at + 12);
    header.origin = read_be64(at + 16);
    header.sequence = read_be64(at + 24);
    if (payload.size() != notice_bytes(header) || payload.size() > kNoticeBytesMax) {
        return NoticeError::LengthWrong;
    }
    if (!ipv4_lengths_right(at + kNoticeHeaderBytes, header.ipv4_prefixes) ||
        !prefixes_right(payload, header)) {
        return NoticeError::PrefixInvalid;
    }
    return NoticeError::None;
}

unsigned write_notice(std::span<std::uint8_t> payload, NoticeHeader& header,
                      std::span<const DestinationPrefix> prefixes) {
    header.ipv4_prefixes = 0;
    for (const DestinationPrefix& prefix : prefixes) {
        if (notice_bytes_of(prefix) == kNoticeIpv4PrefixBytes) ++header.ipv4_prefixes;
    }
    header.ipv6_prefixes = static_cast<std::uint16_t>(prefixes.size() - header.ipv4_prefixes);
    const unsigned bytes = notice_bytes(header);
    WEIR_CHECK(bytes <= payload.size() && bytes <= kNoticeBytesMax);
    std::uint8_t* at = payload.data();
    std::fill_n(at, bytes, std::uint8_t{0});
    at[0] = kNoticeVersion;
    at[1] = static_cast<std::uint8_t>(header.kind);
    write_be16(at + 4, header.ipv4_prefixes);
    write_be16(at + 6, header.ipv6_prefixes);
    write_be32(at + 8, header.sender_discriminator);
    write_be32(at + 12, header.receiver_discriminator);
    write_be64(at + 16, header.origin);
    write_be64(at + 24, header.sequence);
    std::uint8_t* ipv4 = at + kNoticeHeaderBytes;
    std::uint8_t* ipv6 = ipv4 + header.ipv4_prefixes * kNoticeIpv4PrefixBytes;
    for (const DestinationPrefix& prefix : prefixes) {
        std::uint8_t*& next = notice_bytes_of(prefix) == kNoticeIpv4PrefixBytes ? ipv4 : ipv6;
        next = write_prefix(next, prefix);
    }
    return bytes;
}

}  // namespace weir

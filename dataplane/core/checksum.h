// SPDX-License-Identifier: BSD-3-Clause
// The Internet checksum (RFC 1071): the one's complement of the one's complement sum of 16-bit
// words. Sums are kept in the machine's byte order, which only swaps the bytes of the result, and
// may be added to each other as plain numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "dataplane/core/wire.h"

namespace weir {

// The sum over `length` bytes at `at`, an odd last byte filled up with zero. Parts of a message may
// be summed one by one if all but the last have an even length. Less than 2^32 * (length / 4 + 1).
[[nodiscard]] inline std::uint64_t checksum_sum(const std::uint8_t* at, std::size_t length) {
    std::uint64_t sum = 0;
    std::size_t i = 0;
    for (; i + 4 <= length; i += 4) {
        std::uint32_t word = 0;
        std::memcpy(&word, at + i, sizeof word);
        sum += word;
    }
    if (i < length) {
        std::uint32_t rest = 0;
        std::memcpy(&rest, at + i, length - i);
        sum += rest;
    }
    return sum;
}

// Whether an IPv4 header's checksum is right: the sum is a multiple of 0xffff, and not 0, as the
// version is not.
[[nodiscard]] inline bool ipv4_header_right(const std::uint8_t* ip, unsigned header_bytes) {
    return checksum_sum(ip, header_bytes) % 0xffff == 0;
}

// The same for a header without options: 20 bytes in words of 64 bits. A carry comes round as 1,
// which keeps the rest of a division by 2^64 - 1, and so by 0xffff, a factor of it.
[[nodiscard]] inline bool ipv4_header_right(const std::uint8_t* ip) {
    std::uint64_t sum = 0;
    const bool carry = __builtin_add_overflow(load_64(ip), load_64(ip + 8), &sum);
    sum += carry ? 1 : 0;
    const bool again = __builtin_add_overflow(sum, std::uint64_t{load_32(ip + 16)}, &sum);
    sum += again ? 1 : 0;
    return sum % 0xffff == 0;
}

// What a 16-bit word that stands on the wire as `word` adds to a sum.
[[nodiscard]] inline std::uint64_t checksum_word(std::uint16_t word) {
    return __builtin_bswap16(word);
}

// The checksum field, as a number to be written big-endian. Over bytes that hold their own checksum
// it is 0 if that is right.
[[nodiscard]] inline std::uint16_t checksum_of(std::uint64_t sum) {
    sum = (sum & 0xffff'ffff) + (sum >> 32);
    sum = (sum & 0xffff'ffff) + (sum >> 32);
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    return static_cast<std::uint16_t>(~__builtin_bswap16(static_cast<std::uint16_t>(sum)));
}

// The checksum after one of the words it covers changed from `before` to `after` (RFC 1624,
// equation 3).
[[nodiscard]] inline std::uint16_t checksum_changed(std::uint16_t checksum, std::uint16_t before,
                                                    std::uint16_t after) {
    std::uint32_t sum = std::uint32_t{static_cast<std::uint16_t>(~checksum)} +
                        static_cast<std::uint16_t>(~before) + after;
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    return static_cast<std::uint16_t>(~sum);
}

}  // namespace weir

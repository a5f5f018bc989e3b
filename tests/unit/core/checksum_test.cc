// SPDX-License-Identifier: BSD-3-Clause
// The quick forms of the Internet checksum against the plain one.
#include "dataplane/core/checksum.h"

#include <algorithm>
#include <array>

#include <gtest/gtest.h>

#include "dataplane/core/prng.h"
#include "dataplane/core/send.h"

namespace weir {
namespace {

using Header = std::array<std::uint8_t, 20>;

// RFC 1071 as it is written: 16-bit words, carries added at the end.
bool right_by_words(const Header& header) {
    std::uint32_t sum = 0;
    for (unsigned i = 0; i < 20; i += 2) sum += read_be16(header.data() + i);
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    return sum == 0xffff;
}

TEST(Checksum, ShortHeaderFormSaysWhatTheWordsSay) {
    Prng prng{11};
    unsigned right = 0;
    for (unsigned i = 0; i < 200'000; ++i) {
        Header header;
        // Many 0xff and 0x00 bytes: the carries out of the 64-bit sums.
        for (std::uint8_t& byte : header) {
            const std::uint32_t draw = prng.below(4);
            byte = draw == 0 ? 0xff : draw == 1 ? 0 : static_cast<std::uint8_t>(prng.below(256));
        }
        header[0] = 0x45;
        if (i % 2 == 0) {
            write_be16(header.data() + 10, 0);
            write_be16(header.data() + 10, checksum_of(checksum_sum(header.data(), 20)));
        }
        ASSERT_EQ(ipv4_header_right(header.data()), right_by_words(header)) << i;
        ASSERT_EQ(ipv4_header_right(header.data(), 20), right_by_words(header)) << i;
        right += right_by_words(header) ? 1 : 0;
    }
    EXPECT_GE(right, 100'000u);
}

// Every checksum field there is, with the lowest and highest TTL that may be counted down: what RFC
// 1624 equation 3 gives for the changed word.
TEST(Checksum, CountingDownTtlIsRfc1624OverAllChecksums) {
    for (const unsigned ttl : {1u, 2u, 64u, 255u}) {
        for (std::uint32_t checksum = 0; checksum <= 0xffff; ++checksum) {
            Header header{};
            header[8] = static_cast<std::uint8_t>(ttl);
            header[9] = 17;
            write_be16(header.data() + 10, static_cast<std::uint16_t>(checksum));
            const std::uint16_t before = read_be16(header.data() + 8);
            count_down_ttl_ipv4(header.data());
            const std::uint16_t after = read_be16(header.data() + 8);
            ASSERT_EQ(header[8], ttl - 1);
            ASSERT_EQ(header[9], 17);
            ASSERT_EQ(read_be16(header.data() + 10),
                      checksum_changed(static_cast<std::uint16_t>(checksum), before, after))
                << "ttl " << ttl << " checksum " << checksum;
        }
    }
}

}  // namespace
}  // namespace weir

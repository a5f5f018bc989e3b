// SPDX-License-Identifier: BSD-3-Clause
#include "tools/gen/pcap_file.h"

#include <array>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace weir::gen {
namespace {

TEST(PcapFile, WritesTheClassicFormat) {
    std::ostringstream out;
    PcapFile file(out);
    const std::array<std::uint8_t, 3> frame{0xaa, 0x00, 0xff};
    file.add(2'000'005, frame);
    using std::string_literals::operator""s;
    EXPECT_EQ(out.str(),
              // Magic, version 2.4, zone, accuracy, longest frame 65535, Ethernet.
              "\xd4\xc3\xb2\xa1\x02\x00\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00"
              "\xff\xff\x00\x00\x01\x00\x00\x00"
              // 2 s, 5 us, 3 bytes of 3.
              "\x02\x00\x00\x00\x05\x00\x00\x00\x03\x00\x00\x00\x03\x00\x00\x00"
              "\xaa\x00\xff"s);
}

}  // namespace
}  // namespace weir::gen

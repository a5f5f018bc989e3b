// SPDX-License-Identifier: BSD-3-Clause
// Every RoCEv2 frame of real captures is read, found right, and written again byte for byte.
#include "tests/unit/roce/captures.h"

#include <cstdint>
#include <cstdio>
#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/roce/samples.h"
#include "tools/roce/frame_reader.h"
#include "tools/roce/frame_writer.h"

namespace weir::roce {
namespace {

class Captures : public testing::Test {
  protected:
    void SetUp() override {
        if (frames_.empty()) GTEST_SKIP() << "no captures in " << captures_dir();
    }

    std::vector<Bytes> frames_ = captured_frames();
};

// A filter that shares nothing with the reader: none of the captures has tags, options or
// extension headers, so UDP destination port 4791 is at a fixed place.
bool for_roce_port(const Bytes& frame) {
    if (frame.size() < 58) return false;
    const bool ipv4 = frame[12] == 0x08 && frame[13] == 0x00 && frame[23] == 17;
    const bool ipv6 = frame[12] == 0x86 && frame[13] == 0xdd && frame[20] == 17;
    const std::size_t port = ipv4 ? 36 : 56;
    return (ipv4 || ipv6) && frame[port] == 0x12 && frame[port + 1] == 0xb7;
}

TEST_F(Captures, EveryRoceFrameIsReadAndWrittenAgain) {
    std::size_t ipv4 = 0;
    std::size_t ipv6 = 0;
    for (const Bytes& bytes : frames_) {
        if (!for_roce_port(bytes)) continue;
        Reading reading;
        ASSERT_EQ(read_frame(bytes, reading), ReadError::None);
        EXPECT_TRUE(reading.icrc_right);
        EXPECT_EQ(written(reading.frame), bytes);
        ++(reading.frame.source.ipv6 ? ipv6 : ipv4);
    }
    EXPECT_GT(ipv4, 0u);
    EXPECT_GT(ipv6, 0u);
    RecordProperty("frames_ipv4", static_cast<int>(ipv4));
    RecordProperty("frames_ipv6", static_cast<int>(ipv6));
    std::printf("%zu IPv4 and %zu IPv6 frames\n", ipv4, ipv6);
}

TEST_F(Captures, EverythingElseIsOtherTraffic) {
    for (const Bytes& bytes : frames_) {
        if (for_roce_port(bytes)) continue;
        Reading reading;
        EXPECT_EQ(read_frame(bytes, reading), ReadError::NotRoce);
    }
}

TEST_F(Captures, ATagInFrontOfIpLeavesTheIcrcRight) {
    for (Bytes bytes : frames_) {
        if (!for_roce_port(bytes)) continue;
        bytes.insert(bytes.begin() + 12, {0x81, 0x00, 0x60, 0x0a});
        Reading reading;
        ASSERT_EQ(read_frame(bytes, reading), ReadError::None);
        EXPECT_TRUE(reading.icrc_right);
        EXPECT_EQ(reading.frame.vlan, (VlanTag{.vid = 10, .pcp = 3}));
        EXPECT_EQ(written(reading.frame), bytes);
    }
}

TEST_F(Captures, EveryTruncationIsAnErrorAndReadsNothingBeyond) {
    for (const Bytes& bytes : frames_) {
        if (!for_roce_port(bytes) || bytes.size() > 200) continue;
        for (std::size_t count = 0; count < bytes.size(); ++count) {
            const GuardedBytes cut{std::span(bytes).first(count)};
            Reading reading;
            EXPECT_EQ(read_frame(cut.get(), reading), ReadError::Truncated);
        }
    }
}

}  // namespace
}  // namespace weir::roce

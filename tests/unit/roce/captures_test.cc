// SPDX-License-Identifier: BSD-3-Clause
// Every RoCEv2 frame of real captures is read, found right, and written again byte for byte.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/roce/samples.h"
#include "tools/roce/frame_reader.h"
#include "tools/roce/frame_writer.h"

namespace weir::roce {
namespace {

std::filesystem::path captures_dir() {
    const char* other = std::getenv("WEIR_CAPTURES_DIR");
    return other != nullptr ? other : WEIR_CAPTURES_DIR;
}

std::uint32_t le32(const Bytes& bytes, std::size_t offset) {
    std::uint32_t value = 0;
    for (std::size_t i = 4; i > 0; --i) value = value << 8 | bytes.at(offset + i - 1);
    return value;
}

// Classic pcap with little-endian headers.
std::vector<Bytes> frames_in(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    const Bytes bytes{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(le32(bytes, 0), 0xa1b2'c3d4u) << path;
    std::vector<Bytes> frames;
    for (std::size_t at = 24; at + 16 <= bytes.size();) {
        const std::size_t count = le32(bytes, at + 8);
        const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(at) + 16;
        if (at + 16 + count > bytes.size()) {
            ADD_FAILURE() << path << " is cut";
            break;
        }
        frames.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(count));
        at += 16 + count;
    }
    return frames;
}

std::vector<Bytes> captured_frames() {
    std::vector<Bytes> frames;
    if (!std::filesystem::is_directory(captures_dir())) return frames;
    for (const auto& entry : std::filesystem::directory_iterator(captures_dir())) {
        if (entry.path().extension() != ".pcap") continue;
        std::ranges::move(frames_in(entry.path()), std::back_inserter(frames));
    }
    return frames;
}

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

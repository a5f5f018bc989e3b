// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/roce/captures.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

namespace weir::roce {
namespace {

std::uint32_t le32(const Bytes& bytes, std::size_t offset) {
    std::uint32_t value = 0;
    for (std::size_t i = 4; i > 0; --i) value = value << 8 | bytes.at(offset + i - 1);
    return value;
}

}  // namespace

std::filesystem::path captures_dir() {
    const char* other = std::getenv("WEIR_CAPTURES_DIR");
    return other != nullptr ? other : WEIR_CAPTURES_DIR;
}

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

}  // namespace weir::roce

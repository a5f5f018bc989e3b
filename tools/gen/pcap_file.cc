// SPDX-License-Identifier: BSD-3-Clause
#include "tools/gen/pcap_file.h"

namespace weir::gen {
namespace {

constexpr std::uint32_t kMagic = 0xa1b2'c3d4;
constexpr std::uint32_t kVersion = 2 | 4 << 16;  // 2.4, two 16-bit fields
constexpr std::uint32_t kSnapLength = 65'535;
constexpr std::uint32_t kLinkTypeEthernet = 1;
constexpr std::uint64_t kMicrosecondsPerSecond = 1'000'000;

}  // namespace

PcapFile::PcapFile(std::ostream& out) : out_(out) {
    put_le32(kMagic);
    put_le32(kVersion);
    put_le32(0);  // time zone
    put_le32(0);  // accuracy of the times
    put_le32(kSnapLength);
    put_le32(kLinkTypeEthernet);
}

void PcapFile::add(std::uint64_t time_us, std::span<const std::uint8_t> frame) {
    const auto bytes = static_cast<std::uint32_t>(frame.size());
    put_le32(static_cast<std::uint32_t>(time_us / kMicrosecondsPerSecond));
    put_le32(static_cast<std::uint32_t>(time_us % kMicrosecondsPerSecond));
    put_le32(bytes);
    put_le32(bytes);
    for (const std::uint8_t byte : frame) out_.put(static_cast<char>(byte));
}

void PcapFile::put_le32(std::uint32_t value) {
    for (unsigned shift = 0; shift < 32; shift += 8) {
        out_.put(static_cast<char>(static_cast<std::uint8_t>(value >> shift)));
    }
}

}  // namespace weir::gen

// SPDX-License-Identifier: BSD-3-Clause
#include "tools/roce/icrc.h"

#include <array>
#include <cstddef>
#include <numeric>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/roce/samples.h"
#include "tools/roce/wire.h"

namespace weir::roce {
namespace {

constexpr std::size_t kIp4 = kEthernetBytes;

std::uint32_t stated_icrc(const Bytes& frame) {
    const std::size_t n = frame.size();
    return static_cast<std::uint32_t>(frame[n - 4]) |
           static_cast<std::uint32_t>(frame[n - 3]) << 8 |
           static_cast<std::uint32_t>(frame[n - 2]) << 16 |
           static_cast<std::uint32_t>(frame[n - 1]) << 24;
}

std::optional<std::uint32_t> computed_icrc(const Bytes& frame, std::size_t ip_offset = kIp4) {
    return icrc(std::span(frame).subspan(ip_offset, frame.size() - ip_offset - kIcrcBytes));
}

Bytes counting(std::size_t count) {
    Bytes bytes(count);
    std::iota(bytes.begin(), bytes.end(), std::uint8_t{1});
    return bytes;
}

TEST(Icrc, IsTheOneThatTwoNicsPutOnTheWire) {
    for (const Bytes& frame : acknowledgements()) {
        EXPECT_EQ(computed_icrc(frame), stated_icrc(frame));
    }
    // The bytes 25 9c c2 16, low one first.
    EXPECT_EQ(computed_icrc(acknowledgements()[0]), 0x16c2'9c25u);
}

// Flips every bit of the packet, one at a time: the ICRC must stay the same exactly if the byte, or
// half of it, belongs to a field that it does not cover. `masked` holds bit numbers in the packet.
void expect_blind_exactly_at(const Bytes& frame, std::size_t ip_offset,
                             const std::set<std::size_t>& masked) {
    const std::optional<std::uint32_t> right = computed_icrc(frame, ip_offset);
    ASSERT_TRUE(right);
    const std::size_t bits = 8 * (frame.size() - ip_offset - kIcrcBytes);
    for (std::size_t bit = 0; bit < bits; ++bit) {
        // The version and header length decide where everything else is.
        if (bit < (frame[ip_offset] >> 4 == 4 ? 8u : 4u)) continue;
        Bytes changed = frame;
        changed[ip_offset + bit / 8] ^= static_cast<std::uint8_t>(0x80 >> bit % 8);
        EXPECT_EQ(computed_icrc(changed, ip_offset) == right, masked.contains(bit))
            << "bit " << bit % 8 << " of byte " << bit / 8;
    }
}

std::set<std::size_t> bits_of(const std::vector<std::array<std::size_t, 2>>& ranges) {
    std::set<std::size_t> bits;
    for (const auto& [first, count] : ranges) {
        for (std::size_t i = 0; i < count; ++i) bits.insert(first + i);
    }
    return bits;
}

TEST(Icrc, Ipv4IsBlindToTosTtlChecksumsAndCongestionBitsOnly) {
    const Bytes payload = counting(33);
    // TOS byte 1, TTL byte 8, checksum bytes 10..11, UDP checksum at 20 + 6, BTH byte 4 at 28 + 4.
    expect_blind_exactly_at(written(sample_ipv4(payload)), kIp4,
                            bits_of({{8, 8}, {64, 8}, {80, 16}, {26 * 8, 16}, {32 * 8, 8}}));
}

TEST(Icrc, Ipv6IsBlindToClassLabelHopLimitChecksumAndCongestionBitsOnly) {
    const Bytes payload = counting(33);
    // Class and label are the 28 bits after the version, the hop limit is byte 7, the UDP checksum
    // at 40 + 6, BTH byte 4 at 48 + 4.
    expect_blind_exactly_at(written(sample_ipv6(payload)), kIp4,
                            bits_of({{4, 28}, {56, 8}, {46 * 8, 16}, {52 * 8, 8}}));
}

TEST(Icrc, CoversIpv4Options) {
    Bytes packet = written(sample_ipv4(counting(8)));
    packet.erase(packet.begin(), packet.begin() + kIp4);
    packet.resize(packet.size() - kIcrcBytes);
    const std::optional<std::uint32_t> without = icrc(packet);
    packet[0] = 0x46;
    packet.insert(packet.begin() + 20, {1, 1, 1, 0});
    const std::optional<std::uint32_t> with = icrc(packet);
    ASSERT_TRUE(with);
    EXPECT_NE(with, without);
    // The UDP checksum has moved from 26 to 30 and must still be masked there.
    packet[30] ^= 0xff;
    EXPECT_EQ(icrc(packet), with);
}

TEST(Icrc, HeadersThatAreCutGiveNone) {
    const Bytes frame = acknowledgements()[0];
    // 20 IPv4 + 8 UDP + 12 BTH = 40 bytes are the least.
    for (std::size_t count = 0; count < 40; ++count) {
        const GuardedBytes cut{std::span(frame).subspan(kIp4, count)};
        EXPECT_FALSE(icrc(cut.get())) << count;
    }
    const GuardedBytes least{std::span(frame).subspan(kIp4, 40)};
    EXPECT_TRUE(icrc(least.get()));
}

TEST(Icrc, UnknownVersionsAndShortHeaderLengthsGiveNone) {
    Bytes packet = counting(200);
    for (unsigned first = 0; first < 256; ++first) {
        packet[0] = static_cast<std::uint8_t>(first);
        const bool readable = first >> 4 == 6 || (first >= 0x45 && first <= 0x4f);
        EXPECT_EQ(icrc(packet).has_value(), readable) << first;
    }
}

}  // namespace
}  // namespace weir::roce

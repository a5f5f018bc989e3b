// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/bfd.h"

#include <array>
#include <vector>

#include <gtest/gtest.h>

namespace weir {
namespace {

using Bytes24 = std::array<std::uint8_t, kBfdBytes>;

// Version 1, diagnostic 0, Up, no flags, multiplier 3, 24 bytes; discriminators 1 and 2; 100,000,
// 300,000 and 0 us.
constexpr Bytes24 kUp = {0x20, 0xc0, 3,    24,   0, 0, 0,    1,    0, 0, 0, 2,
                         0,    1,    0x86, 0xa0, 0, 4, 0x93, 0xe0, 0, 0, 0, 0};

BfdDiscard read(std::vector<std::uint8_t> bytes) {
    BfdPacket packet;
    return read_bfd(bytes, packet);
}

std::vector<std::uint8_t> with(std::size_t at, std::uint8_t value) {
    std::vector<std::uint8_t> bytes(kUp.begin(), kUp.end());
    bytes[at] = value;
    return bytes;
}

TEST(Bfd, ReadsEachField) {
    BfdPacket packet;
    ASSERT_EQ(read_bfd(kUp, packet), BfdDiscard::kCount);
    EXPECT_EQ(packet.state, SessionState::Up);
    EXPECT_EQ(packet.detect_mult, 3);
    EXPECT_EQ(packet.my_discriminator, 1u);
    EXPECT_EQ(packet.your_discriminator, 2u);
    EXPECT_EQ(packet.desired_min_tx_us, 100'000u);
    EXPECT_EQ(packet.required_min_rx_us, 300'000u);
    EXPECT_EQ(packet.required_min_echo_rx_us, 0u);
}

// Flags P 0x20, F 0x10, C 0x08, A 0x04, D 0x02 behind the two bits of the state (RFC 5880 4.1).
TEST(Bfd, ReadsEachFlagAlone) {
    for (const auto& [bit, field] : {std::pair{0x20, &BfdPacket::poll},
                                     {0x10, &BfdPacket::final},
                                     {0x08, &BfdPacket::control_plane_independent},
                                     {0x02, &BfdPacket::demand}}) {
        BfdPacket packet;
        const auto bytes = with(1, static_cast<std::uint8_t>(0x80 | bit));
        ASSERT_EQ(read_bfd(bytes, packet), BfdDiscard::kCount);
        EXPECT_EQ(packet.state, SessionState::Init);
        EXPECT_TRUE(packet.*field) << bit;
        EXPECT_EQ(packet.poll + packet.final + packet.control_plane_independent + packet.demand, 1);
    }
}

TEST(Bfd, WritesWhatItReads) {
    BfdPacket packet;
    ASSERT_EQ(read_bfd(kUp, packet), BfdDiscard::kCount);
    Bytes24 bytes{};
    write_bfd(bytes, packet);
    EXPECT_EQ(bytes, kUp);
    packet = {.state = SessionState::AdminDown,
              .diagnostic = Diagnostic::AdministrativelyDown,
              .detect_mult = 255,
              .poll = true,
              .my_discriminator = 0xffff'ffff,
              .desired_min_tx_us = 1'000'000};
    write_bfd(bytes, packet);
    EXPECT_EQ(bytes[0], 0x27);  // version 1 << 5 | 7
    EXPECT_EQ(bytes[1], 0x20);  // AdminDown 0 << 6 | P
    BfdPacket again;
    ASSERT_EQ(read_bfd(bytes, again), BfdDiscard::kCount);
    EXPECT_EQ(again, packet);
}

TEST(Bfd, RefusesWhatIsShorterThanTheMandatorySection) {
    const std::vector<std::uint8_t> whole(kUp.begin(), kUp.end());
    for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
        EXPECT_EQ(read({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(bytes)}),
                  BfdDiscard::Truncated);
    }
    EXPECT_EQ(read(whole), BfdDiscard::kCount);
}

TEST(Bfd, RefusesOtherVersions) {
    EXPECT_EQ(read(with(0, 0x00)), BfdDiscard::VersionUnknown);
    EXPECT_EQ(read(with(0, 0x40)), BfdDiscard::VersionUnknown);
    EXPECT_EQ(read(with(0, 0x3f)), BfdDiscard::kCount);  // version 1, diagnostic 31
}

// Length: at least 24, at most the payload.
TEST(Bfd, RefusesALengthThatCannotBe) {
    EXPECT_EQ(read(with(3, 23)), BfdDiscard::LengthWrong);
    EXPECT_EQ(read(with(3, 25)), BfdDiscard::LengthWrong);
    std::vector<std::uint8_t> longer = with(3, 25);
    longer.push_back(0);
    EXPECT_EQ(read(longer), BfdDiscard::kCount);
    longer[3] = 24;  // what is behind it does not matter
    EXPECT_EQ(read(longer), BfdDiscard::kCount);
}

// With the A bit 26 bytes are the least.
TEST(Bfd, RefusesAnAuthenticationSectionThatIsNotThere) {
    std::vector<std::uint8_t> bytes = with(1, 0xc4);
    EXPECT_EQ(read(bytes), BfdDiscard::LengthWrong);
    bytes.resize(26);
    bytes[3] = 25;
    EXPECT_EQ(read(bytes), BfdDiscard::LengthWrong);
    bytes[3] = 26;
    BfdPacket packet;
    EXPECT_EQ(read_bfd(bytes, packet), BfdDiscard::kCount);  // whether it is wanted: the session
    EXPECT_TRUE(packet.authenticated);
}

TEST(Bfd, RefusesMultiplierZeroMultipointAndNoDiscriminator) {
    EXPECT_EQ(read(with(2, 0)), BfdDiscard::DetectMultZero);
    EXPECT_EQ(read(with(2, 1)), BfdDiscard::kCount);
    EXPECT_EQ(read(with(1, 0xc1)), BfdDiscard::Multipoint);
    EXPECT_EQ(read(with(7, 0)), BfdDiscard::MyDiscriminatorZero);
}

}  // namespace
}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#include "tools/roce/frame_writer.h"

#include <array>
#include <cstddef>

#include <gtest/gtest.h>

#include "tests/unit/roce/samples.h"
#include "tools/roce/address.h"

namespace weir::roce {
namespace {

TEST(FrameWriter, WritesTheFramesThatNicsSent) {
    // The three acknowledgements, from their fields as dissected by hand.
    Frame frame{
        .destination_mac = {0x18, 0x3d, 0x5e, 0xbf, 0x43, 0x71},
        .source_mac = {0x18, 0x3d, 0x5e, 0xbf, 0x51, 0x92},
        .source = parse_ip("192.168.70.6").value(),
        .destination = parse_ip("192.168.70.4").value(),
        .ecn = kEcnCapable0,
        .source_port = 72,
        .bth = {.opcode = Opcode::Acknowledge, .migration_request = true, .destination_qp = 69},
        .aeth = {.syndrome = 6, .msn = 1}};
    // 14 + 20 + 8 + 12 + 4 + 4 = 62 bytes: no Ethernet padding.
    EXPECT_EQ(written(frame), acknowledgements()[0]);

    std::swap(frame.destination_mac, frame.source_mac);
    std::swap(frame.destination, frame.source);
    frame.source_port = 69;
    frame.bth.destination_qp = 72;
    frame.aeth.msn = 0;
    EXPECT_EQ(written(frame), acknowledgements()[1]);

    frame.bth.psn = 1;
    frame.aeth.msn = 1;
    EXPECT_EQ(written(frame), acknowledgements()[2]);
}

TEST(FrameWriter, WritesTheTag) {
    const Bytes bytes = written(sample_vlan({}));
    EXPECT_EQ(Bytes(bytes.begin() + 12, bytes.begin() + 18), from_hex("810060640800"));
    Frame frame = sample_vlan({});
    frame.vlan = VlanTag{.vid = 0xfff, .pcp = 7, .drop_eligible = true};
    EXPECT_EQ(written(frame)[14], 0xff);
    EXPECT_EQ(written(frame)[15], 0xff);
}

TEST(FrameWriter, PadsThePayloadToFourBytesAndSaysHowMany) {
    const std::array<std::uint8_t, 5> payload{1, 2, 3, 4, 5};
    for (std::size_t count = 0; count <= 5; ++count) {
        const Bytes bytes = written(sample_ipv4(std::span(payload).first(count)));
        const std::size_t pad = (4 - count % 4) % 4;
        EXPECT_EQ(bytes[14 + 20 + 8 + 1] >> 4 & 3u, pad);
        // UDP length at 14 + 20 + 4: 8 + 12 + payload + pad + 4.
        EXPECT_EQ(bytes[38] << 8 | bytes[39], static_cast<int>(24 + count + pad));
    }
}

TEST(FrameWriter, PadsTheFrameToSixtyBytesAndNoFurther) {
    // 14 + 20 + 8 + 12 + 4 = 58: two bytes of Ethernet padding, which the IP length leaves out.
    const Bytes least = written(sample_ipv4({}));
    ASSERT_EQ(least.size(), 60u);
    EXPECT_EQ(least[16] << 8 | least[17], 44);
    EXPECT_EQ(least[58], 0);
    EXPECT_EQ(least[59], 0);
    // One payload byte takes four: 58 + 4 = 62.
    const std::array<std::uint8_t, 1> one{};
    EXPECT_EQ(written(sample_ipv4(one)).size(), 62u);
}

TEST(FrameWriter, NeedsExactlyFrameBytes) {
    const std::array<std::uint8_t, 10> payload{};
    for (const Frame& frame : {sample_ipv4(payload), sample_ipv6(payload), sample_vlan(payload)}) {
        Bytes out(frame_bytes(frame));
        EXPECT_EQ(write_frame(frame, out), out.size());
        out.pop_back();
        EXPECT_EQ(write_frame(frame, out), 0u);
    }
}

TEST(FrameWriter, TakesPayloadUpToTheLargestMtu) {
    const Bytes payload(kPayloadBytesMax + 1, 0x5a);
    Bytes out(2 * kFrameBytesMax);
    Frame frame = sample_ipv6(std::span(payload).first(kPayloadBytesMax));
    frame.vlan = VlanTag{};
    // 14 + 4 + 40 + 8 + 12 + 16 + 4096 + 4 = 4194.
    EXPECT_EQ(write_frame(frame, out), 4194u);
    frame.payload = payload;
    EXPECT_EQ(write_frame(frame, out), 0u);
    frame.payload = std::span(payload).first(kPayloadBytesMax);
    frame.bth.opcode = Opcode::CompareSwap;
    EXPECT_EQ(write_frame(frame, out), kFrameBytesMax);
}

TEST(FrameWriter, RefusesAddressesOfTwoKinds) {
    Frame frame = sample_ipv4({});
    frame.destination = parse_ip("2001:db8::1").value();
    Bytes out(200);
    EXPECT_EQ(write_frame(frame, out), 0u);
}

TEST(FrameWriter, WritesACongestionNotification) {
    Frame frame = sample_ipv4({});
    frame.bth.opcode = Opcode::CongestionNotification;
    frame.bth.becn = true;
    const Bytes bytes = written(frame);
    // IP length 20 + 8 + 12 + 16 + 4 = 60; UDP length 40 is a payload of 32.
    EXPECT_EQ(bytes[17], 60);
    EXPECT_EQ(bytes[39], 40);
    EXPECT_EQ(bytes[42], 0x81);
    EXPECT_EQ(bytes[46], 0x40);
    EXPECT_EQ(Bytes(bytes.begin() + 54, bytes.begin() + 70), Bytes(16, 0));
}

}  // namespace
}  // namespace weir::roce

// SPDX-License-Identifier: BSD-3-Clause
// Frames of headers alone are the beginnings of the whole frames.
#include "tools/roce/packet_writer.h"

#include <array>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/roce/samples.h"
#include "tests/unit/roce/virtual_wire.h"
#include "tools/roce/packet_reader.h"

namespace weir::roce {
namespace {

struct Case {
    HostConfig host;
    HostConfig peer;
    QpConfig config;
};

std::vector<Case> cases() {
    std::vector<Case> all;
    for (const bool ipv6 : {false, true}) {
        for (const bool tagged : {false, true}) {
            Case one;
            one.host.mac = mac_of(0);
            one.peer.mac = mac_of(1);
            one.host.ip = ipv6 ? IpAddress{{0x20, 1, 0xd, 0xb8, 1}, true} : ip_of(0);
            one.peer.ip = ipv6 ? IpAddress{{0x20, 1, 0xd, 0xb8, 2}, true} : ip_of(1);
            one.config.peer_ip = one.peer.ip;
            one.config.next_hop = one.peer.mac;
            one.config.source_port = 0xc123;
            if (tagged) one.config.vlan = VlanTag{.vid = 7, .pcp = 3};
            all.push_back(one);
        }
    }
    return all;
}

// One for each set of extended headers, with payloads that need 0 to 3 bytes of pad.
std::vector<Packet> packets() {
    std::vector<Packet> all;
    const std::array<Opcode, 10> opcodes{
        Opcode::SendOnly,           Opcode::SendLastImmediate,
        Opcode::WriteFirst,         Opcode::WriteMiddle,
        Opcode::WriteOnlyImmediate, Opcode::ReadRequest,
        Opcode::ReadResponseOnly,   Opcode::ReadResponseMiddle,
        Opcode::Acknowledge,        Opcode::CongestionNotification};
    for (std::uint32_t i = 0; i < opcodes.size(); ++i) {
        Packet packet;
        packet.opcode = opcodes[i];
        packet.ack_request = i % 2 == 0;
        packet.becn = opcodes[i] == Opcode::CongestionNotification;
        packet.dscp = static_cast<std::uint8_t>(i * 6);
        packet.ecn = static_cast<std::uint8_t>(i % 3);
        packet.destination_qp = 0xabcdef - i;
        packet.psn = (0xfffffe + i * 0x1111) & kPsnMask;
        const bool bare =
            opcodes[i] == Opcode::ReadRequest || opcodes[i] == Opcode::Acknowledge || packet.becn;
        packet.payload_bytes = bare ? 0 : 250 + i;
        const ExtendedHeaders present = extended_headers(packet.opcode);
        if (present.reth) packet.reth = {0x1122'3344'5566'7788, 0x99aa'bbcc, 0x1234'5678};
        if (present.aeth) packet.aeth = {0x60, 0x123456};
        if (present.immediate) packet.immediate = 0xdeadbeef;
        all.push_back(packet);
    }
    return all;
}

TEST(PacketWriter, HeadersAreTheBeginningOfTheWholeFrame) {
    for (const Case& one : cases()) {
        const PacketWriter writer(one.host, one.config);
        for (const Packet& packet : packets()) {
            std::array<std::uint8_t, kHeadersBytesMax> headers{};
            std::array<std::uint8_t, kFrameBytesMax> whole{};
            const Written short_one = writer.write_headers(packet, headers);
            const Written long_one = PacketWriter::write_whole(one.host, one.config, packet, whole);
            EXPECT_EQ(short_one.length, long_one.length);
            EXPECT_EQ(long_one.readable, long_one.length);
            ASSERT_LE(short_one.readable, short_one.length);
            EXPECT_EQ(Bytes(headers.begin(), headers.begin() + short_one.readable),
                      Bytes(whole.begin(), whole.begin() + short_one.readable))
                << "opcode " << unsigned(packet.opcode);
        }
    }
}

// RFC 1071: the words of a right header add up to 0xffff. 64 addresses and 1,024 lengths lead
// through all sums, those that carry twice among them.
TEST(PacketWriter, TheIpv4ChecksumIsRightForEverySum) {
    Case one = cases().front();
    for (unsigned address = 0; address < 64; ++address) {
        one.host.ip = {{250, 250, 250, 250}};
        one.config.peer_ip = {{250, 250, static_cast<std::uint8_t>(address * 4), 2}};
        const PacketWriter writer(one.host, one.config);
        for (std::uint32_t payload = 0; payload <= 1024; ++payload) {
            std::array<std::uint8_t, kHeadersBytesMax> headers{};
            (void)writer.write_headers({.payload_bytes = payload}, headers);
            unsigned sum = 0;
            for (unsigned i = 14; i < 34; i += 2) sum += headers[i] * 256u + headers[i + 1];
            while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
            ASSERT_EQ(sum, 0xffffu) << address << " " << payload;
        }
    }
}

void expect_same(const Packet& read, const Packet& packet) {
    EXPECT_EQ(read.opcode, packet.opcode);
    EXPECT_EQ(read.ack_request, packet.ack_request);
    EXPECT_EQ(read.becn, packet.becn);
    EXPECT_EQ(read.dscp, packet.dscp);
    EXPECT_EQ(read.ecn, packet.ecn);
    EXPECT_EQ(read.destination_qp, packet.destination_qp);
    EXPECT_EQ(read.psn, packet.psn);
    EXPECT_EQ(read.payload_bytes, packet.payload_bytes);
    EXPECT_EQ(read.immediate, packet.immediate);
    EXPECT_EQ(read.reth, packet.reth);
    EXPECT_EQ(read.aeth, packet.aeth);
}

TEST(PacketReader, ReadsBothKindsOfFrame) {
    for (const Case& one : cases()) {
        const PacketWriter writer(one.host, one.config);
        for (const Packet& packet : packets()) {
            std::array<std::uint8_t, kHeadersBytesMax> headers{};
            std::array<std::uint8_t, kFrameBytesMax> whole{};
            const Written short_one = writer.write_headers(packet, headers);
            const Written long_one = PacketWriter::write_whole(one.host, one.config, packet, whole);
            Packet read;
            ASSERT_EQ(read_headers(one.peer, std::span(headers).first(short_one.readable), read),
                      PacketError::None);
            expect_same(read, packet);
            Packet read_again;
            ASSERT_EQ(read_whole(one.peer, std::span(whole).first(long_one.readable), read_again),
                      PacketError::None);
            expect_same(read_again, packet);
            EXPECT_EQ(read_again.payload.size(), packet.payload_bytes);
        }
    }
}

// Cut at every byte: never read beyond its end, and never taken for whole.
TEST(PacketReader, RefusesHeadersThatAreCut) {
    for (const Case& one : cases()) {
        const PacketWriter writer(one.host, one.config);
        for (const Packet& packet : packets()) {
            std::array<std::uint8_t, kHeadersBytesMax> headers{};
            const Written written = writer.write_headers(packet, headers);
            for (std::size_t bytes = 0; bytes < written.readable; ++bytes) {
                const GuardedBytes cut{std::span<const std::uint8_t>(headers).first(bytes)};
                Packet read;
                EXPECT_NE(read_headers(one.peer, cut.get(), read), PacketError::None) << bytes;
            }
        }
    }
}

TEST(PacketReader, LeavesWhatIsForOthers) {
    const Case one = cases().front();
    const PacketWriter writer(one.host, one.config);
    std::array<std::uint8_t, kHeadersBytesMax> bytes{};
    const Written written = writer.write_headers(packets().front(), bytes);
    Packet read;
    const auto error = [&] {
        return read_headers(one.peer, std::span(bytes).first(written.readable), read);
    };
    const auto changed = [&](std::size_t offset) {
        ++bytes[offset];
        const PacketError result = error();
        --bytes[offset];
        return result;
    };
    EXPECT_EQ(error(), PacketError::None);
    EXPECT_EQ(changed(5), PacketError::NotForUs);            // destination MAC
    EXPECT_EQ(changed(13), PacketError::NotForUs);           // EtherType
    EXPECT_EQ(changed(14 + 9), PacketError::NotForUs);       // protocol
    EXPECT_EQ(changed(14 + 19), PacketError::NotForUs);      // destination IP
    EXPECT_EQ(changed(14 + 20 + 3), PacketError::NotForUs);  // UDP destination port
    EXPECT_EQ(changed(14), PacketError::Malformed);          // IP header length
    // IP 20, UDP 8, BTH 12 and ICRC 4 are 44 B: at 43 there would be less than no payload.
    bytes[16] = 0;
    bytes[17] = 43;
    bytes[14 + 20 + 8 + 1] = 0;  // no pad
    EXPECT_EQ(error(), PacketError::Malformed);
    bytes[17] = 44;
    EXPECT_EQ(error(), PacketError::None);
    EXPECT_EQ(read.payload_bytes, 0u);
}

}  // namespace
}  // namespace weir::roce

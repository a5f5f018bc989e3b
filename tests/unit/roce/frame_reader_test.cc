// SPDX-License-Identifier: BSD-3-Clause
#include "tools/roce/frame_reader.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/roce/samples.h"
#include "tools/roce/address.h"
#include "tools/roce/frame_writer.h"
#include "tools/roce/wire.h"

namespace weir::roce {
namespace {

const Bytes kPayload = from_hex("0102030405060708090a0b0c0d");

ReadError error_of(const Bytes& bytes) {
    Reading reading;
    return read_frame(bytes, reading);
}

// Puts the right IPv4 header checksum into an untagged frame.
void mend_checksum(Bytes& bytes, std::size_t header_bytes = kIpv4Bytes) {
    bytes[24] = bytes[25] = 0;
    unsigned sum = 0;
    for (std::size_t i = 14; i < 14 + header_bytes; i += 2) sum += 256u * bytes[i] + bytes[i + 1];
    while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
    bytes[24] = static_cast<std::uint8_t>(~sum >> 8);
    bytes[25] = static_cast<std::uint8_t>(~sum);
}

ReadError error_after(Bytes bytes, const std::function<void(Bytes&)>& change) {
    change(bytes);
    mend_checksum(bytes);
    return error_of(bytes);
}

TEST(FrameReader, ReadsTheFramesThatNicsSent) {
    Reading reading;
    ASSERT_EQ(read_frame(acknowledgements()[2], reading), ReadError::None);
    const Frame& frame = reading.frame;
    EXPECT_EQ(to_string(frame.source_mac), "18:3d:5e:bf:43:71");
    EXPECT_EQ(to_string(frame.destination), "192.168.70.6");
    EXPECT_EQ(frame.source_port, 69);
    EXPECT_EQ(frame.ecn, kEcnCapable0);
    EXPECT_EQ(frame.bth.opcode, Opcode::Acknowledge);
    EXPECT_TRUE(frame.bth.migration_request);
    EXPECT_EQ(frame.bth.destination_qp, 72u);
    EXPECT_EQ(frame.bth.psn, 1u);
    EXPECT_EQ(frame.aeth, (Aeth{.syndrome = 6, .msn = 1}));
    EXPECT_TRUE(frame.payload.empty());
    EXPECT_TRUE(reading.icrc_right);
    EXPECT_EQ(reading.icrc, 0x1712'ceb6u);
    EXPECT_EQ(reading.trailer_bytes, 0u);
}

// Every opcode's extended headers go there and back; their order is checked against captures.
TEST(FrameReader, ReadsWhatTheWriterWrote) {
    Frame frame = sample_ipv4(kPayload);
    frame.vlan = VlanTag{.vid = 4094, .pcp = 5, .drop_eligible = true};
    frame.deth = {.queue_key = 0x8001'0000, .source_qp = 0x00'0102};
    frame.reth = {.address = 0x1122'3344'5566'7788, .remote_key = 0x99aa'bbcc, .length_bytes = 64};
    frame.atomic_eth = {.address = 1, .remote_key = 2, .swap_or_add = 3, .compare = 4};
    frame.aeth = {.syndrome = kSyndromeNakSequence, .msn = 0xab'cdef};
    frame.atomic_original = 0xfedc'ba98'7654'3210;
    frame.immediate = 0xdead'beef;
    frame.bth.solicited_event = frame.bth.ack_request = frame.bth.fecn = true;
    frame.bth.reserved = 0x15;
    for (unsigned opcode = 0; opcode < 256; ++opcode) {
        frame.bth.opcode = static_cast<Opcode>(opcode);
        const ExtendedHeaders present = extended_headers(frame.bth.opcode);
        const Bytes bytes = written(frame);
        Reading reading;
        ASSERT_EQ(read_frame(bytes, reading), ReadError::None) << opcode;
        const Frame& read = reading.frame;
        EXPECT_TRUE(reading.icrc_right);
        EXPECT_EQ(reading.ip_offset, 18u);
        EXPECT_EQ(read.vlan, frame.vlan);
        EXPECT_EQ(read.bth, frame.bth);
        EXPECT_EQ(read.deth, present.deth ? frame.deth : Deth{});
        EXPECT_EQ(read.reth, present.reth ? frame.reth : Reth{});
        EXPECT_EQ(read.atomic_eth, present.atomic_eth ? frame.atomic_eth : AtomicEth{});
        EXPECT_EQ(read.aeth, present.aeth ? frame.aeth : Aeth{});
        EXPECT_EQ(read.atomic_original, present.atomic_ack_eth ? frame.atomic_original : 0u);
        EXPECT_EQ(read.immediate, present.immediate ? frame.immediate : 0u);
        EXPECT_TRUE(std::ranges::equal(read.payload, kPayload));
    }
}

TEST(FrameReader, ReadsIpv6) {
    Reading reading;
    const Frame sent = sample_ipv6(kPayload);
    const Bytes bytes = written(sent);
    ASSERT_EQ(read_frame(bytes, reading), ReadError::None);
    EXPECT_TRUE(reading.icrc_right);
    EXPECT_EQ(reading.frame.source, sent.source);
    EXPECT_EQ(reading.frame.destination, sent.destination);
    EXPECT_EQ(reading.frame.flow_label, sent.flow_label);
    EXPECT_EQ(reading.frame.dscp, 26);
    EXPECT_EQ(reading.frame.ecn, kEcnCapable0);
    EXPECT_EQ(reading.frame.reth, sent.reth);
}

TEST(FrameReader, LeavesOutEthernetPadding) {
    Reading reading;
    ASSERT_EQ(read_frame(written(sample_ipv4({})), reading), ReadError::None);
    EXPECT_EQ(reading.trailer_bytes, 2u);
    EXPECT_TRUE(reading.icrc_right);
}

TEST(FrameReader, EveryTruncationIsAnErrorAndReadsNothingBeyond) {
    for (const Frame& frame :
         {sample_ipv4(kPayload), sample_ipv6(kPayload), sample_vlan(kPayload)}) {
        const Bytes whole = written(frame);
        for (std::size_t count = 0; count < whole.size(); ++count) {
            const GuardedBytes cut{std::span(whole).first(count)};
            Reading reading;
            EXPECT_EQ(read_frame(cut.get(), reading), ReadError::Truncated) << count;
        }
        const GuardedBytes guarded(whole);
        Reading reading;
        EXPECT_EQ(read_frame(guarded.get(), reading), ReadError::None);
    }
}

// Lengths that lie: both length fields state every shorter length, the bytes are really cut there.
TEST(FrameReader, AnIpPacketTooShortForItsHeadersIsAnError) {
    const Bytes whole = written(sample_ipv4({}));
    for (std::size_t ip_bytes = 0; ip_bytes < 44; ++ip_bytes) {
        Bytes bytes(whole.begin(), whole.begin() + 58);
        bytes[16] = 0;
        bytes[17] = static_cast<std::uint8_t>(ip_bytes);
        bytes[39] = static_cast<std::uint8_t>(ip_bytes < 20 ? 0 : ip_bytes - 20);
        mend_checksum(bytes);
        bytes.resize(std::max<std::size_t>(34, 14 + ip_bytes));
        const GuardedBytes cut(bytes);
        Reading reading;
        // 20 + 8 + 12 + 4 = 44 is the least that holds UDP, BTH and ICRC.
        EXPECT_EQ(read_frame(cut.get(), reading),
                  ip_bytes < 20 ? ReadError::BadIpHeader : ReadError::BadUdpLength)
            << ip_bytes;
    }
}

TEST(FrameReader, AFlippedBitThatTheIcrcCoversIsSeen) {
    for (const Frame& frame :
         {sample_ipv4(kPayload), sample_ipv6(kPayload), sample_vlan(kPayload)}) {
        const Bytes whole = written(frame);
        Reading reading;
        ASSERT_EQ(read_frame(whole, reading), ReadError::None);
        // From the BTH on, only byte 4 of the BTH may change unseen.
        const std::size_t bth = reading.ip_offset + (frame.source.ipv6 ? 48u : 28u);
        for (std::size_t bit = 8 * bth; bit < 8 * whole.size(); ++bit) {
            Bytes changed = whole;
            changed[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
            const bool readable = read_frame(changed, reading) == ReadError::None;
            EXPECT_EQ(readable && reading.icrc_right, bit / 8 == bth + 4) << bit;
        }
    }
}

TEST(FrameReader, OtherTrafficIsNotAnError) {
    const Bytes roce = written(sample_ipv4(kPayload));
    EXPECT_EQ(error_after(roce, [](Bytes& b) { b[12] = 0x88, b[13] = 0x08; }), ReadError::NotRoce);
    EXPECT_EQ(error_after(roce, [](Bytes& b) { b[23] = 6; }), ReadError::NotRoce);
    // Source port 4791 proves nothing: 4791 = 0x12b7, one more in the destination port.
    EXPECT_EQ(error_after(roce, [](Bytes& b) { b[34] = 0x12, b[35] = 0xb7, b[37] = 0xb8; }),
              ReadError::NotRoce);
    // A later fragment has no UDP header: offsets 1 and 4096, the lowest and the highest bit.
    EXPECT_EQ(error_after(roce, [](Bytes& b) { b[20] = 0x10; }), ReadError::NotRoce);
    EXPECT_EQ(error_after(roce, [](Bytes& b) { b[21] = 1; }), ReadError::NotRoce);
}

TEST(FrameReader, TheSourcePortMayBeAnything) {
    Reading reading;
    for (const std::uint16_t port : {std::uint16_t{0}, std::uint16_t{69}, kRoceUdpPort}) {
        Frame frame = sample_ipv4(kPayload);
        frame.source_port = port;
        ASSERT_EQ(read_frame(written(frame), reading), ReadError::None);
        EXPECT_EQ(reading.frame.source_port, port);
    }
}

TEST(FrameReader, NamesWhatIsWrong) {
    const Bytes roce = written(sample_ipv4(kPayload));
    EXPECT_EQ(error_after(roce, [](Bytes& b) { b[14] = 0x44; }), ReadError::BadIpHeader);
    EXPECT_EQ(error_after(roce, [](Bytes& b) { b[14] = 0x65; }), ReadError::BadIpHeader);
    EXPECT_EQ(error_after(roce, [](Bytes& b) { b[20] = 0x20; }), ReadError::Fragment);
    EXPECT_EQ(error_after(roce, [](Bytes& b) { ++b[39]; }), ReadError::BadUdpLength);
    EXPECT_EQ(error_after(roce, [](Bytes& b) { --b[39]; }), ReadError::BadUdpLength);
    EXPECT_EQ(error_after(roce, [](Bytes& b) { b[43] |= 1; }), ReadError::BadTransport);
    // A header of 16 bytes, of which even the checksum is right.
    Bytes short_header = roce;
    short_header[14] = 0x44;
    mend_checksum(short_header, 16);
    EXPECT_EQ(error_of(short_header), ReadError::BadIpHeader);
    Bytes wrong_checksum = roce;
    ++wrong_checksum[25];
    EXPECT_EQ(error_of(wrong_checksum), ReadError::BadIpHeader);
    Bytes wrong_version = written(sample_ipv6(kPayload));
    wrong_version[14] = 0x50;
    EXPECT_EQ(error_of(wrong_version), ReadError::BadIpHeader);
}

TEST(FrameReader, PadMayTakeTheWholePayloadButNotMore) {
    // One payload byte and three of pad: 4 bytes. Pad 3 leaves 1 of payload.
    const Bytes one = written(sample_ipv4(from_hex("01")));
    EXPECT_EQ(one[43], 0x30);
    EXPECT_EQ(error_of(one), ReadError::None);
    Bytes none = written(sample_ipv4({}));
    none[43] = 0x10;
    EXPECT_EQ(error_of(none), ReadError::BadPadCount);
}

TEST(FrameReader, ReadsBehindIpv4Options) {
    Bytes bytes = written(sample_ipv4(kPayload));
    bytes.insert(bytes.begin() + 34, {1, 1, 1, 0});
    bytes[14] = 0x46;
    bytes[17] = static_cast<std::uint8_t>(bytes[17] + 4);
    mend_checksum(bytes, kIpv4Bytes + 4);
    Reading reading;
    ASSERT_EQ(read_frame(bytes, reading), ReadError::None);
    EXPECT_EQ(reading.frame.bth.destination_qp, 0x12'3456u);
    // The options are covered, and the ICRC in the frame was made without them.
    EXPECT_FALSE(reading.icrc_right);
}

}  // namespace
}  // namespace weir::roce

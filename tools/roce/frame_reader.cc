// SPDX-License-Identifier: BSD-3-Clause
#include "tools/roce/frame_reader.h"

#include <algorithm>

#include "tools/roce/byte_cursor.h"
#include "tools/roce/icrc.h"
#include "tools/roce/wire.h"

namespace weir::roce {
namespace {

IpAddress take_address(ByteReader& in, bool ipv6) {
    IpAddress address{.ipv6 = ipv6};
    std::ranges::copy(in.take(ipv6 ? 16 : 4), address.bytes.begin());
    return address;
}

// The sum of all 16-bit words of a header, its checksum included, is 0xffff (RFC 1071).
bool checksum_right(std::span<const std::uint8_t> header) {
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i + 1 < header.size(); i += 2) {
        sum += static_cast<std::uint32_t>(header[i] << 8 | header[i + 1]);
    }
    while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
    return sum == 0xffff;
}

// Leaves `in` at the IP header and says which kind it should be.
ReadError read_ethernet(ByteReader& in, Frame& frame, bool& ipv6) {
    frame.destination_mac.bytes = in.take_array<6>();
    frame.source_mac.bytes = in.take_array<6>();
    std::uint16_t type = in.take_be16();
    frame.vlan.reset();
    if (type == kEtherTypeVlan) {
        const std::uint16_t control = in.take_be16();
        frame.vlan = VlanTag{.vid = static_cast<std::uint16_t>(control & 0x0fff),
                             .pcp = static_cast<std::uint8_t>(control >> 13),
                             .drop_eligible = (control & 0x1000) != 0};
        type = in.take_be16();
    }
    if (!in.ok()) return ReadError::Truncated;
    ipv6 = type == kEtherTypeIpv6;
    return ipv6 || type == kEtherTypeIpv4 ? ReadError::None : ReadError::NotRoce;
}

void read_traffic_class(std::uint8_t value, Frame& frame) {
    frame.dscp = value >> 2;
    frame.ecn = value & 3;
}

struct IpPacket {
    std::span<const std::uint8_t> bytes;  // header included, without what follows the packet
    bool more_fragments = false;
};

// `in` holds the IP packet and what may follow it; on success it is cut to the UDP datagram.
ReadError read_ipv4(ByteReader& in, Frame& frame, IpPacket& packet) {
    const std::span<const std::uint8_t> bytes = in.left();
    const std::uint8_t version_and_length = in.take_u8();
    read_traffic_class(in.take_u8(), frame);
    const std::size_t packet_bytes = in.take_be16();
    frame.identification = in.take_be16();
    const std::uint16_t fragment = in.take_be16();
    frame.hop_limit = in.take_u8();
    const std::uint8_t protocol = in.take_u8();
    in.take_be16();
    frame.source = take_address(in, false);
    frame.destination = take_address(in, false);
    if (!in.ok()) return ReadError::Truncated;

    const std::size_t header_bytes = 4 * std::size_t{version_and_length & 0x0fu};
    if (version_and_length >> 4 != 4 || header_bytes < kIpv4Bytes || packet_bytes < header_bytes) {
        return ReadError::BadIpHeader;
    }
    // A later fragment (offset not 0) holds no UDP port, so nothing says that it is RoCEv2.
    if (protocol != kIpProtocolUdp || (fragment & 0x1fff) != 0) return ReadError::NotRoce;
    if (packet_bytes > bytes.size()) return ReadError::Truncated;
    if (!checksum_right(bytes.first(header_bytes))) return ReadError::BadIpHeader;
    packet.more_fragments = (fragment & 0x2000) != 0;
    frame.dont_fragment = (fragment & 0x4000) != 0;
    packet.bytes = bytes.first(packet_bytes);
    in = ByteReader(packet.bytes.subspan(header_bytes));
    return ReadError::None;
}

ReadError read_ipv6(ByteReader& in, Frame& frame, IpPacket& packet) {
    const std::span<const std::uint8_t> bytes = in.left();
    const std::uint32_t first = in.take_be32();
    const std::size_t packet_bytes = kIpv6Bytes + in.take_be16();
    const std::uint8_t next_header = in.take_u8();
    frame.hop_limit = in.take_u8();
    frame.source = take_address(in, true);
    frame.destination = take_address(in, true);
    if (!in.ok()) return ReadError::Truncated;

    if (first >> 28 != 6) return ReadError::BadIpHeader;
    if (next_header != kIpProtocolUdp) return ReadError::NotRoce;
    if (packet_bytes > bytes.size()) return ReadError::Truncated;
    read_traffic_class(static_cast<std::uint8_t>(first >> 20), frame);
    frame.flow_label = first & 0xf'ffff;
    packet.bytes = bytes.first(packet_bytes);
    in = ByteReader(packet.bytes.subspan(kIpv6Bytes));
    return ReadError::None;
}

ReadError read_udp(ByteReader& in, bool more_fragments, Frame& frame) {
    const std::size_t datagram_bytes = in.left().size();
    frame.source_port = in.take_be16();
    const std::uint16_t destination_port = in.take_be16();
    const std::size_t stated_bytes = in.take_be16();
    frame.udp_checksum = in.take_be16();
    if (!in.ok()) return ReadError::BadUdpLength;
    if (destination_port != kRoceUdpPort) return ReadError::NotRoce;
    if (more_fragments) return ReadError::Fragment;
    return stated_bytes == datagram_bytes ? ReadError::None : ReadError::BadUdpLength;
}

// Returns the pad count; the transport version goes to `version`.
std::size_t read_bth(ByteReader& in, Bth& bth, unsigned& version) {
    bth.opcode = static_cast<Opcode>(in.take_u8());
    const std::uint8_t flags = in.take_u8();
    bth.solicited_event = (flags & 0x80) != 0;
    bth.migration_request = (flags & 0x40) != 0;
    version = flags & 0x0fu;
    bth.partition_key = in.take_be16();
    const std::uint8_t congestion = in.take_u8();
    bth.fecn = (congestion & 0x80) != 0;
    bth.becn = (congestion & 0x40) != 0;
    bth.reserved = congestion & 0x3f;
    bth.destination_qp = in.take_be24();
    bth.ack_request = (in.take_u8() & 0x80) != 0;
    bth.psn = in.take_be24();
    return flags >> 4 & 3u;
}

void read_extended_headers(ByteReader& in, Frame& frame) {
    const ExtendedHeaders present = extended_headers(frame.bth.opcode);
    if (present.deth) {
        frame.deth.queue_key = in.take_be32();
        frame.deth.source_qp = in.take_be32() & kPsnMask;
    }
    if (present.reth) {
        frame.reth.address = in.take_be64();
        frame.reth.remote_key = in.take_be32();
        frame.reth.length_bytes = in.take_be32();
    }
    if (present.atomic_eth) {
        frame.atomic_eth.address = in.take_be64();
        frame.atomic_eth.remote_key = in.take_be32();
        frame.atomic_eth.swap_or_add = in.take_be64();
        frame.atomic_eth.compare = in.take_be64();
    }
    if (present.aeth) {
        frame.aeth.syndrome = in.take_u8();
        frame.aeth.msn = in.take_be24();
    }
    if (present.atomic_ack_eth) frame.atomic_original = in.take_be64();
    if (present.immediate) frame.immediate = in.take_be32();
    if (present.cnp_reserved) in.take(kCnpReservedBytes);
}

std::uint32_t take_le32(std::span<const std::uint8_t> bytes) {
    std::uint32_t value = 0;
    for (std::size_t i = 4; i > 0; --i) value = value << 8 | bytes[i - 1];
    return value;
}

// `in` holds BTH to ICRC.
ReadError read_transport(ByteReader& in, Frame& frame) {
    unsigned version = 0;
    const std::size_t pad = read_bth(in, frame.bth, version);
    read_extended_headers(in, frame);
    if (!in.ok() || in.left().size() < kIcrcBytes) return ReadError::BadUdpLength;
    if (version != 0) return ReadError::BadTransport;
    const std::size_t padded_bytes = in.left().size() - kIcrcBytes;
    if (pad > padded_bytes) return ReadError::BadPadCount;
    frame.payload = in.take(padded_bytes - pad);
    return ReadError::None;
}

}  // namespace

const char* to_string(ReadError error) {
    switch (error) {
        case ReadError::None:
            return "none";
        case ReadError::NotRoce:
            return "not RoCEv2";
        case ReadError::Truncated:
            return "truncated";
        case ReadError::BadIpHeader:
            return "bad IP header";
        case ReadError::Fragment:
            return "IP fragment";
        case ReadError::BadUdpLength:
            return "bad UDP length";
        case ReadError::BadPadCount:
            return "bad pad count";
        case ReadError::BadTransport:
            return "bad transport version";
    }
    return "unknown";
}

ReadError read_frame(std::span<const std::uint8_t> bytes, Reading& reading) {
    Frame& frame = reading.frame;
    ByteReader in(bytes);
    bool ipv6 = false;
    if (const ReadError error = read_ethernet(in, frame, ipv6); error != ReadError::None) {
        return error;
    }
    reading.ip_offset = bytes.size() - in.left().size();

    IpPacket ip;
    ReadError error = ipv6 ? read_ipv6(in, frame, ip) : read_ipv4(in, frame, ip);
    if (error == ReadError::None) error = read_udp(in, ip.more_fragments, frame);
    if (error == ReadError::None) error = read_transport(in, frame);
    if (error != ReadError::None) return error;

    const std::span<const std::uint8_t> packet = ip.bytes;
    reading.trailer_bytes = bytes.size() - reading.ip_offset - packet.size();
    reading.icrc = take_le32(packet.last(kIcrcBytes));
    reading.icrc_right = icrc(packet.first(packet.size() - kIcrcBytes)) == reading.icrc;
    return ReadError::None;
}

}  // namespace weir::roce

// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/session_packet.h"

#include "dataplane/core/checksum.h"
#include "dataplane/core/own_datagram.h"
#include "dataplane/core/port_address.h"

namespace weir {

namespace {

// The sum of RFC 768 and RFC 8200 section 8.1: addresses (which end where UDP begins or, with IPv4
// options, do not), length, protocol, and the datagram.
std::uint64_t udp_sum(const std::uint8_t* addresses, unsigned address_bytes,
                      const std::uint8_t* udp, std::uint16_t length) {
    return checksum_sum(addresses, address_bytes) + checksum_word(length) +
           checksum_word(kProtocolUdp) + checksum_sum(udp, length);
}

// IPv4 allows to send none: 0.
bool checksum_right(const Frame& frame, const Parsed& parsed, std::uint16_t length) {
    const std::uint8_t* ip = frame.data + parsed.l3_offset;
    const std::uint8_t* udp = frame.data + parsed.l4_offset;
    const bool v4 = parsed.kind == FrameKind::Ipv4;
    if (load_16(udp + 6) == 0) return v4;
    return checksum_of(udp_sum(v4 ? ip + 12 : ip + 8, v4 ? 8 : 32, udp, length)) == 0;
}

bool is_from_peer(const Tables& tables, const Frame& frame, const Parsed& parsed) {
    const std::uint8_t* ip = frame.data + parsed.l3_offset;
    const bool v4 = parsed.kind == FrameKind::Ipv4;
    const IpAddress source = v4 ? read_ipv4(ip + 12) : read_ipv6(ip + 8);
    const IpAddress destination = v4 ? read_ipv4(ip + 16) : read_ipv6(ip + 24);
    return source == tables.links[frame.in_port].peer &&
           is_address_of(tables, frame.in_port, destination);
}

}  // namespace

BfdDiscard read_session_packet(const Tables& tables, const Frame& frame, const Parsed& parsed,
                               BfdPacket& packet) {
    if (parsed.ttl != kBfdTtl) return BfdDiscard::TtlWrong;
    if (!is_from_peer(tables, frame, parsed)) return BfdDiscard::NotThePeer;
    // The parser has held the UDP length against the IP length, not against what can be read.
    const std::uint8_t* udp = frame.data + parsed.l4_offset;
    const std::uint16_t length = read_be16(udp + 4);
    if (parsed.l4_offset + unsigned{length} > frame.readable) return BfdDiscard::Truncated;
    if (!checksum_right(frame, parsed, length)) return BfdDiscard::ChecksumWrong;
    return read_bfd({udp + kUdpBytes, static_cast<std::size_t>(length - kUdpBytes)}, packet);
}

void write_session_packet(const Tables& tables, PortId port, const std::uint8_t* rewrite,
                          const BfdPacket& packet, OwnFrame& own) {
    const IpAddress peer = tables.links[port].peer;
    const std::uint16_t payload_at = datagram_payload_at(peer);
    own.out_port = port;
    own.priority = kOwnControlPriority;
    own.length = static_cast<std::uint16_t>(payload_at + kBfdBytes);
    write_datagram_headers(tables, port, peer, rewrite,
                           {.source_port = static_cast<std::uint16_t>(kBfdSourcePort + port),
                            .destination_port = kBfdUdpPort,
                            .payload_bytes = kBfdBytes},
                           own.bytes.data());
    write_bfd(std::span<std::uint8_t, kBfdBytes>(own.bytes.data() + payload_at, kBfdBytes), packet);
    finish_datagram(own.bytes.data());
}

}  // namespace weir

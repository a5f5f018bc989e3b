// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/session_packet.h"

#include <algorithm>
#include <cstring>

#include "dataplane/core/checksum.h"
#include "dataplane/core/port_address.h"

namespace weir {

namespace {

constexpr std::uint16_t kDatagramBytes = kUdpBytes + kBfdBytes;
constexpr unsigned kTrafficClass = unsigned{kBfdDscp} << 2;

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

void write_ipv4_header(std::uint8_t* ip, IpAddress source, IpAddress destination) {
    ip[0] = 0x45;
    ip[1] = kTrafficClass;
    write_be16(ip + 2, kIpv4BytesMin + kDatagramBytes);
    write_be16(ip + 6, 0x4000);  // don't fragment: RFC 6864 then wants no identification
    ip[8] = kBfdTtl;
    ip[9] = kProtocolUdp;
    write_be32(ip + 12, source.v4_value());
    write_be32(ip + 16, destination.v4_value());
    write_be16(ip + 10, checksum_of(checksum_sum(ip, kIpv4BytesMin)));
}

void write_ipv6_header(std::uint8_t* ip, IpAddress source, IpAddress destination) {
    write_be32(ip, 0x6000'0000 | kTrafficClass << 20);
    write_be16(ip + 4, kDatagramBytes);
    ip[6] = kProtocolUdp;
    ip[7] = kBfdTtl;
    write_ipv6(ip + 8, source);
    write_ipv6(ip + 24, destination);
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
    const IpAddress source = source_for(tables, port, peer);
    const bool v4 = peer.is_v4();
    const std::uint16_t ip_bytes = v4 ? kIpv4BytesMin : kIpv6Bytes;
    own.out_port = port;
    own.priority = kOwnControlPriority;
    own.length = kEthernetBytes + ip_bytes + kDatagramBytes;
    std::fill_n(own.bytes.begin(), own.length, std::uint8_t{0});
    std::uint8_t* ip = own.bytes.data() + kEthernetBytes;
    std::uint8_t* udp = ip + ip_bytes;
    std::memcpy(own.bytes.data(), rewrite, std::size_t{2} * kMacBytes);
    write_be16(ip - 2, v4 ? kEtherTypeIpv4 : kEtherTypeIpv6);
    v4 ? write_ipv4_header(ip, source, peer) : write_ipv6_header(ip, source, peer);
    write_be16(udp, static_cast<std::uint16_t>(kBfdSourcePort + port));
    write_be16(udp + 2, kBfdUdpPort);
    write_be16(udp + 4, kDatagramBytes);
    write_bfd(std::span<std::uint8_t, kBfdBytes>(udp + kUdpBytes, kBfdBytes), packet);
    const std::uint16_t checksum =
        checksum_of(udp_sum(v4 ? ip + 12 : ip + 8, v4 ? 8 : 32, udp, kDatagramBytes));
    // 0 would say that there is none.
    write_be16(udp + 6, checksum == 0 ? std::uint16_t{0xffff} : checksum);
}

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/own_datagram.h"

#include <algorithm>
#include <cstring>

#include "dataplane/core/checksum.h"
#include "dataplane/core/port_address.h"
#include "dataplane/core/wire.h"

namespace weir {

namespace {

constexpr unsigned kTrafficClass = 48u << 2;  // CS6, network control (RFC 4594 section 3.2)
constexpr std::uint8_t kHopLimit = 255;

void write_ipv4_header(std::uint8_t* ip, const IpAddress& from, const IpAddress& to,
                       std::uint16_t udp_bytes) {
    ip[0] = 0x45;
    ip[1] = kTrafficClass;
    write_be16(ip + 2, static_cast<std::uint16_t>(kIpv4BytesMin + udp_bytes));
    write_be16(ip + 6, 0x4000);  // don't fragment: RFC 6864 then wants no identification
    ip[8] = kHopLimit;
    ip[9] = kProtocolUdp;
    write_be32(ip + 12, from.v4_value());
    write_be32(ip + 16, to.v4_value());
    write_be16(ip + 10, checksum_of(checksum_sum(ip, kIpv4BytesMin)));
}

void write_ipv6_header(std::uint8_t* ip, const IpAddress& from, const IpAddress& to,
                       std::uint16_t udp_bytes) {
    write_be32(ip, 0x6000'0000 | kTrafficClass << 20);
    write_be16(ip + 4, udp_bytes);
    ip[6] = kProtocolUdp;
    ip[7] = kHopLimit;
    write_ipv6(ip + 8, from);
    write_ipv6(ip + 24, to);
}

}  // namespace

void write_datagram_headers(const Tables& tables, PortId port, const IpAddress& peer,
                            const std::uint8_t* rewrite, const DatagramPorts& ports,
                            std::uint8_t* frame) {
    const auto udp_bytes = static_cast<std::uint16_t>(kUdpBytes + ports.payload_bytes);
    const IpAddress source = source_for(tables, port, peer);
    const bool v4 = peer.is_v4();
    std::fill_n(frame, datagram_payload_at(peer), std::uint8_t{0});
    std::memcpy(frame, rewrite, std::size_t{2} * kMacBytes);
    write_be16(frame + 2 * kMacBytes, v4 ? kEtherTypeIpv4 : kEtherTypeIpv6);
    std::uint8_t* ip = frame + kEthernetBytes;
    v4 ? write_ipv4_header(ip, source, peer, udp_bytes)
       : write_ipv6_header(ip, source, peer, udp_bytes);
    std::uint8_t* udp = ip + (v4 ? kIpv4BytesMin : kIpv6Bytes);
    write_be16(udp, ports.source_port);
    write_be16(udp + 2, ports.destination_port);
    write_be16(udp + 4, udp_bytes);
}

// The sum of RFC 768 and RFC 8200 section 8.1: addresses, length, protocol, and the datagram.
void finish_datagram(std::uint8_t* frame) {
    const bool v4 = read_be16(frame + 2 * kMacBytes) == kEtherTypeIpv4;
    const std::uint8_t* ip = frame + kEthernetBytes;
    std::uint8_t* udp = frame + kEthernetBytes + (v4 ? kIpv4BytesMin : kIpv6Bytes);
    const std::uint16_t length = read_be16(udp + 4);
    write_be16(udp + 6, 0);
    const std::uint64_t sum = checksum_sum(v4 ? ip + 12 : ip + 8, v4 ? 8 : 32) +
                              checksum_word(length) + checksum_word(kProtocolUdp) +
                              checksum_sum(udp, length);
    const std::uint16_t checksum = checksum_of(sum);
    // 0 would say that there is none.
    write_be16(udp + 6, checksum == 0 ? std::uint16_t{0xffff} : checksum);
}

}  // namespace weir

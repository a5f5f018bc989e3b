// SPDX-License-Identifier: BSD-3-Clause
#include "tools/roce/packet_reader.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "dataplane/core/wire.h"
#include "tools/roce/frame_reader.h"

namespace weir::roce {
namespace {

struct Network {
    std::size_t udp_offset = 0;
    std::uint32_t udp_bytes = 0;
};

bool for_mac(const HostConfig& host, std::span<const std::uint8_t> bytes) {
    return std::memcmp(bytes.data(), host.mac.bytes.data(), host.mac.bytes.size()) == 0;
}

PacketError read_ipv4(const HostConfig& host, std::span<const std::uint8_t> ip, Network& network,
                      Packet& packet) {
    if (ip.size() < kIpv4Bytes) return PacketError::Malformed;
    if (host.ip.ipv6 || ip[9] != kIpProtocolUdp ||
        std::memcmp(&ip[16], host.ip.bytes.data(), 4) != 0) {
        return PacketError::NotForUs;
    }
    if (ip[0] != 0x45 || read_be16(&ip[2]) < kIpv4Bytes) return PacketError::Malformed;
    packet.dscp = ip[1] >> 2;
    packet.ecn = ip[1] & 3;
    network.udp_offset += kIpv4Bytes;
    network.udp_bytes = read_be16(&ip[2]) - std::uint32_t{kIpv4Bytes};
    return PacketError::None;
}

PacketError read_ipv6(const HostConfig& host, std::span<const std::uint8_t> ip, Network& network,
                      Packet& packet) {
    if (ip.size() < kIpv6Bytes) return PacketError::Malformed;
    if (!host.ip.ipv6 || ip[6] != kIpProtocolUdp ||
        std::memcmp(&ip[24], host.ip.bytes.data(), 16) != 0) {
        return PacketError::NotForUs;
    }
    const unsigned traffic_class = (read_be16(ip.data()) >> 4) & 0xffu;
    packet.dscp = static_cast<std::uint8_t>(traffic_class >> 2);
    packet.ecn = traffic_class & 3;
    network.udp_offset += kIpv6Bytes;
    network.udp_bytes = read_be16(&ip[4]);
    return PacketError::None;
}

// Leaves in `network` where the UDP header stands.
PacketError read_network(const HostConfig& host, std::span<const std::uint8_t> bytes,
                         Network& network, Packet& packet) {
    if (bytes.size() < kEthernetBytes) return PacketError::Malformed;
    if (!for_mac(host, bytes)) return PacketError::NotForUs;
    network.udp_offset = kEthernetBytes;
    std::uint16_t type = read_be16(&bytes[12]);
    if (type == kEtherTypeVlan) {
        if (bytes.size() < kEthernetBytes + kVlanTagBytes) return PacketError::Malformed;
        network.udp_offset += kVlanTagBytes;
        type = read_be16(&bytes[16]);
    }
    const std::span<const std::uint8_t> ip = bytes.subspan(network.udp_offset);
    if (type == kEtherTypeIpv4) return read_ipv4(host, ip, network, packet);
    if (type == kEtherTypeIpv6) return read_ipv6(host, ip, network, packet);
    return PacketError::NotForUs;
}

// Those that an RC packet can have.
void read_extended(const ExtendedHeaders& present, const std::uint8_t* at, Packet& packet) {
    if (present.reth) {
        packet.reth = {read_be64(at), read_be32(at + 8), read_be32(at + 12)};
        at += kRethBytes;
    }
    if (present.aeth) {
        packet.aeth = {at[0], read_be24(at + 1)};
        at += kAethBytes;
    }
    if (present.immediate) packet.immediate = read_be32(at);
}

}  // namespace

PacketError read_headers(const HostConfig& host, std::span<const std::uint8_t> bytes,
                         Packet& packet) {
    Network network;
    const PacketError error = read_network(host, bytes, network, packet);
    if (error != PacketError::None) return error;
    const std::span<const std::uint8_t> udp = bytes.subspan(network.udp_offset);
    if (udp.size() < kUdpBytes + kBthBytes) return PacketError::Malformed;
    if (read_be16(&udp[2]) != kRoceUdpPort) return PacketError::NotForUs;
    const std::uint8_t* bth = udp.data() + kUdpBytes;
    packet.opcode = static_cast<Opcode>(bth[0]);
    packet.becn = (bth[4] & 0x40) != 0;
    packet.destination_qp = read_be24(bth + 5);
    packet.ack_request = (bth[8] & 0x80) != 0;
    packet.psn = read_be24(bth + 9);

    const OpcodeHeaders& extended = opcode_headers(packet.opcode);
    const std::size_t headers = kUdpBytes + kBthBytes + extended.bytes;
    const std::uint32_t pad = bth[1] >> 4 & 3u;
    if (udp.size() < headers || network.udp_bytes < headers + kIcrcBytes + pad) {
        return PacketError::Malformed;
    }
    read_extended(extended.present, bth + kBthBytes, packet);
    packet.payload_bytes =
        network.udp_bytes - static_cast<std::uint32_t>(headers + kIcrcBytes) - pad;
    return PacketError::None;
}

PacketError read_whole(const HostConfig& host, std::span<const std::uint8_t> bytes,
                       Packet& packet) {
    Reading reading;
    switch (read_frame(bytes, reading)) {
        case ReadError::None:
            break;
        case ReadError::NotRoce:
            return PacketError::NotForUs;
        default:
            return PacketError::Malformed;
    }
    const Frame& frame = reading.frame;
    if (frame.destination_mac != host.mac || frame.destination != host.ip) {
        return PacketError::NotForUs;
    }
    if (!reading.icrc_right) return PacketError::IcrcWrong;
    packet = {.opcode = frame.bth.opcode,
              .ack_request = frame.bth.ack_request,
              .becn = frame.bth.becn,
              .dscp = frame.dscp,
              .ecn = frame.ecn,
              .destination_qp = frame.bth.destination_qp,
              .psn = frame.bth.psn,
              .payload_bytes = static_cast<std::uint32_t>(frame.payload.size()),
              .immediate = frame.immediate,
              .reth = frame.reth,
              .aeth = frame.aeth,
              .payload = frame.payload};
    return PacketError::None;
}

}  // namespace weir::roce

// SPDX-License-Identifier: BSD-3-Clause
#include "tools/roce/packet_writer.h"

#include <algorithm>
#include <cstring>

#include "dataplane/core/check.h"
#include "dataplane/core/wire.h"
#include "tools/roce/frame_writer.h"

namespace weir::roce {
namespace {

constexpr std::array<std::uint8_t, kPayloadBytesMax> kZeros{};

Frame frame_of(const HostConfig& host, const QpConfig& config, const Packet& packet) {
    Frame frame;
    frame.destination_mac = config.next_hop;
    frame.source_mac = host.mac;
    frame.vlan = config.vlan;
    frame.source = host.ip;
    frame.destination = config.peer_ip;
    frame.dscp = packet.dscp;
    frame.ecn = packet.ecn;
    frame.source_port = config.source_port;
    frame.bth = {.opcode = packet.opcode,
                 .becn = packet.becn,
                 .destination_qp = packet.destination_qp,
                 .ack_request = packet.ack_request,
                 .psn = packet.psn};
    frame.reth = packet.reth;
    frame.aeth = packet.aeth;
    frame.immediate = packet.immediate;
    return frame;
}

std::uint32_t sum_16(const std::uint8_t* at, std::size_t bytes) {
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < bytes; i += 2) sum += read_be16(at + i);
    return sum;
}

void write_be24(std::uint8_t* at, std::uint32_t value) {
    at[0] = static_cast<std::uint8_t>(value >> 16);
    write_be16(at + 1, static_cast<std::uint16_t>(value));
}

// Returns where the headers end.
std::uint8_t* write_transport(const Packet& packet, std::uint8_t* bth) {
    bth[0] = static_cast<std::uint8_t>(packet.opcode);
    bth[1] = static_cast<std::uint8_t>(pad_bytes(packet.payload_bytes) << 4);
    bth[4] = packet.becn ? 0x40 : 0;
    write_be24(bth + 5, packet.destination_qp);
    bth[8] = packet.ack_request ? 0x80 : 0;
    write_be24(bth + 9, packet.psn);
    std::uint8_t* at = bth + kBthBytes;
    const ExtendedHeaders& present = opcode_headers(packet.opcode).present;
    if (present.reth) {
        write_be64(at, packet.reth.address);
        write_be32(at + 8, packet.reth.remote_key);
        write_be32(at + 12, packet.reth.length_bytes);
        at += kRethBytes;
    }
    if (present.aeth) {
        at[0] = packet.aeth.syndrome;
        write_be24(at + 1, packet.aeth.msn);
        at += kAethBytes;
    }
    if (present.immediate) {
        write_be32(at, packet.immediate);
        at += kImmediateBytes;
    }
    if (present.cnp_reserved) {
        std::memset(at, 0, kCnpReservedBytes);
        at += kCnpReservedBytes;
    }
    return at;
}

}  // namespace

PacketWriter::PacketWriter(const HostConfig& host, const QpConfig& config)
    : ip_offset_(kEthernetBytes + (config.vlan ? kVlanTagBytes : 0)), ipv6_(host.ip.ipv6) {
    std::array<std::uint8_t, kFrameBytesMax> whole{};
    const std::size_t written = write_frame(frame_of(host, config, {}), whole);
    WEIR_CHECK(written != 0);
    std::copy_n(whole.begin(), shared_.size(), shared_.begin());
    if (ipv6_) return;
    std::uint8_t* ip = shared_.data() + ip_offset_;
    std::memset(ip + 1, 0, 3);   // TOS, length
    std::memset(ip + 10, 0, 2);  // checksum
    checksum_ = sum_16(ip, kIpv4Bytes);
}

Written PacketWriter::write_headers(const Packet& packet, std::span<std::uint8_t> room) const {
    WEIR_CHECK(room.size() >= kHeadersBytesMax);
    std::uint8_t* at = room.data();
    std::memcpy(at, shared_.data(), shared_.size());
    std::uint8_t* ip = at + ip_offset_;
    std::uint8_t* udp = ip + (ipv6_ ? kIpv6Bytes : kIpv4Bytes);
    const std::uint8_t* end = write_transport(packet, udp + kUdpBytes);
    const auto payload =
        packet.payload_bytes + static_cast<unsigned>(pad_bytes(packet.payload_bytes));
    const auto udp_bytes =
        static_cast<std::uint16_t>(static_cast<std::size_t>(end - udp) + payload + kIcrcBytes);
    write_be16(udp + 4, udp_bytes);
    const auto traffic_class = static_cast<std::uint8_t>(packet.dscp << 2 | packet.ecn);
    if (ipv6_) {
        ip[0] = static_cast<std::uint8_t>(0x60 | traffic_class >> 4);
        ip[1] = static_cast<std::uint8_t>(traffic_class << 4);
        write_be16(ip + 4, udp_bytes);
    } else {
        const auto ip_bytes = static_cast<std::uint16_t>(udp_bytes + kIpv4Bytes);
        ip[1] = traffic_class;
        write_be16(ip + 2, ip_bytes);
        std::uint32_t sum = checksum_ + traffic_class + ip_bytes;
        sum = (sum & 0xffff) + (sum >> 16);
        sum = (sum & 0xffff) + (sum >> 16);
        write_be16(ip + 10, static_cast<std::uint16_t>(~sum));
    }
    const auto length = static_cast<std::size_t>(udp - at) + udp_bytes;
    return {.length = static_cast<std::uint16_t>(std::max(length, kEthernetFrameBytesMin)),
            .readable = static_cast<std::uint16_t>(end - at)};
}

Written PacketWriter::write_whole(const HostConfig& host, const QpConfig& config,
                                  const Packet& packet, std::span<std::uint8_t> room) {
    Frame frame = frame_of(host, config, packet);
    frame.payload =
        packet.payload.empty() ? std::span(kZeros).first(packet.payload_bytes) : packet.payload;
    const auto length = static_cast<std::uint16_t>(write_frame(frame, room));
    WEIR_CHECK(length != 0);
    return {.length = length, .readable = length};
}

}  // namespace weir::roce

// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/parse.h"

#include "dataplane/core/protocols.h"
#include "dataplane/core/wire.h"

namespace weir {

namespace {

constexpr std::uint16_t kRoceBytesMin = kUdpBytes + kBthBytes + kIcrcBytes;

inline void refuse(Parsed& parsed, DropReason reason) {
    parsed.kind = FrameKind::Malformed;
    parsed.error = reason;
}

// The layer-4 header at parsed.l4_offset, of which the IP header says that `payload` bytes are
// there.
inline void parse_udp(const Frame& frame, Parsed& parsed, std::uint32_t payload) {
    const std::uint8_t* udp = frame.data + parsed.l4_offset;
    if (payload < kUdpBytes || parsed.l4_offset + kUdpBytes > frame.readable) {
        return refuse(parsed, DropReason::UdpTruncated);
    }
    const std::uint32_t udp_length = read_be16(udp + 4);
    if (udp_length < kUdpBytes || udp_length > payload) {
        return refuse(parsed, DropReason::UdpTruncated);
    }
    parsed.ports = read_be32(udp);
    if ((parsed.ports & 0xffff) != kRoceUdpPort) return;
    if (udp_length < kRoceBytesMin || parsed.l4_offset + kUdpBytes + kBthBytes > frame.readable) {
        return refuse(parsed, DropReason::BthTruncated);
    }
    parsed.dest_qp = read_be24(udp + kUdpBytes + kBthDestQpOffset);
    parsed.roce = true;
}

inline void parse_l4(const Frame& frame, Parsed& parsed, std::uint32_t payload) {
    if (parsed.protocol == kProtocolUdp) [[likely]]
        return parse_udp(frame, parsed, payload);
    if (parsed.protocol == kProtocolTcp && payload >= 4 &&
        parsed.l4_offset + 4u <= frame.readable) {
        parsed.ports = read_be32(frame.data + parsed.l4_offset);
    }
}

inline void parse_ipv4(Frame& frame, Parsed& parsed) {
    const std::uint8_t* ip = frame.data + parsed.l3_offset;
    if (parsed.l3_offset + kIpv4BytesMin > frame.readable) {
        return refuse(parsed, DropReason::Ipv4Truncated);
    }
    const std::uint32_t header = (read_8(ip) & 0x0fu) * 4u;
    if ((read_8(ip) >> 4) != 4 || header < kIpv4BytesMin) {
        return refuse(parsed, DropReason::Ipv4HeaderInvalid);
    }
    const std::uint32_t total = read_be16(ip + 2);
    if (total < header) return refuse(parsed, DropReason::Ipv4HeaderInvalid);
    if (parsed.l3_offset + total > frame.length || parsed.l3_offset + header > frame.readable) {
        return refuse(parsed, DropReason::Ipv4Truncated);
    }
    frame.flags |= frame_flags::kIpv4;
    parsed.kind = FrameKind::Ipv4;
    parsed.traffic_class = read_8(ip + 1);
    parsed.ttl = read_8(ip + 8);
    parsed.protocol = read_8(ip + 9);
    parsed.l4_offset = static_cast<std::uint16_t>(parsed.l3_offset + header);
    parsed.fragment = (read_be16(ip + 6) & 0x3fff) != 0;  // offset or "more fragments", RFC 791
    if (!parsed.fragment) [[likely]]
        parse_l4(frame, parsed, total - header);
}

inline void parse_ipv6(Frame& frame, Parsed& parsed) {
    const std::uint8_t* ip = frame.data + parsed.l3_offset;
    if (parsed.l3_offset + kIpv6Bytes > frame.readable) {
        return refuse(parsed, DropReason::Ipv6Truncated);
    }
    const std::uint32_t first = read_be32(ip);
    if ((first >> 28) != 6) return refuse(parsed, DropReason::Ipv6HeaderInvalid);
    const std::uint32_t payload = read_be16(ip + 4);
    if (parsed.l3_offset + kIpv6Bytes + payload > frame.length) {
        return refuse(parsed, DropReason::Ipv6Truncated);
    }
    frame.flags |= frame_flags::kIpv6;
    parsed.kind = FrameKind::Ipv6;
    parsed.traffic_class = static_cast<std::uint8_t>(first >> 20);
    parsed.protocol = read_8(ip + 6);
    parsed.ttl = read_8(ip + 7);
    parsed.l4_offset = static_cast<std::uint16_t>(parsed.l3_offset + kIpv6Bytes);
    parsed.fragment = parsed.protocol == kProtocolIpv6Fragment;
    parse_l4(frame, parsed, payload);
}

inline void parse_any(Frame& frame, Parsed& parsed) {
    parsed = Parsed{};
    frame.flags = 0;
    if (frame.readable < kEthernetBytes) return refuse(parsed, DropReason::EthernetTruncated);
    const std::uint8_t* data = frame.data;
    parsed.l3_offset = kEthernetBytes;
    parsed.ether_type = read_be16(data + 12);
    if (parsed.ether_type == kEtherTypeVlan) [[unlikely]] {
        if (frame.readable < kEthernetBytes + kVlanTagBytes) {
            return refuse(parsed, DropReason::VlanTagTruncated);
        }
        parsed.tag = read_be16(data + 14);
        parsed.ether_type = read_be16(data + 16);
        parsed.l3_offset = kEthernetBytes + kVlanTagBytes;
        frame.flags |= frame_flags::kTagged;
    }
    // A group address is never a source (802.3 clause 3.2.5).
    if ((read_8(data + kMacBytes) & 1) != 0) return refuse(parsed, DropReason::SourceMacInvalid);
    if (parsed.ether_type == kEtherTypeIpv4) [[likely]]
        return parse_ipv4(frame, parsed);
    if (parsed.ether_type == kEtherTypeIpv6) return parse_ipv6(frame, parsed);
    if (parsed.ether_type == kEtherTypeArp) parsed.kind = FrameKind::Arp;
    if (parsed.ether_type == kEtherTypeMacControl) parsed.kind = FrameKind::MacControl;
}

}  // namespace

Parsed parse(Frame& frame) {
    Parsed parsed;
    parse_any(frame, parsed);
    return parsed;
}

void parse_burst(std::span<Frame> burst, std::span<Parsed> parsed) {
    for (std::size_t i = 0; i < burst.size(); ++i) parse_any(burst[i], parsed[i]);
}

}  // namespace weir

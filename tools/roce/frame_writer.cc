// SPDX-License-Identifier: BSD-3-Clause
#include "tools/roce/frame_writer.h"

#include <algorithm>
#include <optional>

#include "tools/roce/byte_cursor.h"
#include "tools/roce/icrc.h"
#include "tools/roce/wire.h"

namespace weir::roce {
namespace {

std::size_t link_bytes(const Frame& frame) {
    return kEthernetBytes + (frame.vlan ? kVlanTagBytes : 0);
}

std::size_t ip_bytes(const Frame& frame) {
    return frame.source.ipv6 ? kIpv6Bytes : kIpv4Bytes;
}

std::size_t udp_bytes(const Frame& frame) {
    const std::size_t payload_bytes = frame.payload.size();
    return kUdpBytes + kBthBytes + extended_headers(frame.bth.opcode).bytes() + payload_bytes +
           pad_bytes(payload_bytes) + kIcrcBytes;
}

// The internet checksum (RFC 1071) of a header whose checksum field is zero.
std::uint16_t checksum(std::span<const std::uint8_t> header) {
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i + 1 < header.size(); i += 2) {
        sum += static_cast<std::uint32_t>(header[i] << 8 | header[i + 1]);
    }
    while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
    return static_cast<std::uint16_t>(~sum);
}

std::uint8_t traffic_class(const Frame& frame) {
    return static_cast<std::uint8_t>(frame.dscp << 2 | (frame.ecn & 3));
}

void write_ethernet(const Frame& frame, ByteWriter& out) {
    out.put(frame.destination_mac.bytes);
    out.put(frame.source_mac.bytes);
    if (frame.vlan) {
        out.put_be16(kEtherTypeVlan);
        out.put_be16(static_cast<std::uint16_t>((frame.vlan->pcp & 7) << 13 |
                                                (frame.vlan->drop_eligible ? 0x1000 : 0) |
                                                (frame.vlan->vid & 0x0fff)));
    }
    out.put_be16(frame.source.ipv6 ? kEtherTypeIpv6 : kEtherTypeIpv4);
}

void write_ipv4(const Frame& frame, ByteWriter& out) {
    std::array<std::uint8_t, kIpv4Bytes> header{};
    ByteWriter fields(header);
    fields.put_u8(0x45);
    fields.put_u8(traffic_class(frame));
    fields.put_be16(static_cast<std::uint16_t>(kIpv4Bytes + udp_bytes(frame)));
    fields.put_be16(frame.identification);
    fields.put_be16(frame.dont_fragment ? 0x4000 : 0);
    fields.put_u8(frame.hop_limit);
    fields.put_u8(kIpProtocolUdp);
    fields.put_be16(0);
    fields.put(frame.source.wire());
    fields.put(frame.destination.wire());
    ByteWriter(std::span(header).subspan(10)).put_be16(checksum(header));
    out.put(header);
}

void write_ipv6(const Frame& frame, ByteWriter& out) {
    out.put_be32(6u << 28 | std::uint32_t{traffic_class(frame)} << 20 |
                 (frame.flow_label & 0xf'ffff));
    out.put_be16(static_cast<std::uint16_t>(udp_bytes(frame)));
    out.put_u8(kIpProtocolUdp);
    out.put_u8(frame.hop_limit);
    out.put(frame.source.wire());
    out.put(frame.destination.wire());
}

void write_udp(const Frame& frame, ByteWriter& out) {
    out.put_be16(frame.source_port);
    out.put_be16(kRoceUdpPort);
    out.put_be16(static_cast<std::uint16_t>(udp_bytes(frame)));
    out.put_be16(frame.udp_checksum);
}

void write_bth(const Frame& frame, ByteWriter& out) {
    const Bth& bth = frame.bth;
    out.put_u8(static_cast<std::uint8_t>(bth.opcode));
    out.put_u8(static_cast<std::uint8_t>((bth.solicited_event ? 0x80 : 0) |
                                         (bth.migration_request ? 0x40 : 0) |
                                         pad_bytes(frame.payload.size()) << 4));
    out.put_be16(bth.partition_key);
    out.put_u8(static_cast<std::uint8_t>((bth.fecn ? 0x80 : 0) | (bth.becn ? 0x40 : 0) |
                                         (bth.reserved & 0x3f)));
    out.put_be24(bth.destination_qp);
    out.put_u8(bth.ack_request ? 0x80 : 0);
    out.put_be24(bth.psn);
}

void write_extended_headers(const Frame& frame, ByteWriter& out) {
    const ExtendedHeaders present = extended_headers(frame.bth.opcode);
    if (present.deth) {
        out.put_be32(frame.deth.queue_key);
        out.put_be32(frame.deth.source_qp & kPsnMask);
    }
    if (present.reth) {
        out.put_be64(frame.reth.address);
        out.put_be32(frame.reth.remote_key);
        out.put_be32(frame.reth.length_bytes);
    }
    if (present.atomic_eth) {
        out.put_be64(frame.atomic_eth.address);
        out.put_be32(frame.atomic_eth.remote_key);
        out.put_be64(frame.atomic_eth.swap_or_add);
        out.put_be64(frame.atomic_eth.compare);
    }
    if (present.aeth) {
        out.put_u8(frame.aeth.syndrome);
        out.put_be24(frame.aeth.msn);
    }
    if (present.atomic_ack_eth) out.put_be64(frame.atomic_original);
    if (present.immediate) out.put_be32(frame.immediate);
    if (present.cnp_reserved) out.put_zeros(kCnpReservedBytes);
}

void put_le32(std::uint32_t value, ByteWriter& out) {
    for (unsigned shift = 0; shift < 32; shift += 8) {
        out.put_u8(static_cast<std::uint8_t>(value >> shift));
    }
}

}  // namespace

std::size_t frame_bytes(const Frame& frame) {
    return std::max(kEthernetFrameBytesMin, link_bytes(frame) + ip_bytes(frame) + udp_bytes(frame));
}

std::size_t write_frame(const Frame& frame, std::span<std::uint8_t> out) {
    if (frame.payload.size() > kPayloadBytesMax) return 0;
    if (frame.source.ipv6 != frame.destination.ipv6) return 0;
    if (out.size() < frame_bytes(frame)) return 0;

    ByteWriter writer(out);
    write_ethernet(frame, writer);
    frame.source.ipv6 ? write_ipv6(frame, writer) : write_ipv4(frame, writer);
    write_udp(frame, writer);
    write_bth(frame, writer);
    write_extended_headers(frame, writer);
    writer.put(frame.payload);
    writer.put_zeros(pad_bytes(frame.payload.size()));

    const std::size_t ip_offset = link_bytes(frame);
    const std::optional<std::uint32_t> checked =
        icrc(out.subspan(ip_offset, writer.written() - ip_offset));
    if (!checked) return 0;
    put_le32(*checked, writer);
    writer.put_zeros(frame_bytes(frame) - writer.written());
    return writer.ok() ? writer.written() : 0;
}

}  // namespace weir::roce

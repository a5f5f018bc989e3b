// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/icmp.h"

#include "dataplane/core/hold.h"
#include "dataplane/core/icmpv6.h"
#include "dataplane/core/port_address.h"
#include "dataplane/core/send.h"
#include "dataplane/core/sessions.h"

namespace weir {

namespace {

constexpr std::uint8_t kEchoReply = 0;
constexpr std::uint8_t kEchoRequest = 8;
constexpr std::uint8_t kEchoRequestV6 = 128;
constexpr std::uint8_t kEchoReplyV6 = 129;
constexpr std::uint8_t kReplyTtl = 64;  // RFC 1700, "IP time to live parameter"
constexpr std::uint16_t kEchoBytesMin = 8;
constexpr IpAddress kAllNodes{0xff02'0000'0000'0000, 1};

// The reply goes back the way the request came, as data of the request's priority: a flood of
// requests must not crowd out our own control frames.
void send_back(ShardState& state, Frame& frame, Effects& out) {
    std::memcpy(frame.data, frame.data + kMacBytes, kMacBytes);
    write_mac(frame.data + kMacBytes, state.tables->ports[frame.in_port].mac);
    frame.out_port = frame.in_port;
    frame.gateway = kNoGateway;
    if (hold(state, frame, 1, out)) send(state, frame, out);
}

// The checksum can be held against the message only if all of it can be read; the lab's short
// frames carry no data that could be wrong.
bool is_sound_echo(const Frame& frame, const Parsed& parsed) {
    const std::uint8_t* ip = frame.data + parsed.l3_offset;
    const unsigned bytes = parsed.l3_offset + read_be16(ip + 2) - unsigned{parsed.l4_offset};
    if (bytes < kEchoBytesMin || frame.data[parsed.l4_offset + 1] != 0) return false;
    if (parsed.l4_offset + bytes > frame.readable) return true;
    return checksum_of(checksum_sum(frame.data + parsed.l4_offset, bytes)) == 0;
}

bool is_sound_echo_v6(const Frame& frame, const Parsed& parsed) {
    const std::uint8_t* ip = frame.data + parsed.l3_offset;
    const std::uint16_t bytes = read_be16(ip + 4);
    if (bytes < kEchoBytesMin || frame.data[parsed.l4_offset + 1] != 0) return false;
    if (parsed.l4_offset + bytes > frame.readable) return true;
    return icmpv6_checksum(ip, bytes) == 0;
}

// Swapping the addresses leaves every sum as it is; TTL and type change, and with them the
// checksums.
void answer_echo(ShardState& state, Frame& frame, const Parsed& parsed, Effects& out) {
    std::uint8_t* ip = frame.data + parsed.l3_offset;
    std::uint8_t* icmp = frame.data + parsed.l4_offset;
    const std::uint32_t source = read_be32(ip + 12);
    write_be32(ip + 12, read_be32(ip + 16));
    write_be32(ip + 16, source);
    const std::uint16_t before = read_be16(ip + 8);  // TTL and protocol
    ip[8] = kReplyTtl;
    write_be16(ip + 10, checksum_changed(read_be16(ip + 10), before, read_be16(ip + 8)));
    const std::uint16_t type_before = read_be16(icmp);
    icmp[0] = kEchoReply;
    write_be16(icmp + 2, checksum_changed(read_be16(icmp + 2), type_before, read_be16(icmp)));
    send_back(state, frame, out);
}

void answer_echo_v6(ShardState& state, Frame& frame, const Parsed& parsed, const IpAddress& own,
                    Effects& out) {
    std::uint8_t* ip = frame.data + parsed.l3_offset;
    std::uint8_t* icmp = frame.data + parsed.l4_offset;
    std::uint16_t checksum = read_be16(icmp + 2);
    const IpAddress asked = read_ipv6(ip + 24);
    write_ipv6(ip + 24, read_ipv6(ip + 8));
    write_ipv6(ip + 8, own);
    ip[7] = kReplyTtl;  // not part of the checksum
    // A request to a group is answered from an address of our own.
    std::array<std::uint8_t, 16> group{};
    write_ipv6(group.data(), asked);
    for (unsigned i = 0; i < 16; i += 2) {
        checksum = checksum_changed(checksum, read_be16(&group[i]), read_be16(ip + 8 + i));
    }
    const std::uint16_t type_before = read_be16(icmp);
    icmp[0] = kEchoReplyV6;
    write_be16(icmp + 2, checksum_changed(checksum, type_before, read_be16(icmp)));
    send_back(state, frame, out);
}

bool holds_icmp_header(const Frame& frame, const Parsed& parsed) {
    return parsed.l4_offset + kEchoBytesMin <= frame.readable;
}

void icmp_heard(ShardState& state, Frame& frame, const Parsed& parsed, Effects& out) {
    const PortId port = frame.in_port;
    const bool v4 = parsed.kind == FrameKind::Ipv4;
    if (!holds_icmp_header(frame, parsed)) {
        return drop(state, port, DropReason::IcmpMalformed, frame, out);
    }
    if (frame.data[parsed.l4_offset] != (v4 ? kEchoRequest : kEchoRequestV6)) {
        return drop(state, port, DropReason::ControlConsumed, frame, out);
    }
    if (!(v4 ? is_sound_echo(frame, parsed) : is_sound_echo_v6(frame, parsed))) {
        return drop(state, port, DropReason::IcmpMalformed, frame, out);
    }
    if (v4) return answer_echo(state, frame, parsed, out);
    answer_echo_v6(state, frame, parsed, read_ipv6(frame.data + parsed.l3_offset + 24), out);
}

}  // namespace

void local_heard(ShardState& state, Time now, Frame& frame, const Parsed& parsed, Effects& out) {
    const bool v4 = parsed.kind == FrameKind::Ipv4;
    if (!parsed.fragment && parsed.protocol == (v4 ? kProtocolIcmp : kProtocolIcmpv6)) {
        return icmp_heard(state, frame, parsed, out);
    }
    if (is_session_packet(parsed) && watches(state, frame.in_port)) {
        return session_packet_heard(state, now, frame, parsed, out);
    }
    if (parsed.protocol == kProtocolUdp || parsed.protocol == kProtocolTcp) {
        icmp_error(state, now, frame, IcmpError::PortUnreachable, out);
    }
    drop(state, frame.in_port, DropReason::NoSuchService, frame, out);
}

bool is_link_local_echo(const Frame& frame, const Parsed& parsed) {
    if (parsed.kind != FrameKind::Ipv6 || parsed.protocol != kProtocolIcmpv6) return false;
    if (!holds_icmp_header(frame, parsed)) return false;
    if (frame.data[parsed.l4_offset] != kEchoRequestV6) return false;
    const std::uint8_t* ip = frame.data + parsed.l3_offset;
    const IpAddress destination = read_ipv6(ip + 24);
    return read_ipv6(ip + 8).is_link_local() || destination.is_link_local() ||
           destination == kAllNodes;
}

void link_local_echo_heard(ShardState& state, Frame& frame, const Parsed& parsed, Effects& out) {
    const PortId port = frame.in_port;
    const Tables& tables = *state.tables;
    const MacAddress mac = read_mac(frame.data);
    if (!mac.is_group() && mac != tables.ports[port].mac) {
        return drop(state, port, DropReason::DestinationMacNotOurs, frame, out);
    }
    const std::uint8_t* ip = frame.data + parsed.l3_offset;
    const IpAddress source = read_ipv6(ip + 8);
    const IpAddress asked = read_ipv6(ip + 24);
    const bool to_all = asked == kAllNodes;
    if (!(to_all || is_address_of(tables, port, asked)) || !may_be_neighbor(tables, port, source)) {
        return drop(state, port, DropReason::AddressInvalid, frame, out);
    }
    if (!is_sound_echo_v6(frame, parsed)) {
        return drop(state, port, DropReason::IcmpMalformed, frame, out);
    }
    answer_echo_v6(state, frame, parsed, to_all ? source_for(tables, port, source) : asked, out);
}

}  // namespace weir

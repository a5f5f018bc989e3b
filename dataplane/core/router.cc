// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/router.h"

#include <array>
#include <cstring>

#include "dataplane/core/arp.h"
#include "dataplane/core/control.h"
#include "dataplane/core/icmp.h"
#include "dataplane/core/neighbor_discovery.h"
#include "dataplane/core/send.h"

namespace weir {

namespace {

// First bytes of IPv4 addresses that are neither source nor destination of a routed frame: 0/8
// ("this network"), 127/8 (loopback), 224/4 (multicast), 240/4 (reserved, broadcast). RFC
// 1812 5.3.7, RFC 6890.
constexpr std::array<bool, 256> kRoutableFirstByte = [] {
    std::array<bool, 256> routable{};
    for (unsigned byte = 1; byte < 224; ++byte) routable[byte] = byte != 127;
    return routable;
}();

// The one's complement sum over the header, folded: 0xffff when the checksum is right (RFC 1071).
// Reads 32-bit words in host order, which gives the same sum with its bytes swapped.
inline bool ipv4_checksum_right(const std::uint8_t* ip, unsigned header_bytes) {
    std::uint64_t sum = 0;
    for (unsigned at = 0; at < header_bytes; at += 4) {
        std::uint32_t word = 0;
        std::memcpy(&word, ip + at, sizeof word);
        sum += word;
    }
    sum = (sum & 0xffff'ffff) + (sum >> 32);
    sum = (sum & 0xffff) + (sum >> 16);  // from at most 2^32 + 14 to at most 0x1fffe
    sum = (sum & 0xffff) + (sum >> 16);
    return sum == 0xffff;
}

inline DropReason check_ipv4(const std::uint8_t* ip, unsigned header_bytes) {
    if (!ipv4_checksum_right(ip, header_bytes)) return DropReason::Ipv4ChecksumWrong;
    if (!kRoutableFirstByte[ip[16]]) {
        return (ip[16] & 0xf0) == 0xe0 ? DropReason::MulticastNotRouted
                                       : DropReason::AddressInvalid;
    }
    return kRoutableFirstByte[ip[12]] ? DropReason::kCount : DropReason::AddressInvalid;
}

// Link-local addresses never leave their link (RFC 4291 2.5.6); :: and ::1 are no addresses on a
// wire.
DropReason check_ipv6(const std::uint8_t* ip) {
    const IpAddress source = read_ipv6(ip + 8);
    const IpAddress destination = read_ipv6(ip + 24);
    if (destination.is_multicast()) return DropReason::MulticastNotRouted;
    if (source.is_multicast() || source.is_link_local() || destination.is_link_local()) {
        return DropReason::AddressInvalid;
    }
    const auto unusable = [](const IpAddress& a) { return a.high == 0 && a.low <= 1; };
    return unusable(source) || unusable(destination) ? DropReason::AddressInvalid
                                                     : DropReason::kCount;
}

// Frames for the switch itself that do not need a route: they never leave their link. True: taken.
bool take_link_frame(ShardState& state, Time now, Frame& frame, const Parsed& parsed,
                     Effects& out) {
    if (parsed.kind == FrameKind::Arp) {
        arp_heard(state, now, frame, parsed, out);
        return true;
    }
    if (is_neighbor_discovery(frame, parsed)) {
        neighbor_discovery_heard(state, now, frame, parsed, out);
        return true;
    }
    if (is_link_local_echo(frame, parsed)) {
        link_local_echo_heard(state, frame, parsed, out);
        return true;
    }
    return false;
}

// Sends an ICMP error about the frame to its source and drops it.
void refuse(ShardState& state, Time now, const Frame& frame, DropReason reason, IcmpError error,
            Effects& out) {
    icmp_error(state, now, frame, error, out);
    drop(state, frame.in_port, reason, frame, out);
}

// The route leads to one of several routers, or the destination is next to us.
void forward(ShardState& state, Time now, const Route& route, Frame& frame, const Parsed& parsed,
             Effects& out) {
    if (parsed.ttl <= 1) [[unlikely]] {
        return refuse(state, now, frame, DropReason::TtlExpired, IcmpError::TimeExceeded, out);
    }
    frame.gateway = kGatewayIsDestination;
    frame.out_port = route.port;
    if (route.kind == RouteKind::NextHops) [[likely]] {
        const PathChoice choice = choose_path(state, route, frame, parsed);
        if (choice.member == kNoMember) [[unlikely]] {
            return refuse(state, now, frame, DropReason::NoUsableNextHop,
                          IcmpError::HostUnreachable, out);
        }
        const NextHop& hop = state.tables->next_hops[route.first + choice.member];
        frame.gateway = hop.gateway;
        frame.out_port = hop.port;
    }
    const std::uint16_t room = state.tables->ports[frame.out_port].frame_bytes_max;
    if (frame.length > room) [[unlikely]] {
        const auto mtu = static_cast<std::uint16_t>(room - parsed.l3_offset);
        icmp_too_big(state, now, frame, mtu, out);
        return drop(state, frame.out_port, DropReason::FrameTooLongForPort, frame, out);
    }
    hold_and_send(state, now, frame, out);
}

void route_frame(ShardState& state, Time now, Frame& frame, const Parsed& parsed, Effects& out) {
    const PortId in_port = frame.in_port;
    const Route& route = state.tables->routes[find_route(*state.tables, frame, parsed)];
    switch (route.kind) {
        [[likely]] case RouteKind::NextHops : case RouteKind::Connected
            : return forward(state, now, route, frame, parsed, out);
        case RouteKind::Local:
            return local_heard(state, now, frame, parsed, out);
        case RouteKind::Blackhole:
            return drop(state, in_port, DropReason::RouteIsBlackhole, frame, out);
        case RouteKind::None:
            return refuse(state, now, frame, DropReason::NoRoute, IcmpError::NetUnreachable, out);
    }
}

}  // namespace

DropReason check_routable(const ShardState& state, PortId in_port, const Frame& frame,
                          const Parsed& parsed) {
    // A routed port is untagged; a priority tag (VID 0) names no VLAN and stays.
    if ((parsed.tag & 0x0fff) != 0) [[unlikely]]
        return DropReason::VlanNotMember;
    if (read_mac(frame.data) != state.tables->ports[in_port].mac) [[unlikely]] {
        // What is neither for us nor for a group is seen only because the port is promiscuous.
        return read_mac(frame.data).is_group() ? DropReason::MulticastNotRouted
                                               : DropReason::DestinationMacNotOurs;
    }
    const std::uint8_t* ip = frame.data + parsed.l3_offset;
    if (parsed.kind == FrameKind::Ipv4) [[likely]] {
        return check_ipv4(ip, unsigned{parsed.l4_offset} - parsed.l3_offset);
    }
    return parsed.kind == FrameKind::Ipv6 ? check_ipv6(ip) : DropReason::ProtocolNotRouted;
}

std::uint32_t find_route(const Tables& tables, const Frame& frame, const Parsed& parsed) {
    const std::uint8_t* ip = frame.data + parsed.l3_offset;
    if (parsed.kind == FrameKind::Ipv4) [[likely]] {
        return tables.ipv4_routes.find(std::uint64_t{read_be32(ip + 16)} << 32, 0);
    }
    return tables.ipv6_routes.find(read_be64(ip + 24), read_be64(ip + 32));
}

IpAddress destination_of(const Frame& frame, const Parsed& parsed) {
    const std::uint8_t* ip = frame.data + parsed.l3_offset;
    return parsed.kind == FrameKind::Ipv4 ? read_ipv4(ip + 16) : read_ipv6(ip + 24);
}

void route_burst(ShardState& state, Time now, PortId in_port, std::span<Frame> burst,
                 std::span<const Parsed> parsed, Effects& out) {
    for (std::size_t i = 0; i < burst.size(); ++i) {
        Frame& frame = burst[i];
        if (parsed[i].kind == FrameKind::MacControl) [[unlikely]] {
            mac_control_heard(state, now, in_port, frame, parsed[i], out);
            continue;
        }
        DropReason refused = check_header(state, in_port, frame, parsed[i]);
        if (refused == DropReason::kCount) [[likely]] {
            const bool foreign_vlan = (parsed[i].tag & 0x0fff) != 0;
            if (!foreign_vlan && take_link_frame(state, now, frame, parsed[i], out)) continue;
            refused = check_routable(state, in_port, frame, parsed[i]);
        }
        if (refused != DropReason::kCount) [[unlikely]] {
            drop(state, in_port, refused, frame, out);
            continue;
        }
        route_frame(state, now, frame, parsed[i], out);
    }
}

}  // namespace weir

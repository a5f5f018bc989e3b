// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/router.h"

#include <array>

#include "dataplane/core/arp.h"
#include "dataplane/core/checksum.h"
#include "dataplane/core/control.h"
#include "dataplane/core/fast_lane.h"
#include "dataplane/core/icmp.h"
#include "dataplane/core/neighbor_discovery.h"
#include "dataplane/core/send.h"
#include "dataplane/core/sessions.h"

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

inline DropReason check_ipv4(const std::uint8_t* ip, unsigned header_bytes) {
    const bool right =
        header_bytes == kIpv4BytesMin ? ipv4_header_right(ip) : ipv4_header_right(ip, header_bytes);
    if (!right) return DropReason::Ipv4ChecksumWrong;
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

// What the peer of a link says from or to a link-local address. True: taken.
bool take_from_peer(ShardState& state, Time now, const Frame& frame, const Parsed& parsed,
                    Effects& out) {
    const bool session = is_session_packet(parsed);
    if (!session && !is_notice(state, parsed)) return false;
    if (!is_link_local_from_peer(state, frame, parsed)) return false;
    session ? session_packet_heard(state, now, frame, parsed, out)
            : notice_arrived(state, now, frame, parsed, out);
    return true;
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
    if (!state.tables->links.empty() && take_from_peer(state, now, frame, parsed, out)) return true;
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

// The frame does not fit into its egress port. Counted there: that is where an operator looks for
// the limit.
void refuse_size(ShardState& state, Time now, const Frame& frame, const Parsed& parsed,
                 Effects& out) {
    const std::uint16_t room = state.tables->ports[frame.out_port].frame_bytes_max;
    icmp_too_big(state, now, frame, static_cast<std::uint16_t>(room - parsed.l3_offset), out);
    drop(state, frame.out_port, DropReason::FrameTooLongForPort, frame, out);
}

inline bool fits_port(ShardState& state, Time now, Frame& frame, const Parsed& parsed,
                      Effects& out) {
    if (frame.length <= state.tables->ports[frame.out_port].frame_bytes_max) [[likely]]
        return true;
    refuse_size(state, now, frame, parsed, out);
    return false;
}

// forward() where paths depend on more than a hash.
bool forward_tracked(ShardState& state, Time now, const Route& route, Frame& frame,
                     const Parsed& parsed, Effects& out) {
    PathChoice choice;
    choice.hop = {kGatewayIsDestination, route.port};
    choice.plan = state.tables->plan;
    choice.returns = state.returns;
    if (route.kind == RouteKind::NextHops) choice = choose_path(state, now, route, frame, parsed);
    if (!choice.found()) {
        refuse(state, now, frame, DropReason::NoUsableNextHop, IcmpError::HostUnreachable, out);
        return false;
    }
    frame.gateway = choice.hop.gateway;
    frame.out_port = choice.hop.port;
    if (!fits_port(state, now, frame, parsed, out)) return false;
    note_choice(state, route, choice, frame);
    remember_use(state, now, frame, parsed, choice);
    return true;
}

// The route leads to one of several routers, or the destination is next to us. True: the frame goes
// on.
inline bool forward(ShardState& state, Time now, const Route& route, Frame& frame,
                    const Parsed& parsed, Effects& out) {
    if (parsed.ttl <= 1) [[unlikely]] {
        refuse(state, now, frame, DropReason::TtlExpired, IcmpError::TimeExceeded, out);
        return false;
    }
    if (state.tracks_flows) [[unlikely]]
        return forward_tracked(state, now, route, frame, parsed, out);
    frame.gateway = kGatewayIsDestination;
    frame.out_port = route.port;
    if (route.kind == RouteKind::NextHops) [[likely]] {
        const HashChoice choice = choose_by_hash(state, route, frame, parsed);
        if (choice.member == kNoMember) [[unlikely]] {
            refuse(state, now, frame, DropReason::NoUsableNextHop, IcmpError::HostUnreachable, out);
            return false;
        }
        const NextHop& hop = state.tables->next_hops[route.first + choice.member];
        frame.gateway = hop.gateway;
        frame.out_port = hop.port;
    }
    if (!fits_port(state, now, frame, parsed, out)) return false;
    remember_flow(state, frame);
    return true;
}

// The route leads nowhere else, or to ourselves.
void end_route(ShardState& state, Time now, const Route& route, Frame& frame, const Parsed& parsed,
               Effects& out) {
    if (route.kind == RouteKind::Local) return local_heard(state, now, frame, parsed, out);
    if (route.kind == RouteKind::Blackhole) {
        return drop(state, frame.in_port, DropReason::RouteIsBlackhole, frame, out);
    }
    refuse(state, now, frame, DropReason::NoRoute, IcmpError::NetUnreachable, out);
}

// True: the frame goes on, by frame.gateway and frame.out_port.
inline bool route_frame(ShardState& state, Time now, Frame& frame, const Parsed& parsed,
                        Effects& out) {
    const Route& route = state.tables->routes[find_route(*state.tables, frame, parsed)];
    if (route.kind == RouteKind::NextHops || route.kind == RouteKind::Connected) [[likely]] {
        return forward(state, now, route, frame, parsed, out);
    }
    end_route(state, now, route, frame, parsed, out);
    return false;
}

// Everything but plain IPv4 to our MAC. True: the frame may be routed.
bool take_or_check(ShardState& state, Time now, PortId in_port, Frame& frame, const Parsed& parsed,
                   Effects& out) {
    if (parsed.kind == FrameKind::MacControl) {
        mac_control_heard(state, now, in_port, frame, parsed, out);
        return false;
    }
    DropReason refused = check_header(state, in_port, frame, parsed);
    if (refused == DropReason::kCount) {
        const bool foreign_vlan = (parsed.tag & 0x0fff) != 0;
        if (!foreign_vlan && take_link_frame(state, now, frame, parsed, out)) return false;
        refused = check_routable(state, in_port, frame, parsed);
    }
    if (refused == DropReason::kCount) return true;
    drop(state, in_port, refused, frame, out);
    return false;
}

// What check_header() and check_routable() look at, for the frames that are nearly all of them.
inline bool is_plain(const PortTable& port, const Frame& frame, const Parsed& parsed) {
    return parsed.kind == FrameKind::Ipv4 && (parsed.tag & 0x0fff) == 0 &&
           read_mac(frame.data) == port.mac && frame.length <= port.frame_bytes_max;
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

std::size_t route_burst(ShardState& state, Time now, PortId in_port, std::span<Frame> burst,
                        std::span<const Parsed> parsed, Effects& out) {
    const PortTable& port = state.tables->ports[in_port];
    std::size_t kept = 0;
    for (std::size_t i = 0; i < burst.size(); ++i) {
        Frame& frame = burst[i];
        const std::uint8_t* ip = frame.data + parsed[i].l3_offset;
        const bool plain = is_plain(port, frame, parsed[i]) &&
                           check_ipv4(ip, unsigned{parsed[i].l4_offset} - parsed[i].l3_offset) ==
                               DropReason::kCount;
        if (!plain && !take_or_check(state, now, in_port, frame, parsed[i], out)) continue;
        if (!route_frame(state, now, frame, parsed[i], out)) continue;
        if (kept != i) burst[kept] = frame;
        ++kept;
    }
    return kept;
}

}  // namespace weir

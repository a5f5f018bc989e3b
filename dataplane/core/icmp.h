// SPDX-License-Identifier: BSD-3-Clause
// What the switch answers itself: echoes, and errors about frames that it could not forward. ICMP
// (RFC 792, RFC 1812 section 4.3) and ICMPv6 (RFC 4443).
#pragma once

#include "dataplane/core/parse.h"
#include "dataplane/core/shard_state.h"

namespace weir {

enum class IcmpError : std::uint8_t {
    TimeExceeded,
    NetUnreachable,
    HostUnreachable,
    PortUnreachable
};

// At most so many errors per second and shard, and so many at once. 100 a second of at most 590 B
// are 0.5 Mb/s on the way back; a traceroute sends 3 probes per hop at once, a burst of 50 answers
// 16 of them.
inline constexpr Interval kIcmpErrorInterval = Interval::milliseconds(10);
inline constexpr unsigned kIcmpErrorBurst = 50;

// How much of the frame in question an error quotes: RFC 1812 4.3.2.3 wants the whole error to stay
// within 576 B (IP header 20, ICMP header 8), RFC 4443 2.4 c within 1280 B; an own frame holds 640.
inline constexpr std::uint16_t kIcmpQuoteBytesMax = 576 - 20 - 8;
inline constexpr std::uint16_t kIcmpv6QuoteBytesMax = 512;

// Tells the source of `frame` why it will be dropped. The frame is as it was received, on a routed
// port. Nothing is sent where the RFCs forbid it (about errors, later fragments, groups and
// broadcasts, invalid sources), above the rate limit, or to a port of another shard.
void icmp_error(ShardState& state, Time now, const Frame& frame, IcmpError error, Effects& out);

// The frame does not fit: "fragmentation needed" or "packet too big", `mtu` bytes with the IP
// header would.
void icmp_too_big(ShardState& state, Time now, const Frame& frame, std::uint16_t mtu, Effects& out);

// A routed frame's destination is one of our addresses: an echo request becomes the reply, in
// place; a session packet goes to its session.
void local_heard(ShardState& state, Time now, Frame& frame, const Parsed& parsed, Effects& out);

// An ICMPv6 echo request that stays on its link, so that no route leads to it: from or to a
// link-local address, or to all nodes.
[[nodiscard]] bool is_link_local_echo(const Frame& frame, const Parsed& parsed);
void link_local_echo_heard(ShardState& state, Frame& frame, const Parsed& parsed, Effects& out);

}  // namespace weir

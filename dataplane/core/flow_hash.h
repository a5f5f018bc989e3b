// SPDX-License-Identifier: BSD-3-Clause
// The flow hash and how it chooses among next hops. Integer arithmetic only: the same on every
// machine and compiler.
#pragma once

#include <cstdint>
#include <span>

#include "dataplane/core/frame.h"
#include "dataplane/core/mix.h"
#include "dataplane/core/parse.h"
#include "dataplane/core/tables.h"
#include "dataplane/core/wire.h"

namespace weir {

// Hash of the 5-tuple (3-tuple for fragments and protocols without ports, so that all fragments of
// a datagram go one way) and, if asked for, of a RoCEv2 frame's destination QP. The seed is the
// switch's own: tiers with equal seeds polarise.
[[nodiscard]] inline std::uint64_t flow_hash(const HashSettings& settings, const Frame& frame,
                                             const Parsed& parsed) {
    const std::uint64_t qp = settings.use_dest_qp ? parsed.dest_qp : 0;
    const std::uint64_t l4 = (qp << 40) | (std::uint64_t{parsed.ports} << 8) | parsed.protocol;
    const std::uint8_t* ip = frame.data + parsed.l3_offset;
    if (parsed.kind == FrameKind::Ipv4) [[likely]] {
        const std::uint64_t addresses = read_be64(ip + 12);  // source, destination
        return avalanche(mix(addresses ^ settings.seed, kMixA) + avalanche(l4 ^ ~settings.seed));
    }
    const std::uint64_t source = mix(read_be64(ip + 8) ^ settings.seed, read_be64(ip + 16) ^ kMixA);
    const std::uint64_t both = mix(source ^ read_be64(ip + 24), read_be64(ip + 32) ^ kMixB);
    return avalanche(both + avalanche(l4 ^ ~settings.seed));
}

// The member that `hash` names among `count`: exactly uniform up to count / 2^32.
[[nodiscard]] inline std::uint32_t choose_member(std::uint64_t hash, std::uint32_t count) {
    return static_cast<std::uint32_t>(((hash >> 32) * count) >> 32);
}

inline constexpr std::uint32_t kNoMember = 0xffff'ffff;

// Each flow has its own fixed order of preference over the members: eight independent draws, then
// all in turn from the last draw. It uses the first usable one, so losing a member moves that
// member's flows and no other, and its return moves back exactly those. kNoMember when no member's
// port is usable.
[[nodiscard]] inline std::uint32_t choose_usable_member(std::uint64_t hash,
                                                        std::span<const NextHop> members,
                                                        const PortSet& usable) {
    const auto count = static_cast<std::uint32_t>(members.size());
    std::uint32_t member = choose_member(hash, count);
    if (usable.has(members[member].port)) [[likely]]
        return member;
    for (unsigned draw = 1; draw < 8; ++draw) {
        hash = avalanche(hash + kMixC);
        member = choose_member(hash, count);
        if (usable.has(members[member].port)) return member;
    }
    for (std::uint32_t step = 1; step < count; ++step) {
        const std::uint32_t next = member + step < count ? member + step : member + step - count;
        if (usable.has(members[next].port)) return next;
    }
    return kNoMember;
}

}  // namespace weir

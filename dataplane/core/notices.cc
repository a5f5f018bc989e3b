// SPDX-License-Identifier: BSD-3-Clause
// What peers say that they have lost.
#include "dataplane/core/notices.h"

#include "dataplane/core/lost_here.h"
#include "dataplane/core/notice_telling.h"
#include "dataplane/core/port_address.h"
#include "dataplane/core/shard_state.h"

namespace weir {

namespace {

constexpr std::array<const char*, kNoticeRefusals> kRefusalNames{
    "no_session",    "hop_limit_wrong", "not_the_peer", "malformed",
    "other_session", "stale",           "too_many",     "forged"};

// So that every shard looks again at what it has lost. Our own changes are not news to us.
void tell_lost_change(ShardState& state) {
    state.condition->tell_lost_change();
    ++state.notices.lost_changes_seen;
}

void reach_again(ShardState& state, PortId port, std::uint32_t group) {
    state.condition->lost.set(group, port, false);
    state.condition->tell_return();
    state.notices.by_port[port].lost_by.remove(group);
    state.notices.touched.add(group);
}

// Whatever the peer has said is forgotten.
void forget(ShardState& state, PortId port) {
    NoticePort& from = state.notices.by_port[port];
    if (from.lost_by.empty()) return;
    from.lost_by.for_each([&](std::uint32_t group) { reach_again(state, port, group); });
    tell_lost_change(state);
}

bool is_configured(const Tables& tables, std::uint32_t group) {
    const auto groups = tables.destinations.groups;
    return group < groups.size() && groups[group].route != kNoRouteIndex;
}

void refuse(ShardState& state, NoticeRefusal why, const Frame& frame, Effects& out) {
    ++state.notices.by_port[frame.in_port].counters.refused[static_cast<unsigned>(why)];
    drop(state, frame.in_port, DropReason::NoticeRefused, frame, out);
}

NoticeRefusal judge_addresses(const ShardState& state, const Frame& frame, const Parsed& parsed) {
    if (!state.notices.sessions_up.has(frame.in_port)) return NoticeRefusal::NoSession;
    if (parsed.ttl != kNoticeHopLimit) return NoticeRefusal::HopLimitWrong;
    const std::uint8_t* ip = frame.data + parsed.l3_offset;
    const bool v4 = parsed.kind == FrameKind::Ipv4;
    const IpAddress source = v4 ? read_ipv4(ip + 12) : read_ipv6(ip + 8);
    const IpAddress destination = v4 ? read_ipv4(ip + 16) : read_ipv6(ip + 24);
    return source == state.links.by_port[frame.in_port].peer &&
                   is_address_of(*state.tables, frame.in_port, destination)
               ? NoticeRefusal::kCount
               : NoticeRefusal::NotThePeer;
}

NoticeRefusal judge_header(const ShardState& state, PortId port, const NoticeHeader& header) {
    const LinkSession& session = state.links.by_port[port].session;
    if (header.sender_discriminator != session.peer_discriminator() ||
        header.receiver_discriminator != session.discriminator()) {
        return NoticeRefusal::OtherSession;
    }
    return header.sequence > state.notices.by_port[port].heard ? NoticeRefusal::kCount
                                                               : NoticeRefusal::Stale;
}

// The whole payload, or nothing if it cannot be read.
std::span<const std::uint8_t> payload_of(const Frame& frame, const Parsed& parsed) {
    const std::uint8_t* udp = frame.data + parsed.l4_offset;
    const std::uint16_t length = read_be16(udp + 4);
    if (length < kUdpBytes || parsed.l4_offset + unsigned{length} > frame.readable) return {};
    return {udp + kUdpBytes, static_cast<std::size_t>(length - kUdpBytes)};
}

// One prefix of a notice that is believed. True: it is news.
bool apply(ShardState& state, PortId port, NoticeKind kind, const DestinationPrefix& prefix) {
    NoticePort& from = state.notices.by_port[port];
    const std::uint32_t group = state.tables->destinations.find(prefix);
    if (group == kNoDestinationGroup) {
        ++from.counters.unknown_prefixes;
        return false;
    }
    if (kind == NoticeKind::Lost) {
        from.refreshed.add(group);
        if (from.lost_by.has(group)) return false;
        from.lost_by.add(group);
        state.condition->lost.set(group, port, true);
        state.notices.touched.add(group);
        return true;
    }
    if (!from.lost_by.has(group)) return false;
    reach_again(state, port, group);
    return true;
}

// What the peer has not said again within the last interval is forgotten: its own notice that it is
// back was lost, however often it was said.
void sweep(ShardState& state, Time now, PortId port) {
    NoticePort& from = state.notices.by_port[port];
    if (from.lost_by.empty() || now < from.sweep_at) return;
    std::uint64_t expired = 0;
    from.lost_by.for_each([&](std::uint32_t group) {
        if (from.refreshed.has(group)) return;
        reach_again(state, port, group);
        ++expired;
    });
    from.refreshed.clear();
    from.sweep_at = now + state.tables->notices.expiry;
    if (expired == 0) return;
    from.counters.expired_prefixes += expired;
    tell_lost_change(state);
}

}  // namespace

const char* name_of(NoticeRefusal refusal) {
    return kRefusalNames[static_cast<unsigned>(refusal)];
}

void Notices::lay_out(Arena& arena, unsigned ports, unsigned groups) {
    by_port = arena.take<NoticePort>(ports);
    for (unsigned port = 0; port < ports; ++port) {
        GroupSet lost_by;
        GroupSet refreshed;
        lost_by.lay_out(arena, groups);
        refreshed.lay_out(arena, groups);
        if (by_port.empty()) continue;  // the bytes are only counted
        by_port[port].lost_by = lost_by;
        by_port[port].refreshed = refreshed;
    }
    for (GroupSet* set : {&lost_here, &recent, &touched, &telling.groups}) {
        set->lay_out(arena, groups);
    }
}

void adopt_notices(ShardState& state, Time now) {
    Notices& notices = state.notices;
    const Tables& tables = *state.tables;
    WEIR_CHECK(tables.destinations.groups.size() <= notices.lost_here.groups());
    for (PortId port = 0; port < notices.by_port.size(); ++port) {
        NoticePort& from = notices.by_port[port];
        if (!tables.notices.enabled) {
            forget(state, port);
            continue;
        }
        from.lost_by.for_each([&](std::uint32_t group) {
            if (!is_configured(tables, group)) reach_again(state, port, group);
        });
    }
    // What is being told goes on: a restoration that is not told now is never refreshed.
    for (GroupSet* set : {&notices.lost_here, &notices.recent, &notices.telling.groups}) {
        set->for_each([&](std::uint32_t group) {
            if (!is_configured(tables, group)) set->remove(group);
        });
    }
    notices.touched.clear();
    touch_all(state);
    notices.next = now;
}

void notice_session_changed(ShardState& state, Time now, PortId port, bool up) {
    Notices& notices = state.notices;
    forget(state, port);
    notices.next = now;
    if (!up) return notices.sessions_up.remove(port);
    notices.sessions_up.add(port);
    notices.by_port[port].heard = 0;
    PortSet peer;
    peer.add(port);
    if (!notices.lost_here.empty()) start_telling(notices, notices.lost_here, peer, false);
}

bool is_notice(const ShardState& state, const Parsed& parsed) {
    return parsed.protocol == kProtocolUdp && state.tables->notices.enabled &&
           (parsed.ports & 0xffff) == state.tables->notices.udp_port;
}

void notice_arrived(ShardState& state, Time now, const Frame& frame, const Parsed& parsed,
                    Effects& out) {
    NoticeRefusal why = judge_addresses(state, frame, parsed);
    if (why != NoticeRefusal::kCount) return refuse(state, why, frame, out);
    const std::span<const std::uint8_t> payload = payload_of(frame, parsed);
    NoticeHeader header;
    if (read_notice(payload, header) != NoticeError::None) {
        return refuse(state, NoticeRefusal::Malformed, frame, out);
    }
    why = judge_header(state, frame.in_port, header);
    if (why != NoticeRefusal::kCount) return refuse(state, why, frame, out);
    NoticePort& from = state.notices.by_port[frame.in_port];
    if (out.heard_notices.room() == 0 || !from.checks.take(now, kNoticeInterval, kNoticeBurst)) {
        return refuse(state, NoticeRefusal::TooMany, frame, out);
    }
    HeardNotice& heard = out.heard_notices.push_slot();
    heard.frame = frame;
    heard.payload = payload;
}

void hear_notice(ShardState& state, Time now, const HeardNotice& heard, bool authentic,
                 Effects& out) {
    const PortId port = heard.frame.in_port;
    NoticePort& from = state.notices.by_port[port];
    const auto count = [&](NoticeRefusal why) {
        ++from.counters.refused[static_cast<unsigned>(why)];
        state.counters[port].drops[static_cast<unsigned>(DropReason::NoticeRefused)].add(1);
    };
    if (!authentic) return count(NoticeRefusal::Forged);
    NoticeHeader header;
    WEIR_CHECK(read_notice(heard.payload, header) == NoticeError::None);
    // Again: one that was checked before this may have been the same.
    const NoticeRefusal why = judge_header(state, port, header);
    if (why != NoticeRefusal::kCount) return count(why);
    from.heard = header.sequence;
    from.origin = header.origin;
    ++from.counters.heard;
    state.counters[port].drops[static_cast<unsigned>(DropReason::ControlConsumed)].add(1);
    if (from.lost_by.empty()) from.sweep_at = now + state.tables->notices.expiry;
    std::uint64_t news = 0;
    for_each_prefix(heard.payload, header, [&](const DestinationPrefix& prefix) {
        news += apply(state, port, header.kind, prefix) ? 1u : 0u;
    });
    if (news == 0) return;
    tell_lost_change(state);
    state.notices.next = now;
    if (out.events.room() == 0) return;
    Event& event = out.events.push_slot();
    event = {.at = now,
             .number = news,
             .port = port,
             .kind = header.kind == NoticeKind::Lost ? EventKind::NoticeHeardLost
                                                     : EventKind::NoticeHeardRestored};
}

void tick_notices_now(ShardState& state, Time now, Effects& out) {
    Notices& notices = state.notices;
    for (PortId port = 0; port < notices.by_port.size(); ++port) sweep(state, now, port);
    look_at_losses(state, now, out);
    say_again(state, now);
    go_on_telling(state, now, out);
    notices.next = next_telling(notices, now);
    for (const NoticePort& from : notices.by_port) {
        if (!from.lost_by.empty()) notices.next = std::min(notices.next, from.sweep_at);
    }
}

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/notice_telling.h"

#include <algorithm>

#include "dataplane/core/own_datagram.h"
#include "dataplane/core/sessions.h"
#include "dataplane/core/shard_state.h"

namespace weir {

namespace {

// The prefixes of one notice.
struct Batch {
    std::array<DestinationPrefix, kNoticePrefixesMax> prefixes;
    std::size_t count = 0;
    std::uint32_t behind = 0;  // the group that the next notice begins with
};

// Those of the telling's kind from `telling.from` on that fit into one notice.
void fill(const ShardState& state, Batch& batch) {
    const Notices& notices = state.notices;
    const NoticeTelling& telling = notices.telling;
    const bool lost = telling.kind == NoticeKind::Lost;
    unsigned bytes = 0;
    std::uint32_t group = telling.groups.next(telling.from);
    for (; group < telling.groups.groups(); group = telling.groups.next(group + 1)) {
        if (notices.lost_here.has(group) != lost) continue;
        const DestinationPrefix& prefix = state.tables->destinations.groups[group].prefix;
        bytes += notice_bytes_of(prefix);
        if (bytes > kNoticePrefixesBytesMax) break;
        batch.prefixes[batch.count++] = prefix;
    }
    batch.behind = group;
}

void note_sent(const NoticeTelling& telling, Time now, PortId port, std::size_t prefixes,
               Effects& out) {
    if (!telling.news || out.events.room() == 0) return;
    Event& event = out.events.push_slot();
    event = {.at = now,
             .number = prefixes,
             .port = port,
             .kind = telling.kind == NoticeKind::Lost ? EventKind::NoticeSentLost
                                                      : EventKind::NoticeSentRestored};
}

// PFC shares the queue and must find room in it.
bool has_room(const ShardState& state, PortId port) {
    return state.egress.queues().at(port, kUrgentQueue).bytes + UnsignedNotice::kFrameBytesMax <=
           kOwnQueueBytesMax / 2;
}

void send(ShardState& state, Time now, PortId port, const Batch& batch, Effects& out) {
    NoticePort& to = state.notices.by_port[port];
    const std::uint8_t* rewrite = peer_rewrite(state, port);
    if (rewrite == nullptr) {
        ++to.counters.unresolved;
        return;
    }
    const LinkSession& session = state.links.by_port[port].session;
    if (to.sequence == 0) to.sequence = state.notices.first_sequence;
    NoticeHeader header{.origin = state.tables->notices.origin,
                        .sequence = ++to.sequence,
                        .sender_discriminator = session.discriminator(),
                        .receiver_discriminator = session.peer_discriminator(),
                        .kind = state.notices.telling.kind};
    UnsignedNotice& notice = out.notices.push_slot();
    const IpAddress peer = state.links.by_port[port].peer;
    notice.out_port = port;
    notice.payload_at = datagram_payload_at(peer);
    notice.payload_bytes = static_cast<std::uint16_t>(
        write_notice(std::span{notice.bytes}.subspan(notice.payload_at), header,
                     std::span{batch.prefixes}.first(batch.count)));
    const std::uint16_t udp_port = state.tables->notices.udp_port;
    write_datagram_headers(*state.tables, port, peer, rewrite,
                           {.source_port = udp_port,
                            .destination_port = udp_port,
                            .payload_bytes = notice.payload_bytes},
                           notice.bytes.data());
    ++to.counters.sent;
    note_sent(state.notices.telling, now, port, batch.count, out);
}

void stop(Notices& notices) {
    notices.telling.groups.clear();
    notices.telling.ports = {};
    notices.telling.active = false;
    notices.telling.news = false;
}

// The notice is with all: the next one, of the other kind, or the end.
void advance(Notices& notices, std::uint32_t behind) {
    NoticeTelling& telling = notices.telling;
    telling.from = behind;
    telling.ports_left = telling.ports;
    if (behind < telling.groups.groups()) return;
    telling.from = 0;
    if (telling.kind == NoticeKind::Restored) return stop(notices);
    telling.kind = NoticeKind::Restored;
}

}  // namespace

void start_telling(Notices& notices, const GroupSet& groups, const PortSet& ports, bool news) {
    NoticeTelling& telling = notices.telling;
    telling.groups.add_all(groups);
    telling.ports = telling.ports | ports;
    telling.ports_left = telling.ports;
    telling.from = 0;
    telling.kind = NoticeKind::Lost;
    telling.news = telling.news || news;
    telling.active = true;
}

void announce(ShardState& state, Time now) {
    Notices& notices = state.notices;
    notices.repeats_left = kNoticeRepeats.size();
    notices.repeat_at = now + kNoticeRepeats[0];
    notices.refresh_at = now + state.tables->notices.refresh;
    start_telling(notices, notices.recent, notices.sessions_up, true);
}

void say_again(ShardState& state, Time now) {
    Notices& notices = state.notices;
    if (notices.repeats_left > 0 && now >= notices.repeat_at) {
        start_telling(notices, notices.recent, notices.sessions_up, false);
        if (--notices.repeats_left == 0) {
            notices.recent.clear();
        } else {
            // Both repetitions count from the change.
            notices.repeat_at = notices.repeat_at - kNoticeRepeats[0] + kNoticeRepeats[1];
        }
    }
    if (!notices.lost_here.empty() && now >= notices.refresh_at) {
        start_telling(notices, notices.lost_here, notices.sessions_up, false);
        notices.refresh_at = now + state.tables->notices.refresh;
    }
}

void go_on_telling(ShardState& state, Time now, Effects& out) {
    Notices& notices = state.notices;
    NoticeTelling& telling = notices.telling;
    while (telling.active) {
        Batch batch;
        fill(state, batch);
        while (batch.count > 0 && !telling.ports_left.empty()) {
            const PortId port = telling.ports_left.first();
            const bool up = notices.sessions_up.has(port);
            if (up && (out.notices.room() == 0 || !has_room(state, port))) return;
            telling.ports_left.remove(port);
            if (up) send(state, now, port, batch, out);
        }
        advance(notices, batch.behind);
    }
}

Time next_telling(const Notices& notices, Time now) {
    if (notices.telling.active) return now;
    Time next = now + kNoticeIdle;
    if (notices.repeats_left > 0) next = std::min(next, notices.repeat_at);
    if (!notices.lost_here.empty() && !notices.sessions_up.empty()) {
        next = std::min(next, notices.refresh_at);
    }
    return next;
}

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
// Failure notices of one shard: what the peers of its links have lost, what this switch has lost
// itself, and who is told. docs/wire_formats.md has the protocol.
//
// The core neither signs nor checks signatures: what is to be sent goes to Effects::notices, what
// was heard to Effects::heard_notices and comes back by Shard::hear_notice().
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "dataplane/core/group_set.h"
#include "dataplane/core/notice.h"
#include "dataplane/core/parse.h"
#include "dataplane/core/rate_limit.h"
#include "dataplane/core/tables.h"

namespace weir {

struct ShardState;
struct Effects;
struct HeardNotice;

// After a change it is said again after these, in case a notice was lost with the link.
inline constexpr std::array<Interval, 2> kNoticeRepeats{Interval::microseconds(100),
                                                        Interval::milliseconds(1)};
// Signatures that are checked for one port: 64 at once, 20,000 a second. A check of the longest
// notice takes some 3 us, so a flood costs a worker 6 % and no more.
inline constexpr unsigned kNoticeBurst = 64;
inline constexpr Interval kNoticeInterval = Interval::microseconds(50);
// How far away the next deadline is when nothing is lost anywhere.
inline constexpr Interval kNoticeIdle = Interval::seconds(3600);

// Why a notice was not believed.
enum class NoticeRefusal : std::uint8_t {
    NoSession,      // the port has no link whose session is Up
    HopLimitWrong,  // not 255: it was routed
    NotThePeer,     // another source, or not to the address that the peer knows
    Malformed,      // read_notice()
    OtherSession,   // discriminators: from before one of the two ends started
    Stale,          // its sequence was heard already: a repetition by somebody else
    TooMany,        // kNoticeInterval
    Forged,         // the authentication is wrong
    kCount,
};
inline constexpr unsigned kNoticeRefusals = static_cast<unsigned>(NoticeRefusal::kCount);
[[nodiscard]] const char* name_of(NoticeRefusal refusal);

// Read on the worker's own thread only.
struct NoticeCounters {
    std::uint64_t sent = 0;
    std::uint64_t heard = 0;  // and believed
    std::array<std::uint64_t, kNoticeRefusals> refused{};
    std::uint64_t unknown_prefixes = 0;  // that this switch has no route for
    std::uint64_t expired_prefixes = 0;  // that the peer has not said again
    std::uint64_t unresolved = 0;        // not sent for want of the peer's MAC
};

struct NoticePort {
    GroupSet lost_by;    // what the peer has lost
    GroupSet refreshed;  // of that, what it has said since the last sweep
    Time sweep_at;
    std::uint64_t origin = 0;    // the peer's, of the last notice
    std::uint64_t heard = 0;     // highest sequence of this session
    std::uint64_t sequence = 0;  // of the last one sent
    RateLimit checks;
    NoticeCounters counters;
};

// What is being told: the present state of `groups` to `ports`, first what is lost. Changes on the
// way start it again.
struct NoticeTelling {
    GroupSet groups;
    PortSet ports;
    PortSet ports_left;      // of the notice that begins at `from`
    std::uint32_t from = 0;  // group
    NoticeKind kind = NoticeKind::Lost;
    bool active = false;
    bool news = false;  // not a repetition
};

struct Notices {
    std::span<NoticePort> by_port;
    GroupSet lost_here;  // no usable path is left
    GroupSet recent;     // changed a moment ago: to be repeated
    GroupSet touched;    // to be looked at
    NoticeTelling telling;
    PortSet sessions_up;
    PortSet usable_seen;                  // ShardState::usable, as of the last look
    std::uint64_t lost_changes_seen = 0;  // Condition::lost_changes()
    std::uint64_t first_sequence = 0;     // ShardOptions::notice_sequence
    Time next;  // when tick_notices_now() has something to do; link changes aside
    Time repeat_at;
    Time refresh_at;
    unsigned repeats_left = 0;

    void lay_out(Arena& arena, unsigned ports, unsigned groups);
};

// New tables.
void adopt_notices(ShardState& state, Time now);

// The session of the port's link is Up: the peer knows nothing, and has lost nothing; or it is not
// Up any more.
void notice_session_changed(ShardState& state, Time now, PortId port, bool up);

// Whether a frame to one of our addresses is a notice.
[[nodiscard]] bool is_notice(const ShardState& state, const Parsed& parsed);

// Looks at all that needs no key, and lets the rest be checked: the frame is in out.heard_notices
// or freed.
void notice_arrived(ShardState& state, Time now, const Frame& frame, const Parsed& parsed,
                    Effects& out);

// Its signature was checked. The frame is the caller's.
void hear_notice(ShardState& state, Time now, const HeardNotice& heard, bool authentic,
                 Effects& out);

// Finds what was lost or restored since the last look, and tells the peers; repeats, refreshes,
// forgets.
void tick_notices_now(ShardState& state, Time now, Effects& out);

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "dataplane/core/link.h"

namespace weir {

// The link of one port as its session and the operator have it, at one moment.
struct LinkView {
    PortId port = kNoPort;
    bool watched = false;  // false: no session, and what is about it below is empty
    LinkUse use = LinkUse::Usable;
    IpAddress peer{};
    SessionState state = SessionState::Down;
    SessionState peer_state = SessionState::Down;
    Diagnostic diagnostic = Diagnostic::None;
    Diagnostic peer_diagnostic = Diagnostic::None;
    Diagnostic last_down = Diagnostic::None;  // of the time it was last lost
    Diagnostic last_peer_down = Diagnostic::None;
    std::uint32_t discriminator = 0;
    std::uint32_t peer_discriminator = 0;
    bool polling = false;
    Interval tx_interval;
    Interval detection_time;
    LinkCounters counters;
    std::uint64_t arrivals = 0;  // intervals between the peer's packets, of an Up session
    Interval arrival_min;
    Interval arrival_p50;
    Interval arrival_p99;
    Interval arrival_max;
    Interval last_outage;              // 0: there was none
    std::optional<Interval> down_for;  // of a session that was Up
    std::optional<Interval> held_for;  // until the link may be used again
    std::uint32_t penalty = 0;         // of its flaps
};

// What a shard knows of its port. On the shard's thread; `half_life`: of the penalty, or 0.
[[nodiscard]] LinkView link_view(const Link& link, Time now, PortId port, Interval half_life);

[[nodiscard]] std::string_view link_use_text(LinkUse use);

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
// Which way on a routed frame takes: by the rule that its flow has, else by its route's selector.
#pragma once

#include <cstdint>

#include "dataplane/core/flow_cache.h"
#include "dataplane/core/flow_hash.h"
#include "dataplane/core/parse.h"
#include "dataplane/core/shard_state.h"

namespace weir {

inline constexpr std::uint8_t kNoPlace = 0xff;

// A decision, with all that explains it.
struct PathChoice {
    std::uint64_t hash = 0;            // not computed (0) when there is nothing to choose
    NextHop hop;                       // its port is kNoPort: no way is usable
    std::uint32_t member = kNoMember;  // of the route's set, when a selector chose
    std::uint32_t rule = kNoPathRule;  // that the flow has
    std::uint8_t place = kNoPlace;     // in the rule's path; kNoPlace: none is usable
    bool stays = false;                // on the way that it has, until it pauses
    std::uint32_t plan = 0;            // FlowUse::plan, gap
    Interval gap = kNoGap;             // 0: the flow is not to be remembered

    [[nodiscard]] bool found() const { return hop.port != kNoPort; }
};

// The choice for a frame whose route has next hops; `frame.in_port` is set. Changes nothing.
[[nodiscard]] PathChoice choose_path(const ShardState& state, Time now, const Route& route,
                                     const Frame& frame, const Parsed& parsed);

// The frame goes the way that was chosen for it: counts it for its rule, and what selectors need.
void note_choice(ShardState& state, const Route& route, const PathChoice& choice,
                 const Frame& frame);

// Keeps what the next frame of the flow needs to know.
void remember_use(ShardState& state, Time now, const Frame& frame, const Parsed& parsed,
                  const PathChoice& choice);

}  // namespace weir

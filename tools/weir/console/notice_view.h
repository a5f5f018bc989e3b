// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "dataplane/core/notices.h"
#include "dataplane/core/shard_state.h"

namespace weir {

// Prefixes shown of one port, or of the switch; how many there are is shown beside.
inline constexpr std::size_t kPrefixesShownMax = 64;

// What the peer of one port has said, and been told.
struct NoticeView {
    PortId port = kNoPort;
    bool session_up = false;
    std::uint64_t origin = 0;  // of the last notice; 0: there was none
    NoticeCounters counters{};
    std::uint64_t lost = 0;  // destinations that it cannot reach
    std::vector<DestinationPrefix> prefixes{};
};

// Destinations that this switch cannot reach.
struct LostView {
    std::uint64_t lost = 0;
    std::vector<DestinationPrefix> prefixes{};
};

// On the shard's thread; both have room for their prefixes already.
void fill_notice_view(const ShardState& state, PortId port, NoticeView& view);
void fill_lost_view(const ShardState& state, LostView& view);

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/flow_cache.h"

namespace weir {

std::uint32_t FlowCache::find_before(const FlowKey& key, PortId in_port) const {
    constexpr std::uint64_t kPortMask = kLongWayTag - 1;
    const std::size_t set = set_of(key);
    std::uint32_t newest = kNoFlow;
    for (std::size_t i = set; i < set + kWays; ++i) {
        const FlowEntry& entry = entries_[i];
        if (entry.tag == 0 || entry.key != key || (entry.tag & kPortMask) != in_port) continue;
        if (newest == kNoFlow || entry.tag > entries_[newest].tag) {
            newest = static_cast<std::uint32_t>(i);
        }
    }
    return newest;
}

void FlowCache::insert_with_use(const FlowEntry& flow, const FlowUse& use) {
    constexpr std::uint64_t kPortMask = kLongWayTag - 1;
    std::size_t place = find_before(flow.key, static_cast<PortId>(flow.tag & kPortMask));
    if (place == kNoFlow) {
        const std::size_t set = set_of(flow.key);
        place = set;
        for (std::size_t i = set; i < set + kWays && entries_[place].tag != 0; ++i) {
            if (entries_[i].tag == 0 || uses_[i].seen < uses_[place].seen) place = i;
        }
    }
    entries_[place] = flow;
    uses_[place] = use;
}

}  // namespace weir

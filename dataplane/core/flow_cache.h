// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "dataplane/core/arena.h"
#include "dataplane/core/egress_queues.h"
#include "dataplane/core/frame.h"
#include "dataplane/core/mix.h"

namespace weir {

// 2,048 entries of one cache line: 128 KiB, an eighth of a core's L2. AI training has few, huge
// flows.
inline constexpr std::uint32_t kFlowCacheEntries = 2048;

// What tells a plain RoCEv2 flow that arrives on one port.
struct FlowKey {
    std::uint64_t addresses = 0;  // IPv4 source and destination, as they stand in the frame
    std::uint32_t ports = 0;      // UDP source and destination
    std::uint32_t dest_qp = 0;    // if the hash uses it; else 0
    PortId in_port = kNoPort;

    friend bool operator==(const FlowKey&, const FlowKey&) = default;
};

// What the router decided for such a flow. It holds as long as ShardState::epoch stays what it was:
// every event that could change a decision (tables, link state, a neighbor's MAC) counts the epoch
// up.
struct alignas(64) FlowEntry {
    FlowKey key;
    std::uint32_t epoch = 0;  // 0: free
    std::uint32_t neighbor = 0;
    std::array<std::uint8_t, 12> rewrite{};
    PortId out_port = kNoPort;
    std::uint16_t frame_bytes_max = 0;  // of the egress port
    std::uint32_t gateway = 0;
};
static_assert(sizeof(FlowEntry) == 64);

// Direct-mapped: a flow that another one displaced takes the long way, nothing else.
class FlowCache {
  public:
    void lay_out(Arena& arena) { entries_ = arena.take<FlowEntry>(kFlowCacheEntries); }

    [[nodiscard]] FlowEntry& slot(const FlowKey& key) {
        const std::uint64_t l4 = (std::uint64_t{key.dest_qp} << 32) ^ key.ports;
        return entries_[mix(key.addresses ^ kMixA, l4 ^ kMixB) % kFlowCacheEntries];
    }

  private:
    std::span<FlowEntry> entries_;
};

}  // namespace weir

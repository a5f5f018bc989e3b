// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "dataplane/core/arena.h"
#include "dataplane/core/egress_queues.h"
#include "dataplane/core/frame.h"
#include "dataplane/core/mix.h"
#include "dataplane/core/neighbor_table.h"
#include "dataplane/core/path_table.h"
#include "dataplane/core/time.h"

namespace weir {

// 2,048 entries of one cache line: 128 KiB, an eighth of a core's L2. AI training has few, huge
// flows.
inline constexpr std::uint32_t kFlowCacheEntries = 2048;

// What tells a plain RoCEv2 flow.
struct FlowKey {
    std::uint64_t addresses = 0;  // IPv4 source and destination, as they stand in the frame
    std::uint64_t l4 = 0;  // UDP ports, and the destination QP above them if a choice depends on it
    friend constexpr bool operator==(const FlowKey&, const FlowKey&) = default;
};

// Other flows, where they are remembered at all: their hash, and this, which no plain one has.
inline constexpr std::uint64_t kOtherFlow = ~std::uint64_t{0};

// What the router decided for such a flow from one port. It holds as long as ShardState::epoch
// stays what it was: every event that could change a decision (tables, link state, a neighbor's
// MAC) counts the epoch up.
struct alignas(64) FlowEntry {
    FlowKey key;
    std::uint64_t tag = 0;          // flow_tag() of its ingress port when it was made; 0: free
    EgressQueue* queues = nullptr;  // of the egress port, by priority; null: it is another shard's
    Neighbor* neighbor = nullptr;   // null with `queues`
    PortId out_port = kNoPort;      // these three as in Frame
    VlanId vlan = 0;
    std::uint32_t gateway = 0;
    std::array<std::uint8_t, 12> rewrite{};
    std::uint16_t frame_bytes_max = 0;  // of ingress and egress port, the smaller
};
static_assert(sizeof(FlowEntry) == 64);

[[nodiscard]] constexpr std::uint64_t flow_tag(std::uint64_t epoch, PortId in_port) {
    return (epoch << 16) | in_port;
}
// Added to the tag of a flow that is remembered and yet has to go the long way.
inline constexpr std::uint64_t kLongWayTag = 0x8000;
static_assert(kPortsMax < kLongWayTag);

inline constexpr Interval kNoGap{INT64_MAX};  // no pause is that long

// What is kept of a flow beside its entry if paths depend on more than a hash
// (Tables::tracks_flows).
struct alignas(32) FlowUse {
    Time seen;                         // its last frame
    Interval gap = kNoGap;             // after a pause this long its path is chosen anew
    std::uint32_t rule = kNoPathRule;  // on whose account its frames are
    std::uint32_t plan = 0;            // Tables::plan when its path was chosen
};

inline constexpr std::uint32_t kNoFlow = 0xffff'ffff;

// Four ways: a few hundred flows hardly ever push one another out, and one that is pushed out takes
// the long way.
class FlowCache {
  public:
    static constexpr unsigned kWays = 4;

    void lay_out(Arena& arena) {
        entries_ = arena.take<FlowEntry>(kFlowCacheEntries);
        uses_ = arena.take<FlowUse>(kFlowCacheEntries);
    }

    // The entry of `key` with this tag, or null.
    [[nodiscard]] const FlowEntry* find(const FlowKey& key, std::uint64_t tag) const {
        const FlowEntry* entry = &entries_[set_of(key)];
        for (unsigned way = 0; way < kWays; ++way, ++entry) {
            if (entry->key.addresses == key.addresses && entry->key.l4 == key.l4 &&
                entry->tag == tag) {
                return entry;
            }
        }
        return nullptr;
    }

    // Takes the place of an entry that no longer holds, else of the four in turn.
    void insert(const FlowEntry& flow) {
        const std::size_t set = set_of(flow.key);
        std::size_t place = set + next_way_++ % kWays;
        for (std::size_t i = set + kWays; i-- > set;) {
            if (entries_[i].tag >> 16 != flow.tag >> 16) place = i;
        }
        entries_[place] = flow;
    }

    // Uses are kept from now on: who knows when the flows so far were seen.
    void begin_uses(Time now) {
        for (FlowUse& use : uses_) use = {.seen = now};
    }
    [[nodiscard]] FlowUse& use_of(const FlowEntry& entry) {
        return uses_[static_cast<std::size_t>(&entry - entries_.data())];
    }
    [[nodiscard]] const FlowEntry& at(std::uint32_t index) const { return entries_[index]; }
    [[nodiscard]] const FlowUse& use_at(std::uint32_t index) const { return uses_[index]; }

    // The newest entry of `key` from `in_port`, of whatever epoch, or kNoFlow.
    [[nodiscard]] std::uint32_t find_before(const FlowKey& key, PortId in_port) const;

    // As insert(), in the place that the flow has, else in that of the flow seen least recently.
    void insert_with_use(const FlowEntry& flow, const FlowUse& use);

  private:
    // Multiplication carries upwards only, so the set is taken from the top. Four ways forgive what
    // this hash does worse than mix().
    [[nodiscard]] static std::size_t set_of(const FlowKey& key) {
        constexpr unsigned kSetBits = std::bit_width(kFlowCacheEntries / kWays) - 1;
        const std::uint64_t hash = (key.addresses ^ key.l4 * kMixB) * kMixA;
        return hash >> (64 - kSetBits) << (std::bit_width(kWays) - 1);
    }

    std::span<FlowEntry> entries_;
    std::span<FlowUse> uses_;
    std::uint32_t next_way_ = 0;
};

}  // namespace weir

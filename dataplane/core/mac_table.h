// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "dataplane/core/arena.h"
#include "dataplane/core/time.h"
#include "dataplane/core/types.h"

namespace weir {

// A MAC in a VLAN as one number: MAC << 12 | VID. 0 is no key (MAC 0 is never learned).
[[nodiscard]] constexpr std::uint64_t mac_key(MacAddress mac, VlanId vlan) {
    return (mac.value << 12) | vlan;
}

struct MacSlot {
    std::uint64_t key = 0;  // 0: free
    std::uint32_t seen_ms =
        0;  // when the MAC was last a source, in milliseconds of the switch's clock
    PortId port = kNoPort;
    std::uint8_t remote = 0;  // learned by another shard, which also ages it
    std::uint8_t unused = 0;
};
static_assert(sizeof(MacSlot) == 16, "four slots per cache line");

// Two buckets of four slots (one cache line each) per key. The slots are a power of two, at least
// eight. Used for the learned table of a shard and for the immutable table of configured MACs.
[[nodiscard]] const MacSlot* find_mac(std::span<const MacSlot> slots, std::uint64_t key);
// Takes a slot for `key`, moving others where that makes room; null when there is none.
[[nodiscard]] MacSlot* insert_mac(std::span<MacSlot> slots, std::uint64_t key);

// The MACs that one shard knows: learned from its own frames or told by other shards.
class MacTable {
  public:
    void lay_out(Arena& arena, std::uint32_t entries_max);

    [[nodiscard]] PortId find(std::uint64_t key) const;  // kNoPort: unknown

    enum class Learned : std::uint8_t { Known, Refreshed, New, Moved, Full };
    // The key was the source of a frame on `port` (own shard). New, Moved and now and then
    // Refreshed (once per ageing / 4) are to be told to the other shards.
    [[nodiscard]] Learned learn(Time now, std::uint64_t key, PortId port, Interval ageing);
    void learn_remote(Time now, std::uint64_t key, PortId port);
    void forget(std::uint64_t key);
    void forget_port(PortId port);

    // Looks at the next `slots` slots and forgets what was not seen for `ageing`; gone(key) for
    // each.
    template <typename Gone>
    void age(Time now, Interval ageing, unsigned slots, Gone gone);

    [[nodiscard]] std::span<const MacSlot> slots() const { return slots_; }
    [[nodiscard]] std::uint32_t size() const { return size_; }

  private:
    std::span<MacSlot> slots_;
    std::uint32_t size_ = 0;
    std::uint32_t age_at_ = 0;
};

}  // namespace weir

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

// Instants of MAC ageing are counted in units of 2^30 ps (1.07 ms): 32 bits of them wrap together
// with Time, which milliseconds would not, and cover 53 days.
inline constexpr unsigned kMacSeenShift = 30;

struct MacSlot {
    std::uint64_t key = 0;   // 0: free
    std::uint32_t seen = 0;  // when the MAC was last a source: Time::ps >> kMacSeenShift
    PortId port = kNoPort;
    std::uint8_t remote = 0;  // learned by another shard, which also ages it
    std::uint8_t told = 0;    // in which fraction of the ageing time it was last New or Refreshed
};
static_assert(sizeof(MacSlot) == 16, "four slots per cache line");

[[nodiscard]] constexpr std::uint32_t mac_seen_units(Time now) {
    return static_cast<std::uint32_t>(now.ps >> kMacSeenShift);
}

// For how long the MAC in `slot` has not been a source, to a unit.
[[nodiscard]] constexpr Interval mac_idle(const MacSlot& slot, Time now) {
    return {std::int64_t{mac_seen_units(now) - slot.seen} << kMacSeenShift};
}

// Two buckets of four slots (one cache line each) per key. The slots are a power of two, at least
// eight. Used for the learned table of a shard and for the immutable table of configured MACs.
[[nodiscard]] const MacSlot* find_mac(std::span<const MacSlot> slots, std::uint64_t key);
// The slot of `key`, which is taken (port: kNoPort) if it has none yet, moving others where that
// makes room; null when there is none. Earlier pointers into `slots` are then out of date.
[[nodiscard]] MacSlot* insert_mac(std::span<MacSlot> slots, std::uint64_t key);

// The MACs that one shard knows: learned from its own frames or told by other shards.
class MacTable {
  public:
    void lay_out(Arena& arena, std::uint32_t entries_max);

    [[nodiscard]] PortId find(std::uint64_t key) const;  // kNoPort: unknown

    enum class Learned : std::uint8_t { Known, Refreshed, New, Moved, Full };
    // The key was the source of a frame on `port` (own shard). New, Moved and now and then
    // Refreshed (every ageing / 4 to ageing / 8) are to be told to the other shards.
    [[nodiscard]] Learned learn(Time now, std::uint64_t key, PortId port, Interval ageing);
    // Another shard told that it learned the key, or forgot it. What this shard has learned itself
    // in the meantime outlives the latter.
    void learn_remote(Time now, std::uint64_t key, PortId port);
    void forget_remote(std::uint64_t key);
    void forget(std::uint64_t key);
    void forget_port(PortId port);

    // Looks at the next `slots` slots and forgets what was not seen for longer than `ageing`;
    // gone(key) for each own one. What another shard learned is its to age and goes here only at
    // twice that age, in case its message was lost.
    template <typename Gone>
    void age(Time now, Interval ageing, std::uint32_t slots, Gone gone);

    [[nodiscard]] std::span<const MacSlot> slots() const { return slots_; }
    [[nodiscard]] std::uint32_t size() const { return size_; }

  private:
    [[nodiscard]] MacSlot* own_slot(std::uint64_t key);
    void free_slot(MacSlot& slot);

    std::span<MacSlot> slots_;
    std::uint32_t size_ = 0;
    std::uint32_t age_at_ = 0;
};

// An age in units, rounded up; ages of more than 26 days are cut to that.
[[nodiscard]] constexpr std::uint32_t mac_ageing_units(Interval ageing) {
    const std::int64_t unit = std::int64_t{1} << kMacSeenShift;
    const std::int64_t units = (ageing.ps + unit - 1) / unit;
    return static_cast<std::uint32_t>(units < 0x7fff'ffff ? units : 0x7fff'ffff);
}

template <typename Gone>
void MacTable::age(Time now, Interval ageing, std::uint32_t slots, Gone gone) {
    const std::uint32_t now_units = mac_seen_units(now);
    const std::uint32_t idle_max = mac_ageing_units(ageing);
    for (std::uint32_t i = 0; i < slots; ++i) {
        MacSlot& slot = slots_[age_at_];
        age_at_ = (age_at_ + 1) & (static_cast<std::uint32_t>(slots_.size()) - 1);
        const std::uint32_t idle = now_units - slot.seen;
        if (slot.key == 0 || idle <= (slot.remote != 0 ? 2 * idle_max : idle_max)) continue;
        const std::uint64_t key = slot.key;
        const bool own = slot.remote == 0;
        free_slot(slot);
        if (own) gone(key);
    }
}

}  // namespace weir

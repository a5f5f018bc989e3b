// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/mac_table.h"

#include <algorithm>
#include <array>
#include <bit>

#include "dataplane/core/check.h"
#include "dataplane/core/mix.h"

namespace weir {

namespace {

constexpr std::uint32_t kBucketSlots = 4;
// Buckets that one insertion looks into for a free slot: the two of its key, the up to 8 other
// buckets of what lies there, and so on, nearest first. Each of 300 fills with random keys got
// beyond 94 % of 32,768 slots before one key found none.
constexpr std::uint32_t kSearchedBucketsMax = 256;

struct Buckets {
    std::uint32_t first;
    std::uint32_t second;
};

Buckets buckets_of(std::size_t slot_count, std::uint64_t key) {
    const auto mask = static_cast<std::uint32_t>(slot_count / kBucketSlots - 1);
    const std::uint64_t hash = mix(key ^ kMixC, kMixA);
    const auto first = static_cast<std::uint32_t>(hash) & mask;
    const auto second = static_cast<std::uint32_t>(hash >> 32) & mask;
    return {first, second == first ? first ^ 1 : second};
}

// A bucket that can be reached by moving the key in slot `from` of the bucket before it.
struct Reached {
    std::uint32_t bucket;
    std::uint32_t from;    // slot index
    std::uint32_t before;  // index into the search
};

constexpr std::uint32_t kStart = 0xffff'ffff;  // Reached::before of the key's own two buckets

MacSlot* free_slot_in(std::span<MacSlot> slots, std::uint32_t bucket) {
    for (MacSlot& slot : slots.subspan(bucket * kBucketSlots, kBucketSlots)) {
        if (slot.key == 0) return &slot;
    }
    return nullptr;
}

// Moves the keys along the way back, each into the slot that the one behind it has left, and
// returns the slot that is free in the end. The search is breadth first, so no bucket is on it
// twice.
MacSlot* make_room(std::span<MacSlot> slots, std::span<const Reached> search, std::uint32_t at,
                   MacSlot* room) {
    while (search[at].before != kStart) {
        MacSlot& moved = slots[search[at].from];
        *room = moved;
        room = &moved;
        at = search[at].before;
    }
    return room;
}

MacSlot* take_slot(std::span<MacSlot> slots, std::uint64_t key) {
    std::array<Reached, kSearchedBucketsMax> search;
    const Buckets own = buckets_of(slots.size(), key);
    search[0] = {own.first, 0, kStart};
    search[1] = {own.second, 0, kStart};
    std::uint32_t found = 2;
    for (std::uint32_t at = 0; at < found; ++at) {
        const std::uint32_t bucket = search[at].bucket;
        MacSlot* room = free_slot_in(slots, bucket);
        if (room != nullptr) return make_room(slots, search, at, room);
        for (std::uint32_t slot = bucket * kBucketSlots; slot < (bucket + 1) * kBucketSlots;
             ++slot) {
            if (found == search.size()) break;
            const Buckets other = buckets_of(slots.size(), slots[slot].key);
            search[found++] = {other.first == bucket ? other.second : other.first, slot, at};
        }
    }
    return nullptr;
}

}  // namespace

const MacSlot* find_mac(std::span<const MacSlot> slots, std::uint64_t key) {
    const Buckets buckets = buckets_of(slots.size(), key);
    const MacSlot* first = &slots[buckets.first * kBucketSlots];
    for (std::uint32_t i = 0; i < kBucketSlots; ++i) {
        if (first[i].key == key) return &first[i];
    }
    const MacSlot* second = &slots[buckets.second * kBucketSlots];
    for (std::uint32_t i = 0; i < kBucketSlots; ++i) {
        if (second[i].key == key) return &second[i];
    }
    return nullptr;
}

MacSlot* insert_mac(std::span<MacSlot> slots, std::uint64_t key) {
    WEIR_CHECK(slots.size() >= 2 * kBucketSlots && std::has_single_bit(slots.size()) && key != 0);
    const MacSlot* known = find_mac(slots, key);
    if (known != nullptr) return &slots[static_cast<std::size_t>(known - slots.data())];
    MacSlot* slot = take_slot(slots, key);
    if (slot != nullptr) *slot = {.key = key};
    return slot;
}

void MacTable::lay_out(Arena& arena, std::uint32_t entries_max) {
    slots_ = arena.take<MacSlot>(std::bit_ceil(std::max(entries_max, 2 * kBucketSlots)));
}

MacSlot* MacTable::own_slot(std::uint64_t key) {
    const MacSlot* slot = find_mac(slots_, key);
    return slot == nullptr ? nullptr : &slots_[static_cast<std::size_t>(slot - slots_.data())];
}

void MacTable::free_slot(MacSlot& slot) {
    slot = {};
    --size_;
}

PortId MacTable::find(std::uint64_t key) const {
    const MacSlot* slot = find_mac(slots_, key);
    return slot == nullptr ? kNoPort : slot->port;
}

MacTable::Learned MacTable::learn(Time now, std::uint64_t key, PortId port, Interval ageing) {
    const std::uint32_t now_units = mac_seen_units(now);
    // The ageing time is cut into 4 to 8 fractions of a power of two, so no division is needed.
    const auto width = static_cast<unsigned>(std::bit_width(mac_ageing_units(ageing)));
    const auto fraction = static_cast<std::uint8_t>(now_units >> (width > 3 ? width - 3 : 0));
    MacSlot* slot = own_slot(key);
    Learned learned = Learned::Known;
    if (slot == nullptr) {
        slot = insert_mac(slots_, key);
        if (slot == nullptr) return Learned::Full;
        ++size_;
        learned = Learned::New;
    } else if (slot->port != port || slot->remote != 0) {
        learned = Learned::Moved;
    } else if (slot->told != fraction) {
        learned = Learned::Refreshed;
    } else if (slot->seen == now_units) {
        return Learned::Known;  // nothing to write: the line stays clean
    }
    *slot = {.key = key, .seen = now_units, .port = port, .remote = 0, .told = fraction};
    return learned;
}

void MacTable::learn_remote(Time now, std::uint64_t key, PortId port) {
    const std::uint32_t known = own_slot(key) == nullptr ? 0 : 1;
    MacSlot* slot = insert_mac(slots_, key);
    if (slot == nullptr) return;  // full: the shard that learned it has said so
    size_ += 1 - known;
    *slot = {.key = key, .seen = mac_seen_units(now), .port = port, .remote = 1, .told = 0};
}

void MacTable::forget_remote(std::uint64_t key) {
    MacSlot* slot = own_slot(key);
    if (slot != nullptr && slot->remote != 0) free_slot(*slot);
}

void MacTable::forget(std::uint64_t key) {
    MacSlot* slot = own_slot(key);
    if (slot != nullptr) free_slot(*slot);
}

void MacTable::forget_port(PortId port) {
    for (MacSlot& slot : slots_) {
        if (slot.key != 0 && slot.port == port) free_slot(slot);
    }
}

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
// What crosses from one shard of a switch to another: frames by value, and news. One single-
// producer single-consumer ring for each ordered pair of shards and each kind.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <rte_ring.h>
#include <rte_ring_peek_zc.h>

#include "dataplane/core/event.h"
#include "dataplane/core/frame.h"
#include "dataplane/core/limits.h"

namespace weir {

// A single-producer single-consumer rte_ring of plain items, copied straight into and out of the
// ring's memory.
template <typename Item>
class ItemRing {
    static_assert(std::is_trivially_copyable_v<Item> && sizeof(Item) % 4 == 0);

  public:
    ItemRing() = default;
    explicit ItemRing(rte_ring* ring) : ring_(ring) {}

    // Takes as many of the first items as there is room for; how many.
    unsigned push(std::span<const Item> items) {
        rte_ring_zc_data place;
        const unsigned count = rte_ring_enqueue_zc_burst_elem_start(
            ring_, sizeof(Item), static_cast<unsigned>(items.size()), &place, nullptr);
        if (count == 0) return 0;
        std::memcpy(place.ptr1, items.data(), place.n1 * sizeof(Item));
        if (count > place.n1) {
            std::memcpy(place.ptr2, items.data() + place.n1, (count - place.n1) * sizeof(Item));
        }
        rte_ring_enqueue_zc_elem_finish(ring_, count);
        return count;
    }

    // Takes out the oldest items, at most items.size(); how many.
    unsigned pop(std::span<Item> items) {
        rte_ring_zc_data place;
        const unsigned count = rte_ring_dequeue_zc_burst_elem_start(
            ring_, sizeof(Item), static_cast<unsigned>(items.size()), &place, nullptr);
        if (count == 0) return 0;
        std::memcpy(items.data(), place.ptr1, place.n1 * sizeof(Item));
        if (count > place.n1) {
            std::memcpy(items.data() + place.n1, place.ptr2, (count - place.n1) * sizeof(Item));
        }
        rte_ring_dequeue_zc_elem_finish(ring_, count);
        return count;
    }

    [[nodiscard]] unsigned size() const { return rte_ring_count(ring_); }
    [[nodiscard]] rte_ring* ring() const { return ring_; }

  private:
    rte_ring* ring_ = nullptr;
};

// A ring for at least `items` items in memory of its own (rte_ring_create would need a name that is
// unique in the process, and a memzone, of which there are only 2560); null when memory is short.
[[nodiscard]] rte_ring* make_item_ring(unsigned items, unsigned item_bytes);
void free_item_ring(rte_ring* ring);

template <typename Item>
[[nodiscard]] ItemRing<Item> make_ring(unsigned items) {
    return ItemRing<Item>(make_item_ring(items, sizeof(Item)));
}

// The rings between all shards of one switch.
class ShardRings {
  public:
    ShardRings() = default;
    ~ShardRings() { close(); }
    ShardRings(const ShardRings&) = delete;
    ShardRings& operator=(const ShardRings&) = delete;

    // `frames`: as many as there are mbufs, then a frame ring is never full.
    [[nodiscard]] std::string open(unsigned shards, std::uint32_t frames);
    void close();

    [[nodiscard]] ItemRing<Frame>& frames(ShardId from, ShardId to) {
        return frames_[from * shards_ + to];
    }
    [[nodiscard]] ItemRing<ShardMessage>& messages(ShardId from, ShardId to) {
        return messages_[from * shards_ + to];
    }
    [[nodiscard]] unsigned shards() const { return shards_; }

    // News that wait for one turn of the receiver: two bursts of new MACs from each of 16 ports.
    static constexpr unsigned kMessages = 1024;

  private:
    unsigned shards_ = 0;
    std::vector<ItemRing<Frame>> frames_;
    std::vector<ItemRing<ShardMessage>> messages_;
};

}  // namespace weir

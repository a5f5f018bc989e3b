// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/run/shard_rings.h"

#include <rte_lcore.h>
#include <rte_malloc.h>

namespace weir {

rte_ring* make_item_ring(unsigned items, unsigned item_bytes) {
    // A ring of 2^n slots holds 2^n - 1 items.
    const unsigned slots = rte_align32pow2(items + 1);
    const ssize_t bytes = rte_ring_get_memsize_elem(item_bytes, slots);
    if (bytes < 0) return nullptr;
    auto* ring = static_cast<rte_ring*>(
        rte_zmalloc_socket("weir_ring", static_cast<std::size_t>(bytes), RTE_CACHE_LINE_SIZE,
                           static_cast<int>(rte_socket_id())));
    if (ring == nullptr) return nullptr;
    if (rte_ring_init(ring, "weir_ring", slots, RING_F_SP_ENQ | RING_F_SC_DEQ) != 0) {
        rte_free(ring);
        return nullptr;
    }
    return ring;
}

void free_item_ring(rte_ring* ring) {
    rte_free(ring);
}

std::string ShardRings::open(unsigned shards, std::uint32_t frames) {
    shards_ = shards;
    frames_.resize(std::size_t{shards} * shards);
    messages_.resize(std::size_t{shards} * shards);
    for (unsigned from = 0; from < shards; ++from) {
        for (unsigned to = 0; to < shards; ++to) {
            if (from == to) continue;
            const std::size_t pair = std::size_t{from} * shards + to;
            frames_[pair] = make_ring<Frame>(frames);
            messages_[pair] = make_ring<ShardMessage>(kMessages);
            if (frames_[pair].ring() == nullptr || messages_[pair].ring() == nullptr) {
                return "no memory for the rings between " + std::to_string(shards) +
                       " workers: write a larger eal: [-m ...], or fewer workers";
            }
        }
    }
    return {};
}

void ShardRings::close() {
    for (const auto& ring : frames_) free_item_ring(ring.ring());
    for (const auto& ring : messages_) free_item_ring(ring.ring());
    frames_.clear();
    messages_.clear();
    shards_ = 0;
}

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "dataplane/core/check.h"
#include "dataplane/core/time.h"

namespace weir::lab {

enum class EventKind : std::uint8_t {
    Arrive,  // index: cable; its oldest frame is at the far end
    Sent,    // index: node, port: the device there is free again
    Wake,    // index: node, port: which part of it
    Act,     // index: of an action (a link goes down, traffic starts)
};

struct Happening {
    std::uint32_t index = 0;
    std::uint16_t port = 0;
    EventKind kind = EventKind::Act;
};

// What happens when, in order of (time, order of push). A radix heap (Ahuja, Mehlhorn, Orlin,
// Tarjan, JACM 1990): time only moves on, so an event waits in the bucket of the highest bit in
// which it differs from the last instant popped. An event moves to a lower bucket a few times in
// its life, by a plain copy, and no cost depends on how many wait. Events of one instant are always
// in one bucket, and every move keeps their order: that is the "sequence", without a number.
class EventQueue {
  public:
    void push(Time at, Happening happening) {
        WEIR_CHECK(at.ps >= last_);
        buckets_[bucket_of(at.ps)].push_back({at.ps, happening});
        ++size_;
    }

    // Takes the next event, unless it is later than `limit`.
    [[nodiscard]] bool pop(Time limit, Time& at, Happening& happening) {
        if (next_ == buckets_[0].size() && !refill(limit.ps)) return false;
        const Item& item = buckets_[0][next_++];
        if (item.at > limit.ps) {
            --next_;
            return false;
        }
        at = {item.at};
        happening = item.happening;
        --size_;
        return true;
    }

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] bool empty() const { return size_ == 0; }

  private:
    struct Item {
        std::uint64_t at = 0;
        Happening happening;
    };
    static_assert(sizeof(Item) == 16);

    [[nodiscard]] unsigned bucket_of(std::uint64_t at) const {
        return static_cast<unsigned>(std::bit_width(at ^ last_));
    }

    // Moves `last_` to the earliest event, whose instant then has bucket 0 for itself.
    [[nodiscard]] bool refill(std::uint64_t limit) {
        buckets_[0].clear();
        next_ = 0;
        if (size_ == 0) return false;
        unsigned lowest = 1;
        while (buckets_[lowest].empty()) ++lowest;
        std::vector<Item>& bucket = buckets_[lowest];
        std::uint64_t first = bucket.front().at;
        for (const Item& item : bucket) first = std::min(first, item.at);
        if (first > limit) return false;
        last_ = first;
        for (const Item& item : bucket) buckets_[bucket_of(item.at)].push_back(item);
        bucket.clear();
        return true;
    }

    std::array<std::vector<Item>, 65> buckets_;  // [0]: the instant `last_`, taken up to `next_`
    std::size_t next_ = 0;
    std::uint64_t last_ = 0;
    std::size_t size_ = 0;
};

}  // namespace weir::lab

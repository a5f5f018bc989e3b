// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>
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
// which it differs from an instant that is over. A bucket whose turn it is, is dealt out to lower
// ones, or sorted when it is small: no cost depends on how many events wait. Events of one instant
// are always in one bucket, and every move keeps their order: that is the "sequence", without a
// number.
class EventQueue {
  public:
    EventQueue() {
        for (std::vector<Item>& bucket : buckets_) bucket.reserve(kReserved);
        run_.reserve(kReserved);
    }

    void push(Time at, Happening happening) {
        WEIR_CHECK(at.ps >= last_);
        ++size_;
        if (next_ != run_.size() && at.ps < run_.back().at) return insert({at.ps, happening});
        put({at.ps, happening});
    }

    // Takes the next event, unless it is later than `limit`.
    [[nodiscard]] bool pop(Time limit, Time& at, Happening& happening) {
        if (next_ == run_.size() && !refill(limit.ps)) return false;
        const Item& item = run_[next_];
        if (item.at > limit.ps) return false;
        ++next_;
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

    // Of each bucket: the events of some hundred ports find room, so that a run takes nothing from
    // the heap when time reaches the next power of two. 16 KiB, touched when needed.
    static constexpr std::size_t kReserved = 1'024;

    // Up to here sorting a bucket by insertion is cheaper than dealing it out.
    static constexpr std::size_t kSortedMax = 16;

    [[nodiscard]] unsigned bucket_of(std::uint64_t at) const {
        return static_cast<unsigned>(std::bit_width(at ^ last_));
    }

    void put(const Item& item) {
        const unsigned bucket = bucket_of(item.at);
        buckets_[bucket].push_back(item);
        if (bucket != 0) filled_ |= std::uint64_t{1} << (bucket - 1);
    }

    // Into the run, behind all events of its instant.
    void insert(const Item& item) {
        run_.push_back(item);
        std::size_t place = run_.size() - 1;
        for (; place > next_ && run_[place - 1].at > item.at; --place) {
            run_[place] = run_[place - 1];
        }
        run_[place] = item;
    }

    // Makes the earliest events the run. `last_` becomes the first one's instant, and the buckets
    // below the one that it came from are the run's future.
    [[nodiscard]] bool refill(std::uint64_t limit) {
        run_.clear();
        next_ = 0;
        if (size_ == 0) return false;
        while (true) {
            const unsigned lowest =
                buckets_[0].empty() ? static_cast<unsigned>(std::countr_zero(filled_)) + 1 : 0;
            std::vector<Item>& bucket = buckets_[lowest];
            std::uint64_t first = bucket.front().at;
            for (const Item& item : bucket) first = std::min(first, item.at);
            if (first > limit) return false;
            last_ = first;
            if (lowest == 0) {
                std::swap(run_, bucket);  // all of one instant
                return true;
            }
            filled_ &= filled_ - 1;
            if (bucket.size() <= kSortedMax) {
                for (const Item& item : bucket) insert(item);
                bucket.clear();
                return true;
            }
            for (const Item& item : bucket) put(item);
            bucket.clear();
        }
    }

    std::array<std::vector<Item>, 65> buckets_;  // [0]: the instant `last_`
    std::uint64_t filled_ = 0;                   // bit b: buckets_[b + 1] is not empty
    std::vector<Item> run_;                      // in order, taken up to `next_`
    std::size_t next_ = 0;
    std::uint64_t last_ = 0;  // no event is earlier
    std::size_t size_ = 0;
};

}  // namespace weir::lab

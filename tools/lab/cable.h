// SPDX-License-Identifier: BSD-3-Clause
// One direction of a link between two ports.
#pragma once

#include <cstdint>
#include <vector>

#include "dataplane/core/check.h"
#include "dataplane/core/frame.h"
#include "dataplane/core/prng.h"
#include "dataplane/core/time.h"
#include "tools/lab/line_rate.h"

namespace weir::lab {

using NodeId = std::uint32_t;
using CableId = std::uint32_t;
inline constexpr CableId kNoCable = 0xffff'ffff;

struct CableOptions {
    LineRate rate{};
    Interval delay = Interval::microseconds(1);  // one way
    // What a frame takes on the wire beside its own bytes: preamble 8, FCS 4, gap 12 (802.3).
    std::uint16_t overhead_bytes = 24;
    // Of each frame, in 2^-32: lost without a trace, or refused by the receiver's FCS check.
    std::uint32_t loss_per_4g = 0;
    std::uint32_t corruption_per_4g = 0;
};

struct CableEnd {
    NodeId node = 0;
    PortId port = 0;
};

struct CableCounts {
    std::uint64_t frames = 0;  // put on the wire
    std::uint64_t bytes = 0;   // of them, with overhead
    std::uint64_t lost = 0;
    std::uint64_t corrupted = 0;
    std::uint64_t cut = 0;  // were on the wire when it went down, or sent while it was down
};

// A frame on its way. Frames arrive in the order they were sent, so only the oldest is an event.
struct InFlight {
    Time arrives;
    void* handle = nullptr;
    std::uint8_t* data = nullptr;
    std::uint16_t length = 0;
    std::uint16_t readable = 0;
    enum class Fate : std::uint8_t { Arrives, Lost, Corrupted, Cut } fate = Fate::Arrives;
};
static_assert(sizeof(InFlight) == 32);

// What every frame touches stands together in two cache lines.
class alignas(64) Cable {
  public:
    Cable(const CableOptions& options, CableEnd from, CableEnd to, std::uint64_t seed)
        : ring_(kRingMin), to_(to), options_(options), from_(from), prng_(seed) {
        set_loss(options.loss_per_4g);
    }

    // How long the sender's device is busy with a frame.
    [[nodiscard]] Interval serialise(std::uint16_t length) const {
        return options_.rate.serialise(Bytes{length} + options_.overhead_bytes);
    }

    // The last bit of `frame` leaves at `sent`. True if nothing was on the way: its arrival is then
    // the next event of this cable.
    [[nodiscard]] bool put(Time sent, const Frame& frame) {
        if (behind_ - first_ == ring_.size()) [[unlikely]]
            grow();
        InFlight& last = ring_[behind_++ & (ring_.size() - 1)];
        last = {sent + options_.delay, frame.handle, frame.data, frame.length, frame.readable};
        if (unreliable_) [[unlikely]]
            last.fate = draw_fate();
        ++counts_.frames;
        counts_.bytes += Bytes{frame.length} + options_.overhead_bytes;
        return behind_ - first_ == 1;
    }

    [[nodiscard]] bool empty() const { return first_ == behind_; }
    [[nodiscard]] std::uint64_t in_flight() const { return behind_ - first_; }
    [[nodiscard]] const InFlight& oldest() const { return ring_[first_ & (ring_.size() - 1)]; }
    InFlight take_oldest() {
        WEIR_CHECK(!empty());
        // The one after the next: by the time it is looked at, it has come from memory.
        __builtin_prefetch(&ring_[(first_ + 2) & (ring_.size() - 1)]);
        return ring_[first_++ & (ring_.size() - 1)];
    }

    [[nodiscard]] bool up() const { return up_; }
    // What is on the wire when it goes down does not arrive.
    void set_up(bool up);

    [[nodiscard]] const CableOptions& options() const { return options_; }
    [[nodiscard]] const CableEnd& from() const { return from_; }
    [[nodiscard]] const CableEnd& to() const { return to_; }
    // A frame that has not arrived.
    void count(InFlight::Fate fate);
    [[nodiscard]] const CableCounts& counts() const { return counts_; }

    // Faults come and go during a run.
    void set_loss(std::uint32_t loss_per_4g);

  private:
    static constexpr std::size_t kRingMin = 16;  // a power of two

    [[nodiscard]] InFlight::Fate draw_fate();
    void grow();

    std::vector<InFlight> ring_;
    std::uint64_t first_ = 0;
    std::uint64_t behind_ = 0;
    CableEnd to_;
    bool up_ = true;
    bool unreliable_ = false;  // a draw, or the state of the link, decides each frame's fate
    CableOptions options_;
    CableCounts counts_;
    CableEnd from_;
    Prng prng_;
};

}  // namespace weir::lab

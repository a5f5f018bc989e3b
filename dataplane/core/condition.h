// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>

#include "dataplane/core/buffer.h"
#include "dataplane/core/counter.h"
#include "dataplane/core/lost_destinations.h"
#include "dataplane/core/port_load.h"
#include "dataplane/core/types.h"

namespace weir {

// What of each priority group one shard has let go of, ever. Written by that shard's worker; the
// shard that owns the group sums what all others have released.
struct Released {
    // By group; only groups of other shards are used. Bytes in the lower 40 bits and frames above,
    // so that the two are seen together. Both wrap, the difference of two looks does not: 2^24
    // frames are more than a switch holds.
    std::span<Counter> packed;
    // Counts up after each addition (release), so that a reader who sees it (acquire) sees the
    // bytes.
    alignas(64) std::atomic<std::uint64_t> changes{0};
};

inline constexpr unsigned kReleasedBytesBits = 40;

// What is true of a switch's links right now, shared by its shards. Changed on events only, by
// whoever notices one; read once per burst. Not configuration: it survives a publication of Tables.
class Condition {
  public:
    // Each shard registers its own when it is made, before any worker runs.
    std::array<Released, kShardsMax> released;
    PoolUse pool_use;
    PortLoads loads;
    // By destination group, the ports by which peers can no longer reach it. Who changes it calls
    // tell_change() afterwards, once.
    LostDestinations lost;

    Condition() {
        for (auto& word : links_usable_) word.store(~std::uint64_t{0}, std::memory_order_relaxed);
    }

    // Release/acquire: who sees a port up also sees what was prepared before it was declared up.
    void set_port_up(PortId port, bool up) {
        const std::uint64_t bit = std::uint64_t{1} << (port % 64);
        if (up) {
            ports_up_[port / 64].fetch_or(bit, std::memory_order_release);
        } else {
            ports_up_[port / 64].fetch_and(~bit, std::memory_order_release);
        }
        tell_change();
    }
    // Whether frames may be sent through the port's link: its session is up, or it has none. Own
    // frames leave by any port that is up. Written by the shard that owns the port.
    void set_link_usable(PortId port, bool usable) {
        const std::uint64_t bit = std::uint64_t{1} << (port % 64);
        if (usable) {
            links_usable_[port / 64].fetch_or(bit, std::memory_order_relaxed);
        } else {
            links_usable_[port / 64].fetch_and(~bit, std::memory_order_relaxed);
        }
        tell_change();
    }
    [[nodiscard]] PortSet links_usable() const {
        PortSet usable;
        for (unsigned i = 0; i < PortSet::kWords; ++i) {
            usable.words[i] = links_usable_[i].load(std::memory_order_relaxed);
        }
        return usable;
    }
    // Release: who sees the new number sees what was changed before.
    void tell_change() { changes_.fetch_add(1, std::memory_order_release); }
    // The egress queues of `port`, by priority, that drop all frames because of a pause storm.
    // Written by the shard that owns the port.
    void set_dropping(PortId port, std::uint8_t priorities) {
        dropping_[port].store(priorities, std::memory_order_relaxed);
        tell_change();
    }
    [[nodiscard]] std::uint8_t dropping(PortId port) const {
        return dropping_[port].load(std::memory_order_relaxed);
    }
    // Counts up with every change, so that a burst need only look at one number.
    [[nodiscard]] std::uint32_t changes() const { return changes_.load(std::memory_order_acquire); }
    [[nodiscard]] PortSet ports_up() const {
        PortSet up;
        for (unsigned i = 0; i < PortSet::kWords; ++i) {
            up.words[i] = ports_up_[i].load(std::memory_order_acquire);
        }
        return up;
    }

  private:
    alignas(64) std::array<std::atomic<std::uint64_t>, PortSet::kWords> ports_up_{};
    std::array<std::atomic<std::uint64_t>, PortSet::kWords> links_usable_;
    std::atomic<std::uint32_t> changes_{1};
    std::array<std::atomic<std::uint8_t>, kPortsMax> dropping_{};
};

}  // namespace weir

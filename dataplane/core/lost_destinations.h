// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "dataplane/core/arena.h"
#include "dataplane/core/check.h"
#include "dataplane/core/types.h"

namespace weir {

// By destination group, the ports by which it cannot be reached although they are up: the switches
// behind them have said so (failure notices). Shared by the shards of a switch; a port's bits are
// written by the shard that owns the port, on events only.
class LostDestinations {
  public:
    // `groups`: indexes are below this.
    void lay_out(Arena& arena, unsigned groups) {
        words_ = arena.take<std::atomic<std::uint64_t>>(std::size_t{groups} * PortSet::kWords);
    }
    [[nodiscard]] unsigned groups() const {
        return static_cast<unsigned>(words_.size() / PortSet::kWords);
    }

    // Whether the bit was another before.
    bool set(std::uint32_t group, PortId port, bool lost) {
        WEIR_CHECK(group < groups());
        const std::uint64_t bit = std::uint64_t{1} << (port % 64);
        auto& word = words_[group * PortSet::kWords + port / 64];
        const std::uint64_t before = lost ? word.fetch_or(bit, std::memory_order_relaxed)
                                          : word.fetch_and(~bit, std::memory_order_relaxed);
        return ((before & bit) != 0) != lost;
    }

    [[nodiscard]] PortSet ports(std::uint32_t group) const {
        PortSet lost;
        for (unsigned i = 0; i < PortSet::kWords; ++i) {
            lost.words[i] = words_[group * PortSet::kWords + i].load(std::memory_order_relaxed);
        }
        return lost;
    }

  private:
    std::span<std::atomic<std::uint64_t>> words_;
};

}  // namespace weir

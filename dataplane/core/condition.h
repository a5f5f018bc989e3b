// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "dataplane/core/types.h"

namespace weir {

// What is true of a switch's links right now, shared by its shards. Changed on events only, by
// whoever notices one; read once per burst. Not configuration: it survives a publication of Tables.
class Condition {
  public:
    // Release/acquire: who sees a port up also sees what was prepared before it was declared up.
    void set_port_up(PortId port, bool up) {
        const std::uint64_t bit = std::uint64_t{1} << (port % 64);
        if (up) {
            ports_up_[port / 64].fetch_or(bit, std::memory_order_release);
        } else {
            ports_up_[port / 64].fetch_and(~bit, std::memory_order_release);
        }
    }
    [[nodiscard]] PortSet ports_up() const {
        PortSet up;
        for (unsigned i = 0; i < PortSet::kWords; ++i) {
            up.words[i] = ports_up_[i].load(std::memory_order_acquire);
        }
        return up;
    }

  private:
    alignas(64) std::array<std::atomic<std::uint64_t>, PortSet::kWords> ports_up_{};
};

}  // namespace weir

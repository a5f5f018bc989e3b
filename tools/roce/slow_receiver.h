// SPDX-License-Identifier: BSD-3-Clause
// A host that takes what arrives at a rate of its own: what is held per priority, and the pauses
// that it asks for.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "dataplane/core/limits.h"
#include "dataplane/core/pfc.h"
#include "dataplane/core/time.h"
#include "tools/roce/host_port.h"

namespace weir::roce {

class SlowReceiver {
  public:
    SlowReceiver(const ReceiverConfig& config, std::uint64_t speed_bps, std::uint8_t paused_by_pfc)
        : config_(config), speed_bps_(speed_bps), lossless_(paused_by_pfc) {}

    void change(Time now, const ReceiverConfig& config);

    // False if the frame does not fit and is lost.
    [[nodiscard]] bool admit(Time now, Priority priority, std::uint32_t bytes);

    [[nodiscard]] std::uint64_t held_bytes(Time now, Priority priority) const;

    // Somebody is paused, or is to be told that it no longer is.
    [[nodiscard]] bool pausing() const { return watched_ != 0; }
    // The PFC frame that is due at `now`, if one is.
    [[nodiscard]] std::optional<PfcTimes> pause_due(Time now);
    [[nodiscard]] std::optional<Time> deadline() const;

  private:
    // Bytes times 8 * 10^12: what drains in a picosecond is then drain_bps, with nothing rounded.
    __extension__ using Level = unsigned __int128;

    struct Held {
        Level level = 0;  // at `since`
        Time since{};
        Time refresh_at{};
        Time resume_at{};
        bool paused = false;
        bool told = false;  // the peer knows of `paused`
    };

    [[nodiscard]] static Level level_of(std::uint64_t bytes);
    void settle(Held& held, Time now) const;
    void judge(Held& held, Time now, Priority priority);

    ReceiverConfig config_;
    std::uint64_t speed_bps_;
    std::uint8_t lossless_;
    std::uint8_t watched_ = 0;  // bit p: paused, or the peer is still to be told that it is not
    std::array<Held, kPriorities> held_{};
};

}  // namespace weir::roce

// SPDX-License-Identifier: BSD-3-Clause
// How the memory for frames is shared out among the priority groups of a switch.
#pragma once

#include <cstdint>
#include <vector>

#include "config/port_facts.h"
#include "config/settings.h"
#include "dataplane/core/buffer.h"

namespace weir {

// From a frame's arrival to the leaving of the pause that it causes, where nobody measured it: as
// long as a worker's longest turn should be.
inline constexpr Interval kReactionDefault = Interval::microseconds(100);
// Frames of lossless traffic are long: RoCE's MTU is 1,024 or more. So many bytes of buffer for
// each mbuf; a flood of shorter frames uses up the mbufs first.
inline constexpr Bytes kBytesPerFrame = 1'024;
// The pool of a switch that has lossless priorities, and the least that is left of it when memory
// is short.
inline constexpr Bytes kSharedBytesDefault = Bytes{16} << 20;
inline constexpr Bytes kSharedBytesMin = Bytes{1} << 20;

struct BufferPlan {
    std::vector<BufferProfile> groups;  // kPortsMax * kPriorities, by group_of()
    Bytes shared_bytes = 0;
    Bytes reserve_bytes = 0;   // of all groups together
    Bytes headroom_bytes = 0;  // of all groups together
    // Somebody relies on it, so that it has to fit: there are lossless groups, or `shared` is
    // written.
    bool promised = false;

    [[nodiscard]] Bytes bytes() const { return shared_bytes + reserve_bytes + headroom_bytes; }
    // mbufs that the queues need; 0: as many as there are.
    [[nodiscard]] std::uint64_t frames() const {
        return promised ? (bytes() + kBytesPerFrame - 1) / kBytesPerFrame : 0;
    }
};

[[nodiscard]] BufferPlan plan_buffer(const Settings& settings, const PortFacts& facts);

// Bit p: priority p of the port is lossless.
[[nodiscard]] std::uint8_t lossless_priorities(const Settings& settings, std::size_t port);

// What the file says of one group: the narrowest place that says it counts. Those are, from the
// narrowest: the port's `priorities`, the port's `lossless` or `lossy`, the switch's `priorities`,
// the switch's `lossless` or `lossy`. `alpha` and `limit` are two ways to say one thing.
[[nodiscard]] GroupSettings group_settings(const Settings& settings, std::size_t port,
                                           Priority priority);

// Of this switch: given, measured, or the default.
[[nodiscard]] Interval reaction_of(const Settings& settings, const PortFacts& facts);

// The headroom that a lossless group of the port needs.
[[nodiscard]] Bytes auto_headroom_bytes(const Settings& settings, const PortFacts& facts,
                                        std::size_t port);

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "dataplane/core/time.h"
#include "dataplane/core/types.h"

namespace weir {

struct ShardState;

// How long the ports of a switch would need for what they hold and have just sent, in ns. Each is
// written by the shard that owns the port and read by those that choose paths.
class PortLoads {
  public:
    // Relaxed: a load is a hint, nothing is published by it.
    void set(PortId port, std::uint32_t ns) { ns_[port].store(ns, std::memory_order_relaxed); }
    [[nodiscard]] std::uint32_t ns(PortId port) const {
        return ns_[port].load(std::memory_order_relaxed);
    }

  private:
    std::array<std::atomic<std::uint32_t>, kPortsMax> ns_{};
};

// Loads are measured this often, a rate over eight of these: long against a burst, short against a
// round trip between racks.
inline constexpr Interval kLoadPeriod = Interval::microseconds(10);
inline constexpr unsigned kLoadRatePeriods = 8;
// What a flow that was just given a port is taken to bring before the next measurement.
inline constexpr Bytes kLoadOfNewFlow = 16 * 1024;

// One shard's measuring.
struct LoadMeter {
    Time next;                                          // of the own ports
    std::array<std::uint64_t, kPortsMax> sent_bytes{};  // of each port when it was last looked at
    std::array<std::uint64_t, kPortsMax> rate_bytes{};  // sent in about the last kLoadRatePeriods
    std::array<std::uint32_t, kPortsMax> given_ns{};    // flows given to the port by this shard
};

// Measures if it is time to.
void measure_loads(ShardState& state, Time now);

// A flow was given `port`; that counts for about one period.
void add_given_load(ShardState& state, PortId port);

// Of `port` as this shard sees it.
[[nodiscard]] std::uint64_t load_ns(const ShardState& state, PortId port);

}  // namespace weir

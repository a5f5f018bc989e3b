// SPDX-License-Identifier: BSD-3-Clause
// Two leaves and two spines in this process, as `weir` runs them, on one worker; the hosts' ends of
// two cables are ports of a fifth switch that never gets tables, so that no worker polls them.
//
//      host 1 - leaf1 - spine1, spine2 - leaf2 - host 2      hosts 10.LEAF.0.2
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "config/compile.h"
#include "config/load.h"
#include "dataplane/run/dataplane.h"

namespace weir::bench {

struct Timers {
    unsigned interval_us = 100;
    unsigned multiplier = 3;
};

// Where the way by spine 1 is cut.
enum class Place : std::uint8_t {
    Local,   // leaf1 - spine1: leaf1's own session tells it
    Remote,  // spine1 - leaf2: only a failure notice can tell leaf1
};

[[nodiscard]] MacAddress host_mac(unsigned host);

class Fabric {
  public:
    ~Fabric() { dataplane_.close(); }

    // What is wrong, or empty.
    [[nodiscard]] std::string open(const Timers& timers);

    // From now on nothing passes this link, in either direction, and both ends stay up; or all
    // passes again. False: the worker does not answer.
    [[nodiscard]] bool set_cut(Place place, bool cut);
    // When the session nearest to the sender was last lost.
    [[nodiscard]] Time lost_at(Place place);
    // All sessions are up and their links usable.
    [[nodiscard]] bool whole();

    // Frames of the stream that went by this spine (1, 2).
    [[nodiscard]] std::uint64_t frames_by(unsigned spine) const;
    void poll();

    [[nodiscard]] const Clock& clock() const { return dataplane_.clock(); }
    [[nodiscard]] std::uint16_t host_ethdev(unsigned host) const;
    [[nodiscard]] MacAddress gateway_mac() const;
    // Frees what the workers hold; before the stream's mbufs go.
    void stop() { dataplane_.stop(); }

  private:
    [[nodiscard]] std::string load_all(const Timers& timers);
    void publish(unsigned index);

    std::vector<std::unique_ptr<const Loaded>> loaded_;
    Dataplane dataplane_;
};

}  // namespace weir::bench

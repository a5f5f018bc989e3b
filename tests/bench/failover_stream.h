// SPDX-License-Identifier: BSD-3-Clause
// A host at each end of a fabric: one sends a numbered frame every few microseconds, the other
// takes them out and says what is missing. One thread, on ethdevs that no worker polls.
#pragma once

#include <cstdint>
#include <vector>

#include <rte_mempool.h>

#include "dataplane/core/types.h"
#include "dataplane/run/clock.h"

namespace weir::bench {

struct StreamEnds {
    std::uint16_t sending_ethdev = 0;
    std::uint16_t receiving_ethdev = 0;
    MacAddress gateway;  // of the port that the sender is cabled to
    Interval interval = Interval::microseconds(10);
};

// What happened since the last look.
struct Tally {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    std::uint64_t lost = 0;       // numbers that were skipped and have not come since
    std::uint64_t overtaken = 0;  // frames that came behind one with a higher number
    Interval gap;                 // the longest time between two arrivals
    Interval outage;              // the same, of arrivals between which a frame is missing
    Interval own_pause;           // the longest time this thread was away
};

class Stream {
  public:
    Stream(const Clock& clock, rte_mempool* pool, const StreamEnds& ends);

    // RoCEv2's source port, by which a hash chooses the way.
    void use_source_port(std::uint16_t port);
    // Sends and receives for so long.
    void run(Interval span);
    [[nodiscard]] Tally take();
    [[nodiscard]] bool receiving() const { return tally_.received > 0; }

  private:
    void send();
    void receive(Time now);
    void count(Time now, std::uint32_t number);

    const Clock* clock_;
    rte_mempool* pool_;
    StreamEnds ends_;
    std::vector<std::uint8_t> frame_;
    std::uint32_t next_number_ = 0;
    std::uint32_t expected_ = 0;
    Time next_send_;
    Time last_turn_;
    Time last_arrival_;
    Tally tally_;
};

}  // namespace weir::bench

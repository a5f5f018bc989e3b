// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

#include "dataplane/core/time.h"
#include "dataplane/run/clock.h"

namespace weir {

// A moment at which several workers stand still between two turns, so that what they hold together
// can be read whole: in = out + held, also of frames between two shards. They stand in the way of
// frames meanwhile: no longer than `patience` until the last has come, and the reading.
class Rendezvous {
  public:
    using Reading = void (*)(void* argument, Time now);

    Rendezvous(unsigned workers, const Clock& clock, Interval patience)
        : workers_(workers), clock_(&clock), patience_(patience) {}

    // Each of the workers, once. The last to come does the reading, while the others wait.
    void come(Reading read, void* argument, Time now);

    // Whoever asked, when all have come: whether the reading was done. If not, one of them had
    // waited for too long.
    [[nodiscard]] bool met() const { return state_.load(std::memory_order_acquire) == State::Over; }

  private:
    enum class State : std::uint32_t { Gathering, Reading, Over, GivenUp };

    void wait();

    unsigned workers_;
    const Clock* clock_;
    Interval patience_;
    std::atomic<unsigned> here_{0};
    std::atomic<State> state_{State::Gathering};
};

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "dataplane/core/time.h"

namespace weir {

// One function at a time that another thread wants run by a worker, between two of its turns: to
// read what only the worker may touch, or to change what it polls. The function must be short, it
// stands in the way of frames.
class RequestBox {
  public:
    using Function = void (*)(void* argument, Time now);

    // Any thread but the worker's. Returns when `run` has returned; false, and it will never run,
    // when the worker did not get to it in time.
    [[nodiscard]] bool ask(Function run, void* argument, Interval patience) {
        post(run, argument);
        return collect(patience);
    }
    // The two halves of ask(), for who asks several workers at once; each post() needs its
    // collect(), and until then no other thread asks this worker.
    void post(Function run, void* argument);
    [[nodiscard]] bool collect(Interval patience);

    // The worker: whether something has been asked.
    [[nodiscard]] bool asked() const {
        // Acquire: pairs with the release in post(); what was done before is seen.
        return state_.load(std::memory_order_acquire) == State::Asked;
    }
    // The worker, between two turns; true if there was something to do.
    bool answer(Time now) {
        // Acquire: pairs with the release in post(); function and argument are whole.
        if (state_.load(std::memory_order_acquire) != State::Asked) [[likely]]
            return false;
        return take(now);
    }

  private:
    enum class State : std::uint32_t { Empty, Asked, Running, Answered };

    bool take(Time now);

    std::mutex one_at_a_time_;  // among those who ask; the worker never takes it
    Function run_ = nullptr;
    void* argument_ = nullptr;
    alignas(64) std::atomic<State> state_{State::Empty};
};

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/run/request.h"

#include <ctime>

namespace weir {

namespace {

// The asker looks again after this long; a turn takes a few microseconds.
constexpr std::int64_t kLookAgainNs = 20'000;

void sleep_a_little() {
    const timespec pause{.tv_sec = 0, .tv_nsec = kLookAgainNs};
    nanosleep(&pause, nullptr);
}

}  // namespace

void RequestBox::post(Function run, void* argument) {
    one_at_a_time_.lock();
    run_ = run;
    argument_ = argument;
    state_.store(State::Asked, std::memory_order_release);  // pairs with answer()
}

bool RequestBox::collect(Interval patience) {
    const std::lock_guard lock(one_at_a_time_, std::adopt_lock);
    for (std::int64_t waited_ps = 0; waited_ps < patience.ps; waited_ps += kLookAgainNs * 1000) {
        // Acquire: what the function wrote is seen when it is answered.
        if (state_.load(std::memory_order_acquire) == State::Answered) break;
        sleep_a_little();
    }
    State asked = State::Asked;
    // Relaxed: taking it back tells nobody anything.
    if (state_.compare_exchange_strong(asked, State::Empty, std::memory_order_relaxed)) {
        return false;
    }
    // Begun: then its end is near.
    while (state_.load(std::memory_order_acquire) != State::Answered) sleep_a_little();
    state_.store(State::Empty, std::memory_order_relaxed);
    return true;
}

bool RequestBox::take(Time now) {
    State asked = State::Asked;
    // Fails when the asker has just lost patience.
    if (!state_.compare_exchange_strong(asked, State::Running, std::memory_order_acquire)) {
        return false;
    }
    run_(argument_, now);
    state_.store(State::Answered, std::memory_order_release);
    return true;
}

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/run/rendezvous.h"

#include <sched.h>

namespace weir {

void Rendezvous::come(Reading read, void* argument, Time now) {
    // Acquire and release: the last one sees what all others did before they came.
    if (here_.fetch_add(1, std::memory_order_acq_rel) + 1 < workers_) return wait();
    State gathering = State::Gathering;
    // Fails when one of the others has given up.
    if (!state_.compare_exchange_strong(gathering, State::Reading, std::memory_order_acq_rel)) {
        return;
    }
    read(argument, now);
    state_.store(State::Over, std::memory_order_release);
}

// Yields: with more workers than cores the others come no sooner otherwise.
void Rendezvous::wait() {
    const Time deadline = clock_->now() + patience_;
    while (true) {
        const State state = state_.load(std::memory_order_acquire);
        if (state == State::Over || state == State::GivenUp) return;
        if (state == State::Gathering && clock_->now() >= deadline) {
            State gathering = State::Gathering;
            if (state_.compare_exchange_strong(gathering, State::GivenUp,
                                               std::memory_order_acq_rel)) {
                return;
            }
        }
        sched_yield();
    }
}

}  // namespace weir

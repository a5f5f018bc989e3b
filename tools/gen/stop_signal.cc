// SPDX-License-Identifier: BSD-3-Clause
#include "tools/gen/stop_signal.h"

#include <atomic>
#include <csignal>

namespace weir::gen {
namespace {

// Lock-free, so that a signal handler may store to it.
std::atomic<bool> requested{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void request_stop(int) {
    requested.store(true, std::memory_order_relaxed);
}

}  // namespace

void catch_stop_signals() {
    struct sigaction action {};
    action.sa_handler = request_stop;  // without SA_RESTART: poll and nanosleep return early
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
}

bool stop_requested() {
    // One flag that guards no other data.
    return requested.load(std::memory_order_relaxed);
}

}  // namespace weir::gen

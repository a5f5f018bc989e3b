// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/run/publisher.h"

#include <algorithm>
#include <utility>

#include <rte_lcore.h>
#include <rte_malloc.h>

#include "dataplane/core/check.h"

namespace weir {

QuiescentState::QuiescentState(unsigned workers_max) {
    const std::size_t bytes = rte_rcu_qsbr_get_memsize(workers_max);
    state_ = static_cast<rte_rcu_qsbr*>(rte_zmalloc_socket(
        "weir_quiescent", bytes, RTE_CACHE_LINE_SIZE, static_cast<int>(rte_socket_id())));
    WEIR_CHECK(state_ != nullptr && rte_rcu_qsbr_init(state_, workers_max) == 0);
}

QuiescentState::~QuiescentState() {
    rte_free(state_);
}

void QuiescentState::join(unsigned worker) {
    rte_rcu_qsbr_thread_register(state_, worker);
    rte_rcu_qsbr_thread_online(state_, worker);
}

void QuiescentState::leave(unsigned worker) {
    rte_rcu_qsbr_thread_offline(state_, worker);
    rte_rcu_qsbr_thread_unregister(state_, worker);
}

void Publisher::replace(Published next) {
    std::swap(live_, next);
    // Release: a worker that sees the pointer sees the whole tables.
    current_.store(live_.tables, std::memory_order_release);
    if (next.tables == nullptr) return;
    // A worker holds on to its tables between turns, until the turn in which it takes up the next
    // ones is over. The first period ends when every worker has begun a turn that sees the new
    // pointer, the second when it has ended that turn.
    retired_.push_back({std::move(next.holder), quiescent_->start(), 2});
}

unsigned Publisher::reclaim() {
    for (Retired& retired : retired_) {
        while (retired.periods_left > 0 && quiescent_->passed(retired.token)) {
            if (--retired.periods_left > 0) retired.token = quiescent_->start();
        }
    }
    std::erase_if(retired_, [](const Retired& retired) { return retired.periods_left == 0; });
    return static_cast<unsigned>(retired_.size());
}

}  // namespace weir

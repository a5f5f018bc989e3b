// SPDX-License-Identifier: BSD-3-Clause
// Tables on their way from the control thread to the workers: one release store, one acquire load
// per turn, memory given back when no worker can hold it any more.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include <rte_rcu_qsbr.h>

#include "dataplane/core/tables.h"

namespace weir {

// When has every worker begun a new turn? One for all switches of the process. A worker reports
// between two turns; one that is not registered (not running) is not waited for.
class QuiescentState {
  public:
    explicit QuiescentState(unsigned workers_max);
    ~QuiescentState();
    QuiescentState(const QuiescentState&) = delete;
    QuiescentState& operator=(const QuiescentState&) = delete;

    // Worker side; `worker` is its index.
    void join(unsigned worker);
    void leave(unsigned worker);
    void report(unsigned worker) { rte_rcu_qsbr_quiescent(state_, worker); }

    // Control side.
    [[nodiscard]] std::uint64_t start() { return rte_rcu_qsbr_start(state_); }
    [[nodiscard]] bool passed(std::uint64_t token) {
        return rte_rcu_qsbr_check(state_, token, false) == 1;
    }

  private:
    rte_rcu_qsbr* state_;
};

// The tables of one switch. All but current() is for the control thread.
class Publisher {
  public:
    explicit Publisher(QuiescentState& quiescent) : quiescent_(&quiescent) {}
    Publisher(const Publisher&) = delete;
    Publisher& operator=(const Publisher&) = delete;

    // `owner` keeps `tables` (a part of it) alive.
    template <typename Owner>
    void publish(std::unique_ptr<Owner> owner, const Tables& tables) {
        replace({&tables, Holder(owner.release(), [](const void* held) {
                     delete static_cast<const Owner*>(held);
                 })});
    }

    // Any thread; null before the first publish(). What a worker got here it may use until it has
    // taken the next one into use.
    [[nodiscard]] const Tables* current() const {
        return current_.load(std::memory_order_acquire);  // pairs with the release in replace()
    }

    // Frees tables that no worker can use; how many are still waiting. Never waits.
    unsigned reclaim();

  private:
    using Holder = std::unique_ptr<const void, void (*)(const void*)>;
    struct Published {
        const Tables* tables;
        Holder holder;
    };
    struct Retired {
        Holder holder;
        std::uint64_t token;
        unsigned periods_left;
    };

    void replace(Published next);

    QuiescentState* quiescent_;
    std::atomic<const Tables*> current_{nullptr};
    Published live_{nullptr, Holder(nullptr, [](const void*) {})};
    std::vector<Retired> retired_;
};

}  // namespace weir

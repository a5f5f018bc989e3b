// SPDX-License-Identifier: BSD-3-Clause
// Where the ranks of one collective are. A rank begins a phase when all of the one before, from it
// and to it, is done: so the slowest flow decides, but ranks may be phases apart.
#pragma once

#include <cstdint>
#include <vector>

#include "dataplane/core/time.h"
#include "tools/roce/collective.h"
#include "tools/roce/fifo.h"

namespace weir::roce {

// A transfer that may start.
struct PhaseTransfer {
    Transfer transfer{};
    unsigned phase = 0;  // counted over all repeats
};

class CollectiveRun {
  public:
    struct Options {
        unsigned repeats = 1;
        unsigned messages = 1;  // that a transfer is split into
        bool barrier = false;
        bool wait_for_ack = true;
    };

    CollectiveRun(const Collective& collective, const Options& options);

    // Each appends what may start then.
    void start(Time now, std::vector<PhaseTransfer>& out);
    void message_sent(Time now, Rank source, std::vector<PhaseTransfer>& out);
    void message_received(Time now, Rank destination, unsigned phase,
                          std::vector<PhaseTransfer>& out);

    [[nodiscard]] bool finished() const { return phase_ends_.size() == phases_total_; }
    // When the slowest rank was through with each phase.
    [[nodiscard]] const std::vector<Time>& phase_ends() const { return phase_ends_; }

  private:
    struct RankState {
        unsigned phase = 0;
        std::uint32_t sending = 0;     // messages of the phase that are not acknowledged
        Fifo<std::uint32_t> received;  // messages, of the phase, the one after it, ...
    };

    [[nodiscard]] unsigned expected(Rank rank, unsigned phase) const;
    void begin(Rank rank, std::vector<PhaseTransfer>& out);
    void go_on(Time now, Rank rank, std::vector<PhaseTransfer>& out);
    void pass_phases(Time now, Rank rank, std::vector<PhaseTransfer>& out);
    void open_barrier(std::vector<PhaseTransfer>& out);
    [[nodiscard]] bool through(Rank rank) const;
    void count_through(Time now, unsigned phase);

    Phases phases_;
    Options options_;
    unsigned phases_total_;
    std::vector<RankState> ranks_;
    // Ranks that are through with a phase, from the first that some are not.
    Fifo<std::uint32_t> through_;
    std::vector<Time> phase_ends_;
    bool barrier_opened_ = false;
    std::vector<Transfer> transfers_;  // room for one phase of one rank
};

}  // namespace weir::roce

// SPDX-License-Identifier: BSD-3-Clause
#include "tools/roce/collective_run.h"

#include "dataplane/core/check.h"

namespace weir::roce {
namespace {

// In place of messages to be sent: the rank is at the barrier.
constexpr std::uint32_t kWaitsForOthers = 0xffff'ffff;

// Adds one to the number at this position, with zeros before it.
void count_at(Fifo<std::uint32_t>& numbers, std::size_t position) {
    while (numbers.size() <= position) numbers.push(0);
    ++numbers[position];
}

}  // namespace

CollectiveRun::CollectiveRun(const Collective& collective, const Options& options)
    : phases_(collective),
      options_(options),
      phases_total_(phases_.count() * options.repeats),
      ranks_(collective.ranks) {}

unsigned CollectiveRun::expected(Rank rank, unsigned phase) const {
    return phases_.arrivals(rank, phase % phases_.count()) * options_.messages;
}

void CollectiveRun::start(Time now, std::vector<PhaseTransfer>& out) {
    for (Rank rank = 0; rank < ranks_.size(); ++rank) begin(rank, out);
    for (Rank rank = 0; rank < ranks_.size(); ++rank) go_on(now, rank, out);
}

void CollectiveRun::message_sent(Time now, Rank source, std::vector<PhaseTransfer>& out) {
    if (!options_.wait_for_ack) return;
    WEIR_CHECK(ranks_[source].sending > 0);
    --ranks_[source].sending;
    go_on(now, source, out);
}

void CollectiveRun::message_received(Time now, Rank destination, unsigned phase,
                                     std::vector<PhaseTransfer>& out) {
    RankState& state = ranks_[destination];
    WEIR_CHECK(phase >= state.phase);
    count_at(state.received, phase - state.phase);
    go_on(now, destination, out);
}

void CollectiveRun::begin(Rank rank, std::vector<PhaseTransfer>& out) {
    RankState& state = ranks_[rank];
    transfers_.clear();
    phases_.append_from(rank, state.phase % phases_.count(), transfers_);
    const auto messages = static_cast<std::uint32_t>(transfers_.size()) * options_.messages;
    state.sending = options_.wait_for_ack ? messages : 0;
    for (const Transfer& transfer : transfers_) out.push_back({transfer, state.phase});
}

bool CollectiveRun::through(Rank rank) const {
    const RankState& state = ranks_[rank];
    if (state.phase == phases_total_ || state.sending != 0) return false;
    const std::uint32_t received = state.received.empty() ? 0 : state.received.front();
    return received == expected(rank, state.phase);
}

void CollectiveRun::go_on(Time now, Rank rank, std::vector<PhaseTransfer>& out) {
    pass_phases(now, rank, out);
    // Whoever has nothing to do in the phase behind a barrier is through with it at once.
    while (barrier_opened_) {
        barrier_opened_ = false;
        for (Rank other = 0; other < ranks_.size(); ++other) pass_phases(now, other, out);
    }
}

void CollectiveRun::pass_phases(Time now, Rank rank, std::vector<PhaseTransfer>& out) {
    RankState& state = ranks_[rank];
    while (through(rank)) {
        const unsigned phase = state.phase++;
        if (!state.received.empty()) state.received.pop();
        const std::size_t ended = phase_ends_.size();
        count_through(now, phase);
        const bool more = state.phase < phases_total_;
        if (options_.barrier) {
            state.sending = kWaitsForOthers;
            if (more && phase_ends_.size() != ended) open_barrier(out);
        } else if (more) {
            begin(rank, out);
        }
    }
}

// The last one through a phase lets all go on.
void CollectiveRun::open_barrier(std::vector<PhaseTransfer>& out) {
    for (Rank rank = 0; rank < ranks_.size(); ++rank) begin(rank, out);
    barrier_opened_ = true;
}

void CollectiveRun::count_through(Time now, unsigned phase) {
    count_at(through_, phase - phase_ends_.size());
    while (!through_.empty() && through_.front() == ranks_.size()) {
        through_.pop();
        phase_ends_.push_back(now);
    }
}

}  // namespace weir::roce

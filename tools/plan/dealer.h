// SPDX-License-Identifier: BSD-3-Clause
// The loads of links while a plan is made, and the choice among parallel links.
#pragma once

#include <algorithm>
#include <vector>

#include "tools/plan/loads.h"

namespace weir::plan {

class Dealer {
  public:
    explicit Dealer(const Topology& topology)
        : topology_(topology),
          others_(2 * topology.links().size(), 0),
          job_(others_.size(), 0),
          phase_(others_.size(), 0) {}

    // A phase that does not overlap with the ones before; a job that overlaps with all.
    void next_phase() {
        for (std::size_t hop = 0; hop < phase_.size(); ++hop) {
            job_[hop] = std::max(job_[hop], phase_[hop]);
            phase_[hop] = 0;
        }
    }
    void next_job() {
        next_phase();
        for (std::size_t hop = 0; hop < job_.size(); ++hop) {
            others_[hop] += job_[hop];
            job_[hop] = 0;
        }
    }

    void put(Hop hop, std::uint64_t rate_bps) { phase_[hop] += rate_bps; }
    void take(Hop hop, std::uint64_t rate_bps) { phase_[hop] -= rate_bps; }
    // The link that is least full with `rate_bps` more on it.
    [[nodiscard]] Hop least(const std::vector<Hop>& bundle, std::uint64_t rate_bps) const {
        Hop best = bundle.front();
        for (const Hop hop : bundle) {
            if (fullness(hop, rate_bps) < fullness(best, rate_bps)) best = hop;
        }
        return best;
    }
    [[nodiscard]] double fullness(Hop hop, std::uint64_t rate_bps) const {
        const std::uint64_t load = others_[hop] + std::max(job_[hop], phase_[hop] + rate_bps);
        return static_cast<double>(load) / static_cast<double>(rate_of(topology_, hop));
    }
    // What this phase finds there and cannot move.
    [[nodiscard]] std::uint64_t fixed(Hop hop) const { return others_[hop] + phase_[hop]; }
    // How much this phase may put there without the job taking more than in its other phases.
    [[nodiscard]] std::uint64_t free_for_job(Hop hop) const {
        return job_[hop] > phase_[hop] ? job_[hop] - phase_[hop] : 0;
    }
    [[nodiscard]] const Topology& topology() const { return topology_; }

  private:
    const Topology& topology_;
    Loads others_;  // jobs before this one
    Loads job_;     // the fullest of this job's phases before this one
    Loads phase_;
};

}  // namespace weir::plan

// SPDX-License-Identifier: BSD-3-Clause
// What a plan puts on each link, and what no plan could be better than.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "tools/plan/tiers.h"

namespace weir::plan {

// Rates on links, by hop. Phases of a job never overlap, jobs may: a link carries at most the sum
// over the jobs of their fullest phases.
using Loads = std::vector<std::uint64_t>;

// Flows in order of (job, phase); calls visit(begin, end) for each run of one phase.
void for_each_phase(std::span<const Flow> flows,
                    const std::function<void(std::size_t, std::size_t)>& visit);

[[nodiscard]] Loads loads_of(const Topology& topology, std::span<const Flow> flows,
                             std::span<const Ways> ways);

struct LoadSummary {
    double fullest = 0;        // load over rate, of the fullest link
    double mean = 0;           // of all links between switches, both ways
    double max_over_mean = 0;  // over the links that carry anything
    double jain = 1;           // of these
    Hop fullest_hop = kNone;
    unsigned used = 0;  // links that carry something
};

[[nodiscard]] LoadSummary summary_of(const Topology& topology, const Loads& loads);

// Flows that share some links, on which they may be spread as one likes.
struct Demand {
    std::uint64_t total_bps = 0;
    std::uint64_t largest_bps = 0;
    std::uint64_t smallest_bps = ~std::uint64_t{0};

    void add(std::uint64_t rate_bps) {
        total_bps += rate_bps;
        largest_bps = std::max(largest_bps, rate_bps);
        smallest_bps = std::min(smallest_bps, rate_bps);
    }
    void add(const Demand& other) {
        total_bps += other.total_bps;
        largest_bps = std::max(largest_bps, other.largest_bps);
        smallest_bps = std::min(smallest_bps, other.smallest_bps);
    }
};

struct LinkRoom {
    std::uint64_t rate_bps = 0;
    std::uint64_t load_bps = 0;  // that is there and stays
};

// The least that the fullest of these links carries, load over rate, when the demand comes on top:
// exact for flows of equal rate, a lower bound for others. kUnreachable without links.
inline constexpr double kUnreachable = 1e9;
[[nodiscard]] double least_fullest(std::span<const LinkRoom> links, const Demand& demand);

// A lower bound on the fullest link of any plan for these flows: what the flows of each leaf, and
// of each pod, force upon the links that are left there.
class LowerBound {
  public:
    LowerBound(const Tiers& tiers, std::span<const Flow> flows);

    [[nodiscard]] double without_failure() const { return none_; }
    // With links gone. Only leaves and pods next to them are looked at again.
    [[nodiscard]] double with(std::span<const std::uint32_t> failed_links) const;

  private:
    // The flows that leave or enter a set of switches, and the links by which they do.
    struct Cut {
        std::vector<Hop> hops{};
        Demand demand{};    // of all jobs
        Demand job{};       // the fullest phase so far of the job that is counted
        Demand phase{};     // that is counted
        bool alike = true;  // the links
    };

    void add_cuts();
    void count(const Flow& flow);
    void close_phase();
    void close_job();
    [[nodiscard]] double of(const Cut& cut, const std::vector<std::uint32_t>& failed) const;

    const Tiers& tiers_;
    std::vector<Cut> cuts_;  // out and in of each leaf, then of each pod
    std::vector<std::vector<std::uint32_t>> cuts_of_link_;
    double none_ = 0;
};

}  // namespace weir::plan

// SPDX-License-Identifier: BSD-3-Clause
// From jobs to the flows between their hosts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/units.h"
#include "tools/plan/flow.h"
#include "tools/roce/collective.h"

namespace weir::plan {

struct Job {
    std::string name{};
    roce::Pattern pattern = roce::Pattern::RingAllReduce;
    Bytes bytes = 1'000'000;      // AllReduce: of the vector; else of each transfer
    std::vector<NodeId> hosts{};  // rank 0, 1, ... in the order of the job
    unsigned ranks_per_host = 1;  // ranks of one host are neighbors in the order of ranks
    unsigned rails = 1;  // of N: hosts i, i + N, i + 2 N ... run the collective among themselves
    unsigned shift = 1;
    std::uint64_t seed = 1;                     // of a permutation
    std::vector<std::uint16_t> source_ports{};  // of the queue pairs of a pair of hosts, if known
};

// Exact: a flow per pair of hosts. Prefix: a flow per host and leaf that it sends to. Auto: exact,
// unless a leaf needed more rules than a switch has.
enum class RuleKind : std::uint8_t { Auto, Exact, Prefix };

inline constexpr std::size_t kRulesMax = 64'000;  // of one switch

// Flows in order of (job, phase). A flow's rate is the even share of its source's link or of its
// destination's, whichever is less. Hosts that share a leaf need no path and have no flow.
[[nodiscard]] std::vector<Flow> flows_of(const Topology& topology, const std::vector<Job>& jobs,
                                         RuleKind rules);

// Empty, or why the job has no flows.
[[nodiscard]] std::string problem_of(const Job& job);

}  // namespace weir::plan

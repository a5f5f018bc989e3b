// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <deque>

#include "tools/lab/experiment.h"
#include "tools/lab/load.h"
#include "tools/lab/results.h"

namespace weir::lab {

// Adds the jobs of an experiment. `profiles` outlives the hosts.
void add_jobs(const Experiment& experiment, const Topology& topology, std::uint64_t seed,
              std::deque<roce::QpProfile>& profiles, roce::Workload& workload);

// Fills in jobs and flows.
void finish_jobs(const Experiment& experiment, const Topology& topology,
                 const roce::Workload& workload, Time now, RunResult& result);

}  // namespace weir::lab

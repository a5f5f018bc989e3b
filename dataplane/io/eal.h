// SPDX-License-Identifier: BSD-3-Clause
// DPDK's environment of this process: one start, one end.
#pragma once

#include <string>
#include <vector>

#include "dataplane/io/eal_plan.h"

namespace weir {

[[nodiscard]] Machine this_machine();

// Starts EAL as planned; what is wrong, or empty. Its own messages go to stderr, and into the
// problem when it does not start.
[[nodiscard]] std::string start_eal(const EalPlan& plan);

// EAL's lcores besides the control thread's, in order: worker i runs on the i-th.
[[nodiscard]] std::vector<unsigned> worker_lcores();

// Ends EAL and removes the files it leaves in hugetlbfs and in its runtime directory, which would
// keep hugepages from others.
void end_eal(const EalPlan& plan);

// Removes what switches that were killed left behind: runtime directories and hugepages of prefixes
// "weir-..." that no live process holds.
void remove_stale_eal_files();

}  // namespace weir

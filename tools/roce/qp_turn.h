// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "dataplane/core/time.h"
#include "tools/roce/queue_pair_types.h"

namespace weir::roce {

// What both halves of a queue pair need in one call.
struct QpTurn {
    Time now;
    QpNumber qp;
    const QpProfile& profile;
    QpCounters& counters;
    std::vector<Completion>& completions;
};

}  // namespace weir::roce

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tools/lab/experiment.h"
#include "tools/lab/fabric.h"

namespace weir::lab {

// Puts the faults of an experiment, which outlive the run, into the fabric's schedule.
void schedule_faults(const std::vector<FaultSettings>& faults, Fabric& fabric);

}  // namespace weir::lab

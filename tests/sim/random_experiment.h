// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tools/lab/experiment.h"

namespace weir::lab {

// A fabric, its switches' configuration, jobs and faults, drawn from a seed. Every fault ends
// within the first milliseconds; then all jobs must come to their end.
[[nodiscard]] Experiment random_experiment(std::uint64_t seed);

}  // namespace weir::lab

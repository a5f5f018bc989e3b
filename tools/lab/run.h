// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>

#include "config/problem.h"
#include "tools/lab/experiment.h"
#include "tools/lab/results.h"

namespace weir::lab {

struct Progress {
    double simulated_seconds = 0;
    double of_seconds = 0;  // the most that will be simulated
    double wall_seconds = 0;
    double cpu_seconds = 0;
    std::uint64_t packet_hops = 0;
};

struct RunOptions {
    std::uint64_t seed = 1;
    // Events after which every account is checked, and whether drops are looked for after each one;
    // 0: both at samples only.
    unsigned events_per_check = 0;
    // Called now and then; false: end here, with what there is.
    std::function<bool(const Progress&)> progress{};
};

// Runs an experiment to the end of its jobs or of its duration. Empty, and the reasons in
// `problems`, when a switch refuses what `switches` says.
[[nodiscard]] std::optional<RunResult> run_experiment(const Experiment& experiment,
                                                      const RunOptions& options,
                                                      Problems& problems);

}  // namespace weir::lab

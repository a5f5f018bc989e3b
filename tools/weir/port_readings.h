// SPDX-License-Identifier: BSD-3-Clause
// Counters of a running process: read, sampled, cleared.
#pragma once

#include <cstddef>

#include "tools/weir/running.h"

namespace weir {

[[nodiscard]] CountsAt read_all_ports(const Running& running, std::size_t switch_index);

// Once a second.
void sample_counters(Running& running);

// `clear stats`: counters keep counting, what is shown starts from here.
void clear_counters(Running& running);

[[nodiscard]] Running::WorkerCounts read_worker(const Running& running, unsigned worker);

}  // namespace weir

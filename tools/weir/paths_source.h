// SPDX-License-Identifier: BSD-3-Clause
// Rules of path tables as they are now.
#pragma once

#include <cstddef>
#include <vector>

#include "tools/weir/console/snapshot.h"
#include "tools/weir/running.h"

namespace weir {

// What all shards have counted, by number of the rule; counters only ever grow.
[[nodiscard]] std::vector<PathTotals> read_path_totals(const Running& running,
                                                       std::size_t switch_index);

void add_paths(const Running& running, std::size_t switch_index, Snapshot& snapshot);

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "tools/weir/console/snapshot.h"
#include "tools/weir/running.h"

namespace weir {

void add_neighbors(Running& running, std::size_t switch_index, Snapshot& snapshot);
// The neighbors are there already: a next hop says whether its MAC is known.
void add_routes(const Running& running, std::size_t switch_index, Snapshot& snapshot);
void add_macs(Running& running, std::size_t switch_index, Snapshot& snapshot);

}  // namespace weir

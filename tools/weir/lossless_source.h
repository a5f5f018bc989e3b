// SPDX-License-Identifier: BSD-3-Clause
// What the snapshot knows of buffer, pauses and queues; parts of take_snapshot().
#pragma once

#include <cstddef>

#include "tools/weir/console/snapshot.h"
#include "tools/weir/running.h"

namespace weir {

// Both need the snapshot's ports. What a worker does not answer is left out.
void add_queues(Running& running, std::size_t switch_index, Snapshot& snapshot);
void add_groups(Running& running, std::size_t switch_index, Snapshot& snapshot);
void add_balance(Running& running, std::size_t switch_index, Snapshot& snapshot);

}  // namespace weir

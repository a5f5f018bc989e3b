// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "tools/weir/console/snapshot.h"
#include "tools/weir/running.h"

namespace weir {

// Adds what peers have said about lost destinations, by port with a link, and what is lost here.
void add_notices(Running& running, std::size_t switch_index, Snapshot& snapshot);

}  // namespace weir

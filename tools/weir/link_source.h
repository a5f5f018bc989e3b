// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "tools/weir/console/snapshot.h"
#include "tools/weir/running.h"

namespace weir {

// Adds the links of ports that have a session, or that the operator took out of use. Each is copied
// by its worker, which takes it a microsecond.
void add_links(Running& running, std::size_t switch_index, Snapshot& snapshot);

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tools/weir/console/pattern.h"
#include "tools/weir/console/reply.h"
#include "tools/weir/console/snapshot.h"

namespace weir {

// Snapshot::flow holds what the core's look-up did with the flow's frame.
[[nodiscard]] Reply explain_flow(const Arguments& arguments, const Snapshot& snapshot);

}  // namespace weir

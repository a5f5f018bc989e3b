// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tools/weir/console/pattern.h"
#include "tools/weir/console/reply.h"
#include "tools/weir/console/snapshot.h"

namespace weir {

[[nodiscard]] Reply show_config(const Arguments& arguments, const Snapshot& snapshot);
[[nodiscard]] Reply show_workers(const Arguments& arguments, const Snapshot& snapshot);
[[nodiscard]] Reply show_switches(const Arguments& arguments, const Snapshot& snapshot);

}  // namespace weir

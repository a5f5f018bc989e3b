// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tools/weir/console/pattern.h"
#include "tools/weir/console/reply.h"
#include "tools/weir/console/snapshot.h"

namespace weir {

[[nodiscard]] Reply show_port_stats(const Arguments& arguments, const Snapshot& snapshot);
[[nodiscard]] Reply show_port_info(const Arguments& arguments, const Snapshot& snapshot);
[[nodiscard]] Reply show_drops(const Arguments& arguments, const Snapshot& snapshot);

// "up", "down" or "stopped".
[[nodiscard]] std::string state_text(const PortView& port);

}  // namespace weir

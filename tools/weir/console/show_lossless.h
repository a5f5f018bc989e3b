// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tools/weir/console/pattern.h"
#include "tools/weir/console/reply.h"
#include "tools/weir/console/snapshot.h"

namespace weir {

[[nodiscard]] Reply show_pfc(const Arguments& arguments, const Snapshot& snapshot);
[[nodiscard]] Reply show_buffer(const Arguments& arguments, const Snapshot& snapshot);
[[nodiscard]] Reply show_queue(const Arguments& arguments, const Snapshot& snapshot);
[[nodiscard]] Reply show_ecn(const Arguments& arguments, const Snapshot& snapshot);
[[nodiscard]] Reply show_watchdog(const Arguments& arguments, const Snapshot& snapshot);
[[nodiscard]] Reply show_balance(const Arguments& arguments, const Snapshot& snapshot);
[[nodiscard]] Reply show_hooks(const Arguments& arguments, const Snapshot& snapshot);

// "ok", or what the watchdog does about the pause storm that it has found.
[[nodiscard]] std::string storm_text(const GroupView& group);

}  // namespace weir

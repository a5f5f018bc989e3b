// SPDX-License-Identifier: BSD-3-Clause
// `set ...`: each is an edit of the settings in use, as if the file had been edited and loaded.
// Whether the result is right is judged where files are judged.
#pragma once

#include "tools/weir/console/pattern.h"
#include "tools/weir/console/reply.h"
#include "tools/weir/console/snapshot.h"

namespace weir {

[[nodiscard]] Reply set_ecn(const Arguments& arguments, const Snapshot& snapshot);
[[nodiscard]] Reply set_ecn_off(const Arguments& arguments, const Snapshot& snapshot);
[[nodiscard]] Reply set_scheduler(const Arguments& arguments, const Snapshot& snapshot);
[[nodiscard]] Reply set_pfc(const Arguments& arguments, const Snapshot& snapshot);
[[nodiscard]] Reply set_buffer(const Arguments& arguments, const Snapshot& snapshot);
[[nodiscard]] Reply set_port(const Arguments& arguments, const Snapshot& snapshot);
[[nodiscard]] Reply set_watchdog(const Arguments& arguments, const Snapshot& snapshot);
[[nodiscard]] Reply set_watchdog_off(const Arguments& arguments, const Snapshot& snapshot);

}  // namespace weir

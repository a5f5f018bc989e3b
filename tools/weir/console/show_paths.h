// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tools/weir/console/pattern.h"
#include "tools/weir/console/reply.h"
#include "tools/weir/console/snapshot.h"

namespace weir {

[[nodiscard]] Reply show_paths(const Arguments& arguments, const Snapshot& snapshot);
[[nodiscard]] Reply show_all_paths(const Arguments& arguments, const Snapshot& snapshot);
[[nodiscard]] Reply show_path(const Arguments& arguments, const Snapshot& snapshot);

// "10.0.0.1 -> 10.2.0.5, queue pair 17".
[[nodiscard]] std::string path_match_text(const PathRule& rule, const Snapshot& snapshot);
// "primary", "backup 1", "hash", "no way".
[[nodiscard]] std::string path_state_text(const PathView& path);

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tools/weir/options.h"
#include "tools/weir/running.h"

namespace weir {

// Blocks the signals that the loop reads, before any thread exists: threads inherit it.
void block_signals();

// The control thread's life: consoles, signals, files to watch, link states, events, telemetry,
// until somebody ends it. The exit status. `problem`: it could not begin.
[[nodiscard]] int control_until_end(Running& running, const Options& options, std::string& problem);

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tools/lab/results.h"

namespace weir::lab {

// A run as one HTML page that needs nothing else: styles and plots are in it.
[[nodiscard]] std::string report_of(const RunResult& result);

// A run as a table for the terminal.
[[nodiscard]] std::string table_of(const RunResult& result);

}  // namespace weir::lab

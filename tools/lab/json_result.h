// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tools/lab/results.h"

namespace weir::lab {

// A run as one JSON object. Units are in the names; all but `wall_seconds`, `cpu_seconds`,
// `packet_hops_per_second` and `peak_rss_bytes` repeat with the seed.
[[nodiscard]] std::string json_of(const RunResult& result);

}  // namespace weir::lab

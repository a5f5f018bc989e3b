// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "config/load.h"
#include "config/problem.h"
#include "tools/weir/options.h"
#include "tools/weir/running.h"

namespace weir {

// Reads and validates files, each for itself and all together. Null entries where a file has
// problems.
[[nodiscard]] std::vector<std::unique_ptr<const Loaded>> load_all(
    const std::vector<std::string>& files, Problems& problems);

// `weir --check`: prints what the files would become, or what is wrong with them. The exit status.
[[nodiscard]] int check_files(const std::vector<std::string>& files);

// From files to workers that forward. What is wrong, one line each, or empty; after a problem the
// caller closes running.dataplane.
[[nodiscard]] std::string start_switches(const Options& options, Running& running);

}  // namespace weir

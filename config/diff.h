// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "config/settings.h"

namespace weir {

// One difference between two settings: "ports[1].speed", "25G -> 100G".
struct Change {
    std::string path;
    std::string text;
};

// What a new file changes in a running switch.
struct Difference {
    std::vector<Change> live;     // done by publishing new tables
    std::vector<Change> refused;  // not while it runs: devices, workers and memory are taken once

    [[nodiscard]] bool empty() const { return live.empty() && refused.empty(); }
};

[[nodiscard]] Difference diff(const Settings& running, const Settings& wanted);

}  // namespace weir

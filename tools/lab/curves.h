// SPDX-License-Identifier: BSD-3-Clause
// What a demonstration on real ports measured, as a page like a run's: rates over time, and what
// was done when.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/lab/svg_plot.h"

namespace weir::lab {

struct Curves {
    struct Mark {
        std::string at_s;
        std::string text;
    };
    std::string about;
    std::vector<Mark> marks;
    std::vector<PlotLine> lines;  // seconds, Mb/s
};

// One thing a line, its words divided by tabs: `about TEXT`, `mark SECONDS TEXT`, `rate NAME
// SECONDS MBPS`. Throws std::runtime_error with the line that is none of these.
[[nodiscard]] Curves read_curves(std::string_view text);

[[nodiscard]] std::string page_of(const Curves& curves);

}  // namespace weir::lab

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tools/lab/run.h"

namespace weir::lab {

// One line: bar, simulated time, rate of simulation, packet-hops per second.
[[nodiscard]] std::string progress_line(const Progress& progress);

// Draws the line anew a few times per second, if stderr is a terminal.
class ProgressBar {
  public:
    explicit ProgressBar(bool quiet);
    ~ProgressBar();
    ProgressBar(const ProgressBar&) = delete;
    ProgressBar& operator=(const ProgressBar&) = delete;

    void show(const Progress& progress);

  private:
    bool visible_;
    bool drawn_ = false;
    double drawn_at_ = 0;  // wall seconds
};

}  // namespace weir::lab

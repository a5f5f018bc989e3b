// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lab/progress_bar.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include <unistd.h>

namespace weir::lab {

std::string progress_line(const Progress& progress) {
    constexpr unsigned kCells = 30;
    const double share =
        progress.of_seconds > 0
            ? std::clamp(progress.simulated_seconds / progress.of_seconds, 0.0, 1.0)
            : 0;
    const auto full = static_cast<unsigned>(share * kCells);
    const double wall = std::max(progress.wall_seconds, 1e-9);
    std::array<char, 160> text{};
    std::snprintf(
        text.data(), text.size(), "[%s%s] %.3f of %.3f ms, %.3g ms/s, %.2f M packet-hops/s",
        std::string(full, '#').c_str(), std::string(kCells - full, '.').c_str(),
        progress.simulated_seconds * 1e3, progress.of_seconds * 1e3,
        progress.simulated_seconds * 1e3 / wall,
        static_cast<double>(progress.packet_hops) / std::max(progress.cpu_seconds, 1e-9) / 1e6);
    return text.data();
}

ProgressBar::ProgressBar(bool quiet) : visible_(!quiet && isatty(STDERR_FILENO) == 1) {}

ProgressBar::~ProgressBar() {
    if (drawn_) std::fputs("\r\033[K", stderr);
}

void ProgressBar::show(const Progress& progress) {
    constexpr double kPeriodSeconds = 0.1;
    if (!visible_ || (drawn_ && progress.wall_seconds - drawn_at_ < kPeriodSeconds)) return;
    drawn_ = true;
    drawn_at_ = progress.wall_seconds;
    std::fprintf(stderr, "\r%s\033[K", progress_line(progress).c_str());
    std::fflush(stderr);
}

}  // namespace weir::lab

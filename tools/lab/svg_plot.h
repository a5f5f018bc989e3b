// SPDX-License-Identifier: BSD-3-Clause
// Plots as SVG text: no script, no font or file from outside.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weir::lab {

struct PlotLine {
    std::string name;
    std::vector<double> x;
    std::vector<double> y;
};

struct PlotOptions {
    std::string title;
    std::string x_label;
    std::string y_label;
    bool steps = false;  // a step at each point, as a cumulative distribution has
    double y_max = 0;    // 0: from the data
};

struct PlotBar {
    std::string name;
    double value = 0;
    unsigned colour = 0;
};

// Lines over a common x axis, with a legend when there are several.
[[nodiscard]] std::string line_plot(const PlotOptions& options, const std::vector<PlotLine>& lines);

// Bars side by side in the given order, each named when there is room; `mark` is a line across.
[[nodiscard]] std::string bar_plot(const PlotOptions& options, const std::vector<PlotBar>& bars,
                                   double mark);

// Text for HTML and SVG.
[[nodiscard]] std::string escaped(std::string_view text);

// A number for people: three significant digits, no trailing zeros.
[[nodiscard]] std::string short_number(double value);

// The colour of the n-th line (Okabe and Ito's palette, which colour-blind readers can tell apart).
[[nodiscard]] std::string_view plot_colour(unsigned index);

}  // namespace weir::lab

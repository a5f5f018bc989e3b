// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lab/svg_plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace weir::lab {

namespace {

constexpr double kWidth = 640;
constexpr double kHeight = 300;
constexpr double kLeft = 62;
constexpr double kRight = 16;
constexpr double kTop = 34;
constexpr double kBottom = 46;
constexpr double kPlotWidth = kWidth - kLeft - kRight;
constexpr double kPlotHeight = kHeight - kTop - kBottom;
constexpr double kLegendLine = 18;
constexpr std::size_t kNamedBarsMax = 24;

std::string coordinate(double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.1f", value);
    return text.data();
}

// 1, 2 or 5 times a power of ten, so that about `parts` of it make up `range`.
double nice_step(double range, double parts) {
    const double raw = range / parts;
    const double power = std::pow(10.0, std::floor(std::log10(raw)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (raw <= factor * power) return factor * power;
    }
    return 10 * power;
}

struct Axis {
    double first = 0;
    double last = 1;
    double step = 1;
};

Axis axis_of(double first, double last, double parts) {
    if (last <= first) last = first + 1;
    const double step = nice_step(last - first, parts);
    return {first, last, step};
}

class Canvas {
  public:
    Canvas(const PlotOptions& options, Axis x, Axis y, double extra_height) : x_(x), y_(y) {
        out_ = "<svg viewBox=\"0 0 " + coordinate(kWidth) + ' ' +
               coordinate(kHeight + extra_height) + "\" role=\"img\"><title>" +
               escaped(options.title) + "</title>";
        text(kLeft, 20, "start", "plot-title", options.title);
        text(kLeft + kPlotWidth / 2, kHeight - 8, "middle", "plot-label", options.x_label);
        out_ += "<text class=\"plot-label\" text-anchor=\"middle\" transform=\"translate(14," +
                coordinate(kTop + kPlotHeight / 2) + ") rotate(-90)\">" + escaped(options.y_label) +
                "</text>";
        y_grid();
    }

    [[nodiscard]] double at_x(double value) const {
        return kLeft + (value - x_.first) / (x_.last - x_.first) * kPlotWidth;
    }
    [[nodiscard]] double at_y(double value) const {
        return kTop + kPlotHeight * (1 - (value - y_.first) / (y_.last - y_.first));
    }
    void text(double x, double y, std::string_view anchor, std::string_view style,
              std::string_view words) {
        out_ += "<text x=\"" + coordinate(x) + "\" y=\"" + coordinate(y) + "\" text-anchor=\"" +
                std::string(anchor) + "\" class=\"" + std::string(style) + "\">" + escaped(words) +
                "</text>";
    }
    void rule(double x1, double y1, double x2, double y2, std::string_view style) {
        out_ += "<line x1=\"" + coordinate(x1) + "\" y1=\"" + coordinate(y1) + "\" x2=\"" +
                coordinate(x2) + "\" y2=\"" + coordinate(y2) + "\" class=\"" + std::string(style) +
                "\"/>";
    }
    void x_ticks() {
        for (double value = std::ceil(x_.first / x_.step) * x_.step;
             value <= x_.last + x_.step / 1e6; value += x_.step) {
            rule(at_x(value), kTop + kPlotHeight, at_x(value), kTop + kPlotHeight + 4, "axis");
            text(at_x(value), kTop + kPlotHeight + 17, "middle", "tick", short_number(value));
        }
    }
    void add(const std::string& piece) { out_ += piece; }
    [[nodiscard]] std::string finish() { return out_ + "</svg>\n"; }

  private:
    void y_grid() {
        for (double value = y_.first; value <= y_.last + y_.step / 1e6; value += y_.step) {
            rule(kLeft, at_y(value), kLeft + kPlotWidth, at_y(value),
                 value == y_.first ? "axis" : "grid");
            text(kLeft - 7, at_y(value) + 4, "end", "tick", short_number(value));
        }
    }

    Axis x_;
    Axis y_;
    std::string out_;
};

std::string path_of(const Canvas& canvas, const PlotLine& line, bool steps, unsigned colour) {
    std::string path = "<path fill=\"none\" stroke-width=\"1.6\" stroke=\"" +
                       std::string(plot_colour(colour)) + "\" d=\"";
    for (std::size_t i = 0; i < line.x.size(); ++i) {
        const std::string x = coordinate(canvas.at_x(line.x[i]));
        const std::string y = coordinate(canvas.at_y(line.y[i]));
        if (i == 0) {
            path += 'M' + x + ' ' + y;
        } else {
            path += (steps ? 'H' + x + 'V' + y : 'L' + x + ' ' + y);
        }
    }
    return path + "\"><title>" + escaped(line.name) + "</title></path>";
}

// Names in columns below the plot.
void add_legend(Canvas& canvas, const std::vector<PlotLine>& lines) {
    constexpr std::size_t kColumns = 4;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const double x = kLeft + static_cast<double>(i % kColumns) * kPlotWidth / kColumns;
        const double y = kHeight + 12 + static_cast<double>(i / kColumns) * kLegendLine;
        canvas.add("<rect x=\"" + coordinate(x) + "\" y=\"" + coordinate(y - 9) +
                   "\" width=\"14\" height=\"10\" rx=\"2\" fill=\"" +
                   std::string(plot_colour(static_cast<unsigned>(i))) + "\"/>");
        canvas.text(x + 20, y, "start", "tick", lines[i].name);
    }
}

}  // namespace

std::string line_plot(const PlotOptions& options, const std::vector<PlotLine>& lines) {
    double x_last = 0;
    double y_last = options.y_max;
    for (const PlotLine& line : lines) {
        for (const double x : line.x) x_last = std::max(x_last, x);
        for (const double y : line.y) y_last = std::max(y_last, y);
    }
    const Axis x = axis_of(0, x_last, 6);
    Axis y = axis_of(0, options.y_max > 0 ? y_last : y_last * 1.05, 5);
    const bool legend = lines.size() > 1;
    const double rows = legend ? static_cast<double>((lines.size() + 3) / 4) : 0;
    Canvas canvas(options, x, y, rows * kLegendLine + (legend ? 4 : 0));
    canvas.x_ticks();
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (lines[i].x.empty()) continue;
        canvas.add(path_of(canvas, lines[i], options.steps, static_cast<unsigned>(i)));
    }
    if (legend) add_legend(canvas, lines);
    return canvas.finish();
}

std::string bar_plot(const PlotOptions& options, const std::vector<PlotBar>& bars, double mark) {
    double largest = options.y_max;
    for (const PlotBar& bar : bars) largest = std::max(largest, bar.value);
    const auto count = static_cast<double>(std::max<std::size_t>(bars.size(), 1));
    const bool named = bars.size() <= kNamedBarsMax;
    const double extra = named ? 44 : 0;
    Canvas canvas(options, {0, count, 1}, axis_of(0, largest * 1.02, 5), extra);
    const double pitch = kPlotWidth / count;
    for (std::size_t i = 0; i < bars.size(); ++i) {
        const double x = kLeft + static_cast<double>(i) * pitch;
        const double y = canvas.at_y(bars[i].value);
        canvas.add("<rect x=\"" + coordinate(x + pitch * 0.1) + "\" y=\"" + coordinate(y) +
                   "\" width=\"" + coordinate(pitch * 0.8) + "\" height=\"" +
                   coordinate(kTop + kPlotHeight - y) + "\" fill=\"" +
                   std::string(plot_colour(bars[i].colour)) + "\"><title>" + escaped(bars[i].name) +
                   ": " + short_number(bars[i].value) + "</title></rect>");
        if (!named) continue;
        canvas.add("<text class=\"tick\" text-anchor=\"end\" transform=\"translate(" +
                   coordinate(x + pitch / 2 + 4) + ',' + coordinate(kTop + kPlotHeight + 10) +
                   ") rotate(-40)\">" + escaped(bars[i].name) + "</text>");
    }
    if (mark > 0) {
        canvas.rule(kLeft, canvas.at_y(mark), kLeft + kPlotWidth, canvas.at_y(mark), "mark");
    }
    return canvas.finish();
}

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
            case '&':
                out += "&amp;";
                break;
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '"':
                out += "&quot;";
                break;
            default:
                out += c;
        }
    }
    return out;
}

std::string short_number(double value) {
    std::array<char, 32> text{};
    if (std::fabs(value) >= 1e6) {
        std::snprintf(text.data(), text.size(), "%.3gM", value / 1e6);
    } else if (std::fabs(value) >= 1'000) {
        std::snprintf(text.data(), text.size(), "%.0f", value);
    } else {
        std::snprintf(text.data(), text.size(), "%.3g", std::fabs(value) < 1e-12 ? 0 : value);
    }
    return text.data();
}

std::string_view plot_colour(unsigned index) {
    static constexpr std::array<std::string_view, 8> kColours{
        "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f", "#000000"};
    return kColours[index % kColours.size()];
}

}  // namespace weir::lab

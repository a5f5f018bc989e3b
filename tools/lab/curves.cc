// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lab/curves.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "tools/lab/page.h"

namespace weir::lab {
namespace {

std::vector<std::string_view> split(std::string_view text, char at) {
    std::vector<std::string_view> parts;
    for (;;) {
        const std::size_t end = text.find(at);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

bool read_number(std::string_view text, double& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size();
}

bool add_rate(Curves& curves, const std::vector<std::string_view>& words) {
    double seconds = 0;
    double rate = 0;
    if (!read_number(words[2], seconds) || !read_number(words[3], rate)) return false;
    auto line = std::ranges::find(curves.lines, words[1], &PlotLine::name);
    if (line == curves.lines.end()) {
        line = curves.lines.insert(line, PlotLine{std::string(words[1]), {}, {}});
    }
    line->x.push_back(seconds);
    line->y.push_back(rate);
    return true;
}

bool add_line(Curves& curves, const std::vector<std::string_view>& words) {
    if (words[0] == "rate" && words.size() == 4) return add_rate(curves, words);
    if (words[0] == "mark" && words.size() == 3) {
        curves.marks.push_back({std::string(words[1]), std::string(words[2])});
        return true;
    }
    if (words[0] != "about" || words.size() != 2) return false;
    curves.about = words[1];
    return true;
}

std::string marks_table(const Curves& curves) {
    std::string out =
        "<h2>What was done</h2>\n<div class=\"box\"><table>\n<tr><th>s</th><th>what</th></tr>\n";
    for (const Curves::Mark& mark : curves.marks) {
        out += "<tr><td>" + escaped(mark.at_s) + "</td><td>" + escaped(mark.text) + "</td></tr>\n";
    }
    return out + "</table></div>\n";
}

}  // namespace

Curves read_curves(std::string_view text) {
    Curves curves;
    std::size_t number = 0;
    for (const std::string_view line : split(text, '\n')) {
        ++number;
        if (line.empty() || add_line(curves, split(line, '\t'))) continue;
        throw std::runtime_error("line " + std::to_string(number) + " says nothing that is known");
    }
    if (curves.lines.empty()) throw std::runtime_error("there is no rate in it");
    return curves;
}

std::string page_of(const Curves& curves) {
    return page_head("Links that fall silent") + "<p class=\"about\">" + escaped(curves.about) +
           "</p>\n<h2>Over time</h2>\n<div class=\"plot\">" +
           line_plot({"Received", "s", "Mb/s"}, curves.lines) + "</div>\n" + marks_table(curves) +
           std::string(page_end());
}

}  // namespace weir::lab

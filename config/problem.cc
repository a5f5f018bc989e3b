// SPDX-License-Identifier: BSD-3-Clause
#include "config/problem.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace weir {

namespace {

// A value that is quoted in a problem may hold line ends and terminal escapes; the problem is one
// line of plain text. UTF-8 passes.
std::string printable(const std::string& text) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string out;
    for (const char character : text) {
        const auto byte = static_cast<unsigned char>(character);
        if (byte >= 0x20 && byte != 0x7f) {
            out += character;
        } else {
            out += "\\x";
            out += kDigits[byte >> 4];
            out += kDigits[byte & 0xf];
        }
    }
    return out;
}

}  // namespace

std::string Problem::line() const {
    std::string out = file;
    if (mark.line != 0) {
        out += ":" + std::to_string(mark.line) + ":" + std::to_string(mark.column);
    }
    out += ": ";
    if (!path.empty()) out += path + ": ";
    return printable(out + text);
}

void Problems::add(Problem problem) {
    ++count_;
    if (kept_.size() < kKeptMax) kept_.push_back(std::move(problem));
}

void Problems::add_all(const Problems& others) {
    for (const Problem& problem : others.kept_) add(problem);
    count_ += others.count_ - others.kept_.size();
}

std::string Problems::text() const {
    std::vector<Problem> sorted = kept_;
    std::stable_sort(sorted.begin(), sorted.end(), [](const Problem& a, const Problem& b) {
        return std::tie(a.file, a.mark.line, a.mark.column) <
               std::tie(b.file, b.mark.line, b.mark.column);
    });
    std::string out;
    for (const Problem& problem : sorted) out += problem.line() + "\n";
    if (count_ > kept_.size()) {
        out += "... and " + std::to_string(count_ - kept_.size()) + " more problems\n";
    }
    return out;
}

}  // namespace weir

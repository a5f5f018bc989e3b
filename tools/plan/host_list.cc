// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "config/units.h"
#include "tools/plan/input.h"

namespace weir::plan {

namespace {

constexpr std::uint64_t kNumberMax = 999'999;
constexpr std::size_t kHostsMax = 65'536;

std::string padded(std::uint64_t number, std::size_t digits) {
    std::string text = std::to_string(number);
    return std::string(digits > text.size() ? digits - text.size() : 0, '0') + text;
}

// "01-03" or "7". False: neither.
bool add_range(std::string_view range, std::string_view before, std::string_view behind,
               std::vector<std::string>& out) {
    const std::size_t dash = range.find('-');
    const std::string_view low = range.substr(0, dash);
    const std::string_view high = dash == std::string_view::npos ? low : range.substr(dash + 1);
    const auto digits = [](std::string_view text) {
        return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
    };
    if (!digits(low) || !digits(high) || low.size() > 6 || high.size() > 6) return false;
    const std::uint64_t first = std::stoull(std::string(low));
    const std::uint64_t last = std::stoull(std::string(high));
    if (first > last || last > kNumberMax || out.size() + last - first >= kHostsMax) return false;
    for (std::uint64_t n = first; n <= last; ++n) {
        out.push_back(std::string(before) + padded(n, low.size()) + std::string(behind));
    }
    return true;
}

}  // namespace

std::vector<std::string> expand_hosts(std::string_view text) {
    const std::size_t open = text.find('[');
    if (open == std::string_view::npos) return {std::string(text)};
    const std::size_t close = text.find(']', open);
    if (close == std::string_view::npos) return {};
    std::vector<std::string> out;
    std::string_view ranges = text.substr(open + 1, close - open - 1);
    while (true) {
        const std::size_t comma = ranges.find(',');
        if (!add_range(ranges.substr(0, comma), text.substr(0, open), text.substr(close + 1),
                       out)) {
            return {};
        }
        if (comma == std::string_view::npos) return out;
        ranges.remove_prefix(comma + 1);
    }
}

}  // namespace weir::plan

// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/console/text_table.h"

#include <algorithm>

namespace weir {

TextTable::TextTable(const std::vector<std::string>& titles) {
    std::vector<std::string> row;
    for (const std::string& title : titles) {
        right_.push_back(title.starts_with('>'));
        row.push_back(right_.back() ? title.substr(1) : title);
    }
    rows_.push_back(std::move(row));
}

void TextTable::add(std::vector<std::string> row) {
    row.resize(right_.size());
    rows_.push_back(std::move(row));
}

std::string TextTable::text() const {
    std::vector<std::size_t> widths(right_.size(), 0);
    for (const auto& row : rows_) {
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    std::string text;
    for (const auto& row : rows_) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string fill(widths[i] - row[i].size(), ' ');
            line += "  " + (right_[i] ? fill + row[i] : row[i] + fill);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + '\n';
    }
    return text;
}

std::string thousandths(std::uint64_t value, std::uint64_t unit) {
    // The rest is below the unit: no overflow for units up to 1.8 * 10^16.
    std::string decimals = std::to_string(value % unit * 1000 / unit);
    decimals.insert(0, 3 - decimals.size(), '0');
    return std::to_string(value / unit) + '.' + decimals;
}

}  // namespace weir

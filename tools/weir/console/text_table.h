// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weir {

// Columns of text, as wide as their widest cell, two blanks between and before. A title that begins
// with '>' sets its column to the right (numbers).
class TextTable {
  public:
    explicit TextTable(const std::vector<std::string>& titles);
    void add(std::vector<std::string> row);
    [[nodiscard]] bool empty() const { return rows_.size() == 1; }
    [[nodiscard]] std::string text() const;

  private:
    std::vector<bool> right_;
    std::vector<std::vector<std::string>> rows_;
};

// "12.345": `value / unit` with three decimals, rounded down.
[[nodiscard]] std::string thousandths(std::uint64_t value, std::uint64_t unit);

}  // namespace weir

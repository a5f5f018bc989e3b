// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weir {

// "text" in quotes, whatever bytes it holds: what is no UTF-8 becomes U+FFFD.
[[nodiscard]] std::string json_string(std::string_view text);

// One JSON object on one line.
class JsonLine {
  public:
    JsonLine& add(std::string_view name, std::string_view text);
    JsonLine& add(std::string_view name, std::uint64_t number);
    // {"...":...} and a line end.
    [[nodiscard]] std::string text() const { return '{' + members_ + "}\n"; }

  private:
    void add_name(std::string_view name);

    std::string members_;
};

}  // namespace weir

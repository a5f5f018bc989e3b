// SPDX-License-Identifier: BSD-3-Clause
// What all HTML pages of reports have around them. A page needs nothing else: no script, no font
// or file from outside.
#pragma once

#include <string>
#include <string_view>

namespace weir::lab {

// Up to and with the heading; page_end() follows the contents.
[[nodiscard]] std::string page_head(std::string_view title);
[[nodiscard]] std::string_view page_end();

}  // namespace weir::lab

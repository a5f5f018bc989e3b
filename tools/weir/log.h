// SPDX-License-Identifier: BSD-3-Clause
// The control thread's log lines, on stderr. Workers never log.
#pragma once

#include <functional>
#include <string_view>

namespace weir {

void log_info(std::string_view text);
void log_warning(std::string_view text);

// Who shows the lines instead, while a terminal's prompt is in the way; null: stderr again.
void set_log_outlet(std::function<void(std::string_view line)> outlet);

}  // namespace weir

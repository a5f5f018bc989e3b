// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "config/compile.h"

namespace weir {

// Groups, marking and scheduler of one port; nothing where all is as without PFC.
[[nodiscard]] std::string lossless_port_lines(const Settings& settings,
                                              const CompiledTables& compiled, std::size_t port);
[[nodiscard]] std::string buffer_line(const CompiledTables& compiled);

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "config/compile.h"
#include "config/settings.h"

namespace weir {

// What settings became, for `weir --check FILE` and `show config`.
[[nodiscard]] std::string describe(const Settings& settings, const CompiledTables& compiled);

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/compile.h"

namespace weir {

// Failure notices (NoticeSettings) and the prefixes that they name. `out` has its routes and
// prefixes.
void compile_destinations(const Settings& settings, CompiledTables& out);

}  // namespace weir

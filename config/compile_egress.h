// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/compile.h"

namespace weir {

// Scheduler, marking and shaper of each port; after its PortTable.
void compile_egress(const Settings& settings, CompiledTables& out);

}  // namespace weir

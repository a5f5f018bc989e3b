// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/compile.h"
#include "config/port_index.h"

namespace weir {

// Gateways, next-hop sets, routes and the two tries.
void compile_routes(const Settings& settings, const PortIndex& index,
                    const CompiledTables* previous, CompiledTables& out);

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>

#include "config/compile.h"
#include "config/port_index.h"

namespace weir {

// Gives a gateway its index into Tables::gateways.
using GatewayOf = std::function<std::uint32_t(PortId, const IpAddress&)>;

// Path tables. A rule keeps the number that it has in `previous`, and with it its counters.
void compile_paths(const Settings& settings, const PortIndex& ports, const GatewayOf& gateway_of,
                   const CompiledTables* previous, CompiledTables& out);

}  // namespace weir

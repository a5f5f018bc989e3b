// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/compile.h"
#include "config/port_index.h"

namespace weir {

// What keeps pauses from lasting for ever, and a full RX ring from losing frames.
void compile_guards(const Settings& settings, const PortFacts& facts, const PortIndex& index,
                    Tables& out);

}  // namespace weir

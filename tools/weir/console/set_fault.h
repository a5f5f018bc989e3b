// SPDX-License-Identifier: BSD-3-Clause
// `set port PORT fault ...`: a bad cable or a misbehaving peer, for experiments.
#pragma once

#include "tools/weir/console/command_table.h"

namespace weir {

[[nodiscard]] Reply set_fault(const Arguments& arguments, const Snapshot& snapshot);
[[nodiscard]] Reply set_fault_none(const Arguments& arguments, const Snapshot& snapshot);
[[nodiscard]] Reply set_pause_storm(const Arguments& arguments, const Snapshot& snapshot);

// "loss 1%, delay 10us, pause-storm 3"; empty: the port is as it should be.
[[nodiscard]] std::string fault_text(const PortFaultSettings& fault, std::uint8_t forced_pauses);

}  // namespace weir

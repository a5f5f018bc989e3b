// SPDX-License-Identifier: BSD-3-Clause
// From settings to what the data plane is opened with, and from its devices to what tables are
// compiled with.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "config/compile.h"
#include "config/settings.h"
#include "dataplane/run/dataplane.h"

namespace weir {

// One process with all these switches; `eal` is what the command line says before "--".
[[nodiscard]] DataplaneOptions dataplane_options(std::span<const Settings* const> switches,
                                                 const std::vector<std::string>& eal);

[[nodiscard]] PortFacts port_facts(const SwitchRecord& record);

}  // namespace weir

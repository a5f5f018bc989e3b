// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/yaml_value.h"
#include "tools/lab/experiment.h"

namespace weir::lab {

// What is wrong with the `fabric` of a file becomes a problem. False: it cannot even be drawn.
[[nodiscard]] bool check_fabric(const FabricSettings& fabric, const Value::Source& source);

}  // namespace weir::lab

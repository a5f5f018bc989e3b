// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/yaml_value.h"
#include "tools/lab/experiment.h"

namespace weir::lab {

void read_fabric(const Value& value, FabricSettings& target);

}  // namespace weir::lab

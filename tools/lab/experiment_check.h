// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/yaml_value.h"
#include "tools/lab/experiment.h"

namespace weir::lab {

// What no single value can tell: names that are known, sizes that fit, jobs that can run.
void check_experiment(const Experiment& experiment, const Value::Source& source);

}  // namespace weir::lab

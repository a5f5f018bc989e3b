// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/yaml_value.h"
#include "tools/plan/input.h"

namespace weir::plan {

// Fills in `jobs` from `job_inputs`: finds their hosts in the topology. What is wrong becomes a
// problem of the file.
void make_jobs(Input& input, const Value::Source& source);

}  // namespace weir::plan

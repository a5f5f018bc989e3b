// SPDX-License-Identifier: BSD-3-Clause
// The parts of the file about paths: rules, plans, selectors.
#pragma once

#include <string>
#include <vector>

#include "config/document.h"
#include "config/problem.h"
#include "config/settings.h"
#include "config/yaml_value.h"

namespace weir {

void read_paths(const Value& value, std::vector<PathSettings>& target);
void read_plan(const Value& value, PlanSettings& target);
void read_flowlet(const Value& value, FlowletSettings& target);
// False: it is a problem.
bool read_selector(const Value& value, Selector& target);

// The file that `paths_file` names: `plan` and `paths`, nothing else.
[[nodiscard]] PlanFileSettings read_plan_file(const std::string& file, const Document& document,
                                              Problems& problems);

}  // namespace weir

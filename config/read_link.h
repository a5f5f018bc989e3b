// SPDX-License-Identifier: BSD-3-Clause
// The part of the file that says how a port's link is watched.
#pragma once

#include "config/settings.h"
#include "config/yaml_value.h"

namespace weir {

// `link: 10.0.1.2` is short for `link: {peer: 10.0.1.2}`.
void read_link(const Value& value, LinkSettings& target);

}  // namespace weir

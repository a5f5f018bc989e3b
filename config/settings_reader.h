// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "config/document.h"
#include "config/problem.h"
#include "config/settings.h"

namespace weir {

// Takes the settings out of a document. Keys, kinds, units and ranges of single values are checked
// here; what several values mean together is validate()'s.
[[nodiscard]] Settings read_settings(const std::string& file, const Document& document,
                                     Problems& problems);

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace weir {

// Removes a UNIX socket that nobody listens on any more: a process that was killed leaves it, and
// the next one could not bind to its name. Anything else at that path is left alone.
void remove_stale_socket(const std::string& path);

}  // namespace weir

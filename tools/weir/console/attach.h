// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace weir {

// `weir --attach PATH`: the console of a switch that runs elsewhere on this machine. With
// `commands`, runs those; otherwise reads a terminal, or lines until the end of stdin. Returns the
// exit status: 0, 1 when a command failed, 2 when there is no switch or it went away.
[[nodiscard]] int attach(const std::string& path, const std::vector<std::string>& commands);

}  // namespace weir

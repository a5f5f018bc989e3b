// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "tools/weir/console/reply.h"
#include "tools/weir/running.h"

namespace weir {

// Applies what changed in the switch's file, or in another one (`file` not empty), to the running
// switch. All or nothing: a file with problems, or one that asks for what cannot change live,
// changes nothing, and the answer says line by line why.
[[nodiscard]] Reply reload(Running& running, std::size_t switch_index, const std::string& file);

// Applies an edit of the settings in use, by the same rules. It lasts until a file is loaded.
[[nodiscard]] Reply change_settings(Running& running, std::size_t switch_index,
                                    const std::function<void(Settings&)>& edit);

}  // namespace weir

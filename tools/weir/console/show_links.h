// SPDX-License-Identifier: BSD-3-Clause
// Links: what is shown of them, and what an operator may do to them.
#pragma once

#include "tools/weir/console/pattern.h"
#include "tools/weir/console/reply.h"
#include "tools/weir/console/snapshot.h"

namespace weir {

[[nodiscard]] Reply show_links(const Arguments& arguments, const Snapshot& snapshot);
[[nodiscard]] Reply set_link(const Arguments& arguments, const Snapshot& snapshot);

}  // namespace weir

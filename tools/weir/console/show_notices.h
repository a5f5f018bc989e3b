// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tools/weir/console/pattern.h"
#include "tools/weir/console/reply.h"
#include "tools/weir/console/snapshot.h"

namespace weir {

[[nodiscard]] Reply show_notices(const Arguments& arguments, const Snapshot& snapshot);

}  // namespace weir

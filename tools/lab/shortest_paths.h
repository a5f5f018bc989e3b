// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tools/lab/topology.h"

namespace weir::lab {

// By switch: the ports that lead to `to` by a shortest way over switches; none at `to` itself and
// where there is no way.
[[nodiscard]] std::vector<std::vector<PortId>> ports_towards(const Topology& topology, NodeId to);

}  // namespace weir::lab

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "tools/weir/console/pattern.h"
#include "tools/weir/console/reply.h"
#include "tools/weir/console/snapshot.h"

namespace weir {

[[nodiscard]] Reply show_routes(const Arguments& arguments, const Snapshot& snapshot);
[[nodiscard]] Reply show_neighbors(const Arguments& arguments, const Snapshot& snapshot);
[[nodiscard]] Reply show_mac(const Arguments& arguments, const Snapshot& snapshot);

[[nodiscard]] std::string_view neighbor_state_text(NeighborState state);
[[nodiscard]] std::string_view route_kind_text(RouteKind kind);
[[nodiscard]] std::string next_hop_text(const NextHopView& hop, const Snapshot& snapshot);

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "dataplane/core/parse.h"
#include "dataplane/core/shard_state.h"

namespace weir {

// IPv4 and IPv6 forwarding on a routed port: RFC 1812 section 5.2, RFC 8200.
void route_burst(ShardState& state, Time now, PortId in_port, std::span<Frame> burst,
                 std::span<const Parsed> parsed, Effects& out);

// The route of a destination as it stands in the frame's IP header; routes[0] when there is none.
[[nodiscard]] const Route& find_route(const Tables& tables, const Frame& frame,
                                      const Parsed& parsed);

// Why the addresses or the header of an IP frame forbid to route it; kCount when nothing does.
[[nodiscard]] DropReason check_ip_header(const Frame& frame, const Parsed& parsed);

}  // namespace weir

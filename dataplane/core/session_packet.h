// SPDX-License-Identifier: BSD-3-Clause
// A session's packets as frames: RFC 5881, over IPv4 and IPv6.
#pragma once

#include "dataplane/core/bfd.h"
#include "dataplane/core/effects.h"
#include "dataplane/core/parse.h"
#include "dataplane/core/tables.h"

namespace weir {

// Reads a frame whose UDP destination port is kBfdUdpPort, for the link of its ingress port. What
// only the session can judge is not judged here.
[[nodiscard]] BfdDiscard read_session_packet(const Tables& tables, const Frame& frame,
                                             const Parsed& parsed, BfdPacket& packet);

// Writes a packet for the peer of the port's link. `rewrite`: destination and source MAC.
void write_session_packet(const Tables& tables, PortId port, const std::uint8_t* rewrite,
                          const BfdPacket& packet, OwnFrame& own);

}  // namespace weir

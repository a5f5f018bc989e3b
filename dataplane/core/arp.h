// SPDX-License-Identifier: BSD-3-Clause
// ARP for IPv4 over Ethernet: RFC 826, and RFC 5227 for probes and announcements.
#pragma once

#include "dataplane/core/parse.h"
#include "dataplane/core/shard_state.h"

namespace weir {

// An ARP frame arrived on a routed port. A request for one of the port's addresses becomes the
// reply, in place; everything else ends here. Who speaks to us is remembered; who only speaks is
// updated if known.
void arp_heard(ShardState& state, Time now, Frame& frame, const Parsed& parsed, Effects& out);

// Asks who has the neighbor's address: everybody, or the neighbor itself while its MAC is known.
// There must be room in out.own.
void send_arp_request(const ShardState& state, const Neighbor& neighbor, Effects& out);

}  // namespace weir

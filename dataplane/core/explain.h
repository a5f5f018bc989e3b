// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dataplane/core/hook.h"
#include "dataplane/core/neighbor_table.h"
#include "dataplane/core/parse.h"
#include "dataplane/core/router.h"
#include "dataplane/core/shard.h"

namespace weir {

// What happens to a frame, step by step, found by the functions that the frame path itself uses.
// Steps that were not reached keep their defaults.
struct Explanation {
    enum class Outcome : std::uint8_t {
        Dropped,    // `reason`
        ForSwitch,  // address resolution, or one of our own addresses
        Flooded,    // to `flood_ports`
        Bridged,    // to out_port
        Routed,     // to out_port
    };
    Outcome outcome = Outcome::Dropped;
    DropReason reason = DropReason::kCount;
    Parsed parsed;
    Priority priority = 0;
    bool routed_port = false;

    // Bridge.
    VlanId vlan = 0;
    bool vlan_member = false;
    PortSet flood_ports;

    // Router.
    std::uint32_t route_index = 0;
    Route route;
    PathChoice choice;
    std::uint32_t first_choice = kNoMember;  // the member that the hash names when all ports are up
    std::uint32_t gateway = kNoGateway;

    Hook hook = Hook::None;
    HookMove move;  // of the hook

    // Egress, both.
    PortId out_port = kNoPort;
    ShardId egress_shard = 0;
    // Filled in by explain_neighbor() on the shard that owns out_port.
    NeighborState neighbor_state = NeighborState::Free;
    IpAddress neighbor_address;
    MacAddress destination_mac;
    MacAddress source_mac;
};

// What would happen to `frame` (data, length and readable set) if it arrived on `in_port` of this
// shard now. Changes nothing.
[[nodiscard]] Explanation explain(const Shard& shard, Time now, PortId in_port, Frame frame);

// The neighbor that a Routed frame would be sent to; `shard` owns explanation.out_port.
void explain_neighbor(const Shard& shard, const Frame& frame, Explanation& explanation);

}  // namespace weir

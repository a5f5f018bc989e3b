// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "dataplane/core/parse.h"
#include "dataplane/core/shard_state.h"

namespace weir {

// The VLAN of a frame on `port`: its tag's VID, or the port's native VLAN for untagged and
// priority-tagged ones.
[[nodiscard]] inline VlanId vlan_of(const PortTable& port, const Parsed& parsed) {
    const VlanId vid = parsed.tag & 0x0fff;  // 0 as well when there is no tag
    return vid != 0 ? vid : port.native_vlan;
}

[[nodiscard]] inline const PortSet& vlan_members(const Tables& tables, VlanId vlan) {
    return tables.vlans[tables.vlan_index[vlan]].members;
}

// The ports that a frame of `vlan` from `in_port` is flooded to: the other usable members.
[[nodiscard]] inline PortSet flood_ports(const ShardState& state, PortId in_port, VlanId vlan) {
    PortSet ports = vlan_members(*state.tables, vlan) & state.ports_up;
    ports.remove(in_port);
    return ports;
}

// Where a bridged frame goes: a port that is up, or kNoPort for flooding.
[[nodiscard]] PortId bridge_lookup(const ShardState& state, MacAddress destination, VlanId vlan);

// The learning bridge (802.1Q clause 8): learns the source, and forwards within the VLAN to where
// the destination was learned, or to all other members. Chooses the egress port of each frame;
// those that end here or are to be copied are taken out of the burst: how many are left to be held
// and sent.
[[nodiscard]] std::size_t bridge_burst(ShardState& state, Time now, PortId in_port,
                                       std::span<Frame> burst, std::span<const Parsed> parsed,
                                       Effects& out);

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/bridge.h"

#include "dataplane/core/control.h"
#include "dataplane/core/hold.h"
#include "dataplane/core/wire.h"

namespace weir {

namespace {

void learn(ShardState& state, Time now, PortId port, std::uint64_t key, Effects& out) {
    const Interval ageing = state.tables->mac_ageing;
    switch (state.macs.learn(now, key, port, ageing)) {
        case MacTable::Learned::Known:
            return;
        case MacTable::Learned::Full: {
            state.counters[port].mac_table_full.add(1);
            return;
        }
        case MacTable::Learned::New:
        case MacTable::Learned::Moved:
        case MacTable::Learned::Refreshed:
            out.messages.push({key, port, ShardMessageKind::MacLearned});
    }
}

// To every other usable member of the VLAN. True: there is just one, and the frame itself goes
// there.
bool flood(ShardState& state, PortId in_port, Frame& frame, Effects& out) {
    const PortSet ports = flood_ports(state, in_port, frame.vlan);
    const unsigned count = ports.size();
    if (count == 0) {
        drop(state, in_port, DropReason::NoOtherPortInVlan, frame, out);
        return false;
    }
    if (count > 1) {
        if (hold(state, frame, count, out)) out.floods.push({frame, ports});
        return false;
    }
    ports.for_each([&](PortId port) { frame.out_port = port; });
    return true;
}

// MAC control, and what may not be bridged. True: the frame goes on, in frame.vlan.
bool admit_to_vlan(ShardState& state, Time now, PortId in_port, Frame& frame, const Parsed& parsed,
                   Effects& out) {
    if (parsed.kind == FrameKind::MacControl) [[unlikely]] {
        mac_control_heard(state, now, in_port, frame, parsed, out);
        return false;
    }
    frame.vlan = vlan_of(state.tables->ports[in_port], parsed);
    DropReason refused = check_header(state, in_port, frame, parsed);
    if (refused == DropReason::kCount && !vlan_members(*state.tables, frame.vlan).has(in_port)) {
        refused = DropReason::VlanNotMember;
    }
    if (refused == DropReason::kCount) [[likely]]
        return true;
    drop(state, in_port, refused, frame, out);
    return false;
}

// True: the frame goes to frame.out_port.
bool bridge_frame(ShardState& state, PortId in_port, Frame& frame, Effects& out) {
    frame.gateway = kNoGateway;
    frame.out_port = bridge_lookup(state, read_mac(frame.data), frame.vlan);
    if (frame.out_port == kNoPort) return flood(state, in_port, frame, out);
    if (frame.out_port != in_port) [[likely]]
        return true;
    drop(state, in_port, DropReason::DestinationOnIngressPort, frame, out);
    return false;
}

}  // namespace

PortId bridge_lookup(const ShardState& state, MacAddress destination, VlanId vlan) {
    if (destination.is_group()) return kNoPort;
    const std::uint64_t key = mac_key(destination, vlan);
    PortId port = kNoPort;
    if (!state.tables->static_macs.empty()) {
        const MacSlot* slot = find_mac(state.tables->static_macs, key);
        if (slot != nullptr) port = slot->port;
    }
    if (port == kNoPort) port = state.macs.find(key);
    // Behind a port that went down, or left the VLAN, the host may be found elsewhere.
    if (port == kNoPort || !state.ports_up.has(port)) return kNoPort;
    return vlan_members(*state.tables, vlan).has(port) ? port : kNoPort;
}

std::size_t bridge_burst(ShardState& state, Time now, PortId in_port, std::span<Frame> burst,
                         std::span<const Parsed> parsed, Effects& out) {
    std::uint64_t learned = 0;  // the key of the frame before: bursts come from few sources
    std::size_t kept = 0;
    for (std::size_t i = 0; i < burst.size(); ++i) {
        Frame& frame = burst[i];
        if (!admit_to_vlan(state, now, in_port, frame, parsed[i], out)) continue;
        const MacAddress source = read_mac(frame.data + kMacBytes);
        const std::uint64_t key = mac_key(source, frame.vlan);
        if (key != learned && !source.is_zero()) {
            learn(state, now, in_port, key, out);
            learned = key;
        }
        if (!bridge_frame(state, in_port, frame, out)) continue;
        if (kept != i) burst[kept] = frame;
        ++kept;
    }
    return kept;
}

}  // namespace weir

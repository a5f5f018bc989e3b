// SPDX-License-Identifier: BSD-3-Clause
// The last step of a frame's way through a shard: its header becomes final and it is queued.
#include "dataplane/core/send.h"

#include <cstring>

#include "dataplane/core/protocols.h"
#include "dataplane/core/resolve.h"
#include "dataplane/core/wire.h"

namespace weir {

namespace {

// Counts TTL or hop limit down by one. IPv4's checksum changes by the same amount in one's
// complement: the TTL is the upper byte of its 16-bit word (RFC 1624; here HC' = HC + 0x0100 with
// end-around carry).
inline void count_down_ttl(Frame& frame) {
    std::uint8_t* ip = frame.data + l3_offset(frame);
    if ((frame.flags & frame_flags::kIpv4) != 0) [[likely]] {
        --ip[8];
        const std::uint32_t sum = std::uint32_t{read_be16(ip + 10)} + 0x0100;
        write_be16(ip + 10, static_cast<std::uint16_t>(sum + (sum >= 0xffff ? 1 : 0)));
    } else {
        --ip[7];
    }
}

IpAddress destination_of(const Frame& frame) {
    const std::uint8_t* ip = frame.data + l3_offset(frame);
    return (frame.flags & frame_flags::kIpv4) != 0 ? read_ipv4(ip + 16) : read_ipv6(ip + 24);
}

// The neighbor a routed frame goes to, or kNoNeighbor with the reason why there is none.
std::uint32_t neighbor_of(ShardState& state, const Frame& frame, DropReason& reason) {
    if (frame.gateway != kGatewayIsDestination) [[likely]] {
        // A reload may have moved the gateway while the frame was in a hand-off ring.
        reason = DropReason::NoUsableNextHop;
        if (frame.gateway >= state.tables->gateways.size()) return kNoNeighbor;
        if (state.tables->gateways[frame.gateway].port != frame.out_port) return kNoNeighbor;
        return state.gateway_neighbors[frame.gateway];
    }
    reason = DropReason::NeighborTableFull;
    return state.neighbors.find_or_add(frame.out_port, destination_of(frame));
}

void push_tag(Frame& frame) {
    std::memmove(frame.data - kVlanTagBytes, frame.data, 2 * kMacBytes);
    frame.data -= kVlanTagBytes;
    frame.length = static_cast<std::uint16_t>(frame.length + kVlanTagBytes);
    frame.readable = static_cast<std::uint16_t>(frame.readable + kVlanTagBytes);
    write_be16(frame.data + 12, kEtherTypeVlan);
    write_be16(frame.data + 14, static_cast<std::uint16_t>((frame.priority << 13) | frame.vlan));
    frame.flags |= frame_flags::kTagged | frame_flags::kMoved;
}

void pop_tag(Frame& frame) {
    std::memmove(frame.data + kVlanTagBytes, frame.data, 2 * kMacBytes);
    frame.data += kVlanTagBytes;
    frame.length = static_cast<std::uint16_t>(frame.length - kVlanTagBytes);
    frame.readable = static_cast<std::uint16_t>(frame.readable - kVlanTagBytes);
    frame.flags &= static_cast<std::uint8_t>(~frame_flags::kTagged);
    frame.flags |= frame_flags::kMoved;
}

// The frame's tag becomes what its egress port wants: none in the native VLAN, the VID elsewhere. A
// priority tag (VID 0) and its PCP are kept.
inline void fit_tag(const PortTable& port, Frame& frame) {
    const bool native = frame.vlan == port.native_vlan;
    if ((frame.flags & frame_flags::kTagged) == 0) {
        if (!native) push_tag(frame);
        return;
    }
    const std::uint16_t tag = read_be16(frame.data + 14);
    const bool priority_tag = (tag & 0x0fff) == 0;
    if (native && !priority_tag && !port.transparent) pop_tag(frame);
    if (!native && priority_tag) {
        write_be16(frame.data + 14, static_cast<std::uint16_t>(tag | frame.vlan));
    }
}

}  // namespace

void send(ShardState& state, const Frame& frame, Effects& out) {
    const PortId port = frame.out_port;
    if (!state.ports_up.has(port)) [[unlikely]] {
        return drop(state, port, DropReason::PortDown, frame, out);
    }
    switch (state.egress.push(frame, state.tables->queue_bytes_max)) {
        [[likely]] case Egress::Enqueue::Queued : return;
        case Egress::Enqueue::QueueFull:
            return drop(state, port, DropReason::QueueFull, frame, out);
        case Egress::Enqueue::MemoryExhausted:
            return drop(state, port, DropReason::QueueMemoryExhausted, frame, out);
    }
}

void send_routed(ShardState& state, Time now, Frame& frame, Effects& out) {
    DropReason reason{};
    const std::uint32_t slot = neighbor_of(state, frame, reason);
    if (slot == kNoNeighbor) [[unlikely]]
        return drop(state, frame.out_port, reason, frame, out);
    Neighbor& neighbor = state.neighbors.at(slot);
    if (!neighbor.resolved()) [[unlikely]] {
        return wait_for_neighbor(state, now, slot, frame, out);
    }
    if (!neighbor.used) neighbor.used = true;
    std::memcpy(frame.data, neighbor.rewrite.data(), neighbor.rewrite.size());
    count_down_ttl(frame);
    send(state, frame, out);
}

void send_bridged(ShardState& state, Frame& frame, Effects& out) {
    const PortTable& port = state.tables->ports[frame.out_port];
    fit_tag(port, frame);
    if (frame.length > port.frame_bytes_max) [[unlikely]] {
        return drop(state, frame.out_port, DropReason::FrameTooLongForPort, frame, out);
    }
    send(state, frame, out);
}

void send_or_hand_off(ShardState& state, Time now, Frame& frame, Effects& out) {
    const ShardId shard = state.tables->ports[frame.out_port].shard;
    if (shard != state.id) {
        out.hand_offs[shard].push(frame);
    } else if (frame.gateway != kNoGateway) {
        send_routed(state, now, frame, out);
    } else {
        send_bridged(state, frame, out);
    }
}

}  // namespace weir

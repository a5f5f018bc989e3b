// SPDX-License-Identifier: BSD-3-Clause
// The last step of a frame's way through a shard: its header becomes final and it is queued.
#include "dataplane/core/send.h"

#include <cstring>

#include "dataplane/core/hold.h"
#include "dataplane/core/protocols.h"
#include "dataplane/core/reroute.h"
#include "dataplane/core/resolve.h"
#include "dataplane/core/wire.h"

namespace weir {

namespace {

inline void count_down_ttl(Frame& frame) {
    std::uint8_t* ip = frame.data + l3_offset(frame);
    if ((frame.flags & frame_flags::kIpv4) != 0) [[likely]] {
        count_down_ttl_ipv4(ip);
    } else {
        --ip[7];
    }
}

IpAddress destination_of(const Frame& frame) {
    const std::uint8_t* ip = frame.data + l3_offset(frame);
    return (frame.flags & frame_flags::kIpv4) != 0 ? read_ipv4(ip + 16) : read_ipv6(ip + 24);
}

inline std::uint32_t neighbor_of(ShardState& state, const Frame& frame) {
    if (frame.gateway != kGatewayIsDestination) [[likely]] {
        return state.gateway_neighbors[frame.gateway];
    }
    return state.neighbors.find_or_add(frame.out_port, destination_of(frame));
}

void push_tag(Frame& frame) {
    std::memmove(frame.data - kVlanTagBytes, frame.data, 2 * kMacBytes);
    frame.data -= kVlanTagBytes;
    frame.length = static_cast<std::uint16_t>(frame.length + kVlanTagBytes);
    frame.readable = static_cast<std::uint16_t>(frame.readable + kVlanTagBytes);
    write_be16(frame.data + 12, kEtherTypeVlan);
    write_be16(frame.data + 14, static_cast<std::uint16_t>((frame.priority << 13) | frame.vlan));
    frame.flags |= frame_flags::kTagged | frame_flags::kMoved | frame_flags::kTagPushed;
}

void pop_tag(Frame& frame) {
    std::memmove(frame.data + kVlanTagBytes, frame.data, 2 * kMacBytes);
    frame.data += kVlanTagBytes;
    frame.length = static_cast<std::uint16_t>(frame.length - kVlanTagBytes);
    frame.readable = static_cast<std::uint16_t>(frame.readable - kVlanTagBytes);
    frame.flags &= static_cast<std::uint8_t>(~frame_flags::kTagged);
    frame.flags |= frame_flags::kMoved | frame_flags::kTagPopped;
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

constexpr Bytes kNoLimit = ~Bytes{0};

// A lossless frame is never dropped for its queue's length: its group's account has bounded it
// already.
Bytes queue_limit(const ShardState& state, const Frame& frame) {
    if ((frame.flags & frame_flags::kOwn) != 0) return kOwnQueueBytesMax;
    const GroupId group = group_of(frame.in_port, frame.priority);
    return state.buffer.profile(group).lossless ? kNoLimit : state.tables->queue_bytes_max;
}

// Frames without ECT on a lossy priority are dropped where ECT ones would be marked (RFC 3168
// section 7).
bool dropped_early(ShardState& state, const Frame& frame) {
    const EgressTable& table = state.tables->egress[frame.out_port];
    if (((table.ecn_priorities >> frame.priority) & 1) == 0) return false;
    if ((frame.flags & frame_flags::kOwn) != 0 || ecn_of(frame) != Ecn::NotEct) return false;
    const Bytes depth =
        state.egress.queues().at(frame.out_port, frame.priority).bytes + frame.length;
    const std::uint32_t probability = mark_per_64k(table.ecn[frame.priority], depth);
    return probability != 0 && state.prng.below(65'536) < probability;
}

// The queue is long enough for limits to matter, or needs another block.
void send_carefully(ShardState& state, const Frame& frame, Effects& out) {
    const PortId port = frame.out_port;
    const bool own = (frame.flags & frame_flags::kOwn) != 0;
    if (!own && (state.dropping[port] & bit_of(frame.priority)) != 0) [[unlikely]] {
        return drop_in_storm(state, frame, out);
    }
    const Bytes limit = queue_limit(state, frame);
    if (limit != kNoLimit && dropped_early(state, frame)) {
        return drop_held(state, port, DropReason::EarlyDrop, frame, out);
    }
    switch (state.egress.queues().push(frame, limit)) {
        case EgressQueues::Pushed::Queued:
            return;
        case EgressQueues::Pushed::QueueFull:
            return drop_held(state, port, DropReason::QueueFull, frame, out);
        case EgressQueues::Pushed::MemoryExhausted:
            return drop_held(state, port, DropReason::QueueMemoryExhausted, frame, out);
    }
}

inline void queue(ShardState& state, const Frame& frame, Effects& out) {
    if (!state.ports_up.has(frame.out_port)) [[unlikely]] {
        return drop_held(state, frame.out_port, DropReason::PortDown, frame, out);
    }
    EgressQueues& queues = state.egress.queues();
    EgressQueue& to = queues.at(frame.out_port, queue_of(frame));
    if (!EgressQueues::fits_freely(to, frame.length)) [[unlikely]]
        return send_carefully(state, frame, out);
    queues.append(to, frame.length) = frame;
}

inline void rewrite_and_queue(ShardState& state, Time now, Frame& frame, Effects& out) {
    const std::uint32_t slot = neighbor_of(state, frame);
    if (slot == kNoNeighbor) [[unlikely]] {
        return drop_held(state, frame.out_port, DropReason::NeighborTableFull, frame, out);
    }
    Neighbor& neighbor = state.neighbors.at(slot);
    if (!neighbor.resolved()) [[unlikely]] {
        return wait_for_neighbor(state, now, slot, frame, out);
    }
    if (!neighbor.used) neighbor.used = true;
    std::memcpy(frame.data, neighbor.rewrite.data(), neighbor.rewrite.size());
    count_down_ttl(frame);
    queue(state, frame, out);
}

// A reload may have changed what a gateway index means while the frame was in a hand-off ring.
bool gateway_is_stale(const ShardState& state, const Frame& frame) {
    if (frame.gateway == kGatewayIsDestination) return false;
    if (frame.gateway >= state.tables->gateways.size()) return true;
    return state.tables->gateways[frame.gateway].port != frame.out_port;
}

// The port was lost while the frame was in a hand-off ring.
void send_elsewhere(ShardState& state, Time now, Frame& frame, Effects& out) {
    const PortId lost = frame.out_port;
    if (!choose_again(state, now, frame)) {
        return drop_held(state, lost, DropReason::NoUsableNextHop, frame, out);
    }
    state.counters[lost].rerouted_frames.add(1);
    send_burst(state, now, {&frame, 1}, out);
}

}  // namespace

void send(ShardState& state, const Frame& frame, Effects& out) {
    queue(state, frame, out);
}

void send_own(ShardState& state, Frame frame, Effects& out) {
    frame.flags |= frame_flags::kOwn;
    frame.gateway = kNoGateway;
    queue(state, frame, out);
}

void send_routed(ShardState& state, Time now, Frame& frame, Effects& out) {
    rewrite_and_queue(state, now, frame, out);
}

void send_bridged(ShardState& state, Frame& frame, Effects& out) {
    const PortTable& port = state.tables->ports[frame.out_port];
    fit_tag(port, frame);
    if (frame.length > port.frame_bytes_max) [[unlikely]] {
        return drop_held(state, frame.out_port, DropReason::FrameTooLongForPort, frame, out);
    }
    queue(state, frame, out);
}

void send_burst(ShardState& state, Time now, std::span<Frame> burst, Effects& out) {
    for (Frame& frame : burst) {
        const ShardId shard = state.tables->ports[frame.out_port].shard;
        if (shard != state.id) [[unlikely]] {
            out.hand_offs[shard].push(frame);
        } else if (frame.gateway != kNoGateway) {
            rewrite_and_queue(state, now, frame, out);
        } else {
            send_bridged(state, frame, out);
        }
    }
}

void send_handed_over(ShardState& state, Time now, std::span<const Frame> burst, Effects& out) {
    for (const Frame& handed_over : burst) {
        Frame frame = handed_over;
        if (frame.gateway == kNoGateway) {
            send_bridged(state, frame, out);
        } else if (gateway_is_stale(state, frame)) {
            drop_held(state, frame.out_port, DropReason::NoUsableNextHop, frame, out);
        } else if (!state.usable.has(frame.out_port) && may_move(frame)) {
            send_elsewhere(state, now, frame, out);
        } else {
            rewrite_and_queue(state, now, frame, out);
        }
    }
}

}  // namespace weir

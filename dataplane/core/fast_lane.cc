// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/fast_lane.h"

#include <array>
#include <cstring>

#include "dataplane/core/checksum.h"
#include "dataplane/core/hold.h"
#include "dataplane/core/plain_roce.h"
#include "dataplane/core/router.h"
#include "dataplane/core/send.h"

namespace weir {

namespace {

inline FlowKey key_of(const std::uint8_t* data, PortId in_port, std::uint32_t mask) {
    FlowKey key;
    key.addresses = read_be64(data + plain::kIp + 12);
    key.ports = read_be32(data + plain::kUdp);
    key.dest_qp = read_be32(data + plain::kBth + kBthDestQpOffset - 1) & mask;
    key.in_port = in_port;
    return key;
}

inline std::uint32_t qp_mask(const Tables& tables) {
    return tables.hash.use_dest_qp ? 0xff'ffff : 0;
}

// What the first loop found for each frame.
struct Lane {
    std::array<const FlowEntry*, kBurstMax> entries;
    PriorityBytes bytes{};
    std::size_t frames = 0;
};

// The entry of a frame that may take the lane, or null.
inline const FlowEntry* find_flow(ShardState& state, const PortTable& port, PortId in_port,
                                  const Frame& frame, std::uint32_t mask) {
    if (!is_plain_roce(frame)) return nullptr;
    const std::uint8_t* ip = frame.data + plain::kIp;
    if (read_mac(frame.data) != port.mac || ip[8] <= 1 || !ipv4_header_right(ip, kIpv4BytesMin)) {
        return nullptr;
    }
    const FlowKey key = key_of(frame.data, in_port, mask);
    const FlowEntry& entry = state.flows.slot(key);
    if (entry.epoch != state.epoch || entry.key != key) return nullptr;
    return frame.length <= entry.frame_bytes_max ? &entry : nullptr;
}

// Reads only: how far the lane reaches, and how many bytes of each priority are in it.
inline void look(ShardState& state, PortId in_port, std::span<Frame> burst, Lane& lane) {
    const PortTable& port = state.tables->ports[in_port];
    const PriorityMaps& maps = state.tables->maps;
    const std::uint32_t mask = qp_mask(*state.tables);
    for (Frame& frame : burst) {
        if (frame.length > port.frame_bytes_max) [[unlikely]]
            return;
        const FlowEntry* entry = find_flow(state, port, in_port, frame, mask);
        if (entry == nullptr) [[unlikely]]
            return;
        const std::uint8_t dscp = frame.data[plain::kIp + 1] >> 2;
        frame.priority = port.trust == Trust::Dscp ? maps.from_dscp[dscp] : port.default_priority;
        lane.bytes.add(frame.priority, frame.length);
        lane.entries[lane.frames++] = entry;
    }
}

inline void send_one(ShardState& state, PortId in_port, const FlowEntry& entry, Frame& frame,
                     Effects& out) {
    frame.in_port = in_port;
    frame.out_port = entry.out_port;
    frame.gateway = entry.gateway;
    frame.flags = frame_flags::kIpv4;
    if (entry.neighbor == kNoNeighbor) [[unlikely]] {
        out.hand_offs[state.tables->ports[entry.out_port].shard].push(frame);
        return;
    }
    Neighbor& neighbor = state.neighbors.at(entry.neighbor);
    if (!neighbor.used) neighbor.used = true;
    std::memcpy(frame.data, entry.rewrite.data(), entry.rewrite.size());
    count_down_ttl_ipv4(frame.data + plain::kIp);
    if (state.egress.queues().push_freely(frame)) [[likely]]
        return;
    send(state, frame, out);
}

}  // namespace

std::size_t fast_lane(ShardState& state, PortId in_port, std::span<Frame> burst, Effects& out) {
    Lane lane;
    look(state, in_port, burst, lane);
    if (lane.frames == 0 || !hold_freely(state, in_port, lane.bytes)) return 0;
    count_received(state.counters[in_port], lane.bytes, lane.frames);
    for (std::size_t i = 0; i < lane.frames; ++i) {
        send_one(state, in_port, *lane.entries[i], burst[i], out);
    }
    return lane.frames;
}

void remember_flow(ShardState& state, const Frame& frame) {
    if (!is_plain_roce(frame)) return;
    const PortTable& port = state.tables->ports[frame.out_port];
    const FlowKey key = key_of(frame.data, frame.in_port, qp_mask(*state.tables));
    FlowEntry entry;
    entry.key = key;
    entry.out_port = frame.out_port;
    entry.frame_bytes_max = port.frame_bytes_max;
    entry.gateway = frame.gateway;
    entry.neighbor = kNoNeighbor;
    entry.epoch = state.epoch;
    if (port.shard == state.id) {
        entry.neighbor =
            frame.gateway == kGatewayIsDestination
                ? state.neighbors.find(frame.out_port, read_ipv4(frame.data + plain::kIp + 16))
                : state.gateway_neighbors[frame.gateway];
        if (entry.neighbor == kNoNeighbor) return;
        const Neighbor& neighbor = state.neighbors.at(entry.neighbor);
        if (!neighbor.resolved()) return;
        entry.rewrite = neighbor.rewrite;
    }
    state.flows.slot(key) = entry;
}

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/fast_lane.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "dataplane/core/checksum.h"
#include "dataplane/core/hold.h"
#include "dataplane/core/plain_roce.h"
#include "dataplane/core/router.h"
#include "dataplane/core/send.h"

namespace weir {

namespace {

template <bool kUseQp>
inline FlowKey key_of(const std::uint8_t* data) {
    FlowKey key{load_64(data + plain::kIp + 12), load_32(data + plain::kUdp)};
    // Four bytes from the one before the QP, of which that is masked off.
    if constexpr (kUseQp) {
        key.l4 |= std::uint64_t{load_32(data + plain::kBth + kBthDestQpOffset - 1) & ~0xffu} << 32;
    }
    return key;
}

FlowKey key_of(const Tables& tables, const std::uint8_t* data) {
    return tables.hash.use_dest_qp ? key_of<true>(data) : key_of<false>(data);
}

// What the first loop found for each frame.
struct Lane {
    std::array<const FlowEntry*, kBurstMax> entries;
    PriorityBytes bytes{};
    std::size_t frames = 0;
};

// The entry of a frame that may take the lane, or null. `mac`: the port's, as load_64() of a
// frame's first bytes shows it.
template <bool kUseQp>
inline const FlowEntry* find_flow(ShardState& state, std::uint64_t mac, std::uint64_t tag,
                                  const Frame& frame) {
    if (!is_plain_roce(frame)) return nullptr;
    const std::uint8_t* ip = frame.data + plain::kIp;
    if (load_64(frame.data) << 16 != mac || ip[8] <= 1) return nullptr;
    if (!ipv4_header_right(ip, kIpv4BytesMin)) return nullptr;
    const FlowKey key = key_of<kUseQp>(frame.data);
    const FlowEntry* entry = state.flows.find(key, tag);
    return entry != nullptr && frame.length <= entry->frame_bytes_max ? entry : nullptr;
}

// Reads only: how far the lane reaches, and how many bytes of each priority are in it.
template <bool kUseQp>
inline void look(ShardState& state, PortId in_port, std::span<Frame> burst, Lane& lane) {
    const PortTable& port = state.tables->ports[in_port];
    const Priority* by_dscp =
        port.trust == Trust::Dscp ? state.tables->maps.from_dscp.data() : nullptr;
    const std::uint64_t mac = __builtin_bswap64(port.mac.value);
    const std::uint64_t tag = flow_tag(state.epoch, in_port);
    std::size_t frames = 0;
    for (; frames < burst.size(); ++frames) {
        Frame& frame = burst[frames];
        const FlowEntry* entry = find_flow<kUseQp>(state, mac, tag, frame);
        if (entry == nullptr) [[unlikely]]
            break;
        const std::uint8_t dscp = frame.data[plain::kIp + 1] >> 2;
        frame.priority = by_dscp != nullptr ? by_dscp[dscp] : port.default_priority;
        lane.bytes.add(frame.priority, frame.length);
        lane.entries[frames] = entry;
    }
    lane.frames = frames;
}

// Fills in what the lane knows of a frame. Field by field: a wide copy of fields just written would
// wait for the stores.
inline void describe(Frame& to, const Frame& frame, PortId in_port, const FlowEntry& entry) {
    to.data = frame.data;
    to.handle = frame.handle;
    to.length = frame.length;
    to.readable = frame.readable;
    to.in_port = in_port;
    to.out_port = entry.out_port;
    to.gateway = entry.gateway;
    to.vlan = 0;
    to.priority = frame.priority;
    to.flags = frame_flags::kIpv4;
}

inline void send_one(ShardState& state, PortId in_port, const FlowEntry& entry, Frame& frame,
                     Effects& out) {
    if (entry.queues == nullptr) [[unlikely]] {
        describe(out.hand_offs[state.tables->ports[entry.out_port].shard].push_slot(), frame,
                 in_port, entry);
        return;
    }
    Neighbor& neighbor = state.neighbors.at(entry.neighbor);
    if (!neighbor.used) neighbor.used = true;
    std::memcpy(frame.data, entry.rewrite.data(), entry.rewrite.size());
    count_down_ttl_ipv4(frame.data + plain::kIp);
    EgressQueue& queue = entry.queues[frame.priority];
    Frame* slot = state.egress.queues().claim_freely(queue, frame.length);
    if (slot != nullptr) [[likely]]
        return describe(*slot, frame, in_port, entry);
    describe(frame, frame, in_port, entry);
    send(state, frame, out);
}

}  // namespace

std::size_t fast_lane(ShardState& state, PortId in_port, std::span<Frame> burst, Effects& out) {
    Lane lane;
    if (state.tables->hash.use_dest_qp) {
        look<true>(state, in_port, burst, lane);
    } else {
        look<false>(state, in_port, burst, lane);
    }
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
    FlowEntry entry;
    entry.key = key_of(*state.tables, frame.data);
    entry.tag = flow_tag(state.epoch, frame.in_port);
    entry.out_port = frame.out_port;
    entry.gateway = frame.gateway;
    entry.frame_bytes_max =
        std::min(port.frame_bytes_max, state.tables->ports[frame.in_port].frame_bytes_max);
    if (port.shard == state.id) {
        entry.neighbor =
            frame.gateway == kGatewayIsDestination
                ? state.neighbors.find(frame.out_port, read_ipv4(frame.data + plain::kIp + 16))
                : state.gateway_neighbors[frame.gateway];
        if (entry.neighbor == kNoNeighbor) return;
        const Neighbor& neighbor = state.neighbors.at(entry.neighbor);
        if (!neighbor.resolved()) return;
        entry.rewrite = neighbor.rewrite;
        entry.queues = &state.egress.queues().at(frame.out_port, 0);
    }
    state.flows.insert(entry);
}

}  // namespace weir

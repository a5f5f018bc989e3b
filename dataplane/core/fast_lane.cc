// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/fast_lane.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include "dataplane/core/checksum.h"
#include "dataplane/core/flow_key.h"
#include "dataplane/core/hold.h"
#include "dataplane/core/plain_roce.h"
#include "dataplane/core/router.h"
#include "dataplane/core/send.h"

namespace weir {

namespace {

// The lane for one burst.
struct Lane {
    ShardState& state;
    const PortTable& port;
    Effects& out;
    PortId in_port;
    Time now;
    // Bytes of each priority that may be taken without a look at the buffer, and what is left of
    // them.
    std::array<std::uint32_t, kPriorities> room{};
    std::array<std::uint32_t, kPriorities> left{};
    std::array<std::uint16_t, kPriorities> frames{};
    std::size_t settled_frames = 0;  // those that are on the accounts already

    [[nodiscard]] PriorityBytes taken() const {
        PriorityBytes sums;
        for (Priority p = 0; p < kPriorities; ++p) sums.bytes[p] = room[p] - left[p];
        sums.frames = frames;
        return sums;
    }
};

// Puts what the lane has taken on the accounts.
inline void settle(const Lane& lane, std::size_t frames) {
    const PriorityBytes taken = lane.taken();
    take_freely(lane.state, lane.in_port, taken);
    count_received(lane.state.counters[lane.in_port], taken, frames);
}

// The same within a burst: what follows finds its room anew.
void settle_so_far(Lane& lane) {
    std::size_t frames = 0;
    for (const std::uint16_t some : lane.frames) frames += some;
    settle(lane, frames);
    lane.room = {};
    lane.left = {};
    lane.frames = {};
    lane.settled_frames += frames;
}

// Room for a priority that has none (yet): the buffer's own, for a burst of any kind.
bool find_room(Lane& lane, Priority priority, std::uint32_t length) {
    if (lane.room[priority] != 0) return false;
    lane.room[priority] = lane.state.buffer.free_room(group_of(lane.in_port, priority),
                                                      kBurstMax * Bytes{kFrameBytesMax});
    lane.left[priority] = lane.room[priority];
    return length <= lane.room[priority];
}

// The first eight bytes of a frame without all of the source MAC but its group bit.
constexpr std::uint64_t kFrontMask = 0x0001'ffff'ffff'ffff;

// The entry of a frame that may take the lane, or null. `mac`: the port's, as load_64() of a
// frame's first bytes shows it. That the flow is RoCEv2 was seen when it was remembered.
template <bool UseQp>
inline const FlowEntry* find_flow(ShardState& state, std::uint64_t mac, std::uint64_t tag,
                                  const Frame& frame) {
    if (!is_plain_udp(frame)) return nullptr;
    const std::uint8_t* data = frame.data;
    if ((load_64(data) & kFrontMask) != mac || data[plain::kIp + 8] <= 1) return nullptr;
    if (!ipv4_header_right(data + plain::kIp)) return nullptr;
    const FlowKey key = key_of<UseQp>(data);
    const FlowEntry* entry = state.flows.find(key, tag);
    return entry != nullptr && frame.length <= entry->frame_bytes_max ? entry : nullptr;
}

// out_port, vlan and gateway lie together in both: one word.
static_assert(offsetof(Frame, gateway) == offsetof(Frame, out_port) + 4);
static_assert(offsetof(FlowEntry, gateway) == offsetof(FlowEntry, out_port) + 4);

// Fills in what the lane knows of a frame. Everything is read before anything is written: the two
// may be one.
inline void describe(Frame& to, const Frame& frame, PortId in_port, Priority priority,
                     const FlowEntry& entry) {
    std::uint8_t* const data = frame.data;
    void* const handle = frame.handle;
    std::uint32_t lengths = 0;
    std::memcpy(&lengths, &frame.length, sizeof lengths);
    std::uint64_t way = 0;
    std::memcpy(&way, &entry.out_port, sizeof way);
    to.data = data;
    to.handle = handle;
    std::memcpy(&to.out_port, &way, sizeof way);
    std::memcpy(&to.length, &lengths, sizeof lengths);
    to.in_port = in_port;
    to.priority = priority;
    to.flags = frame_flags::kIpv4;
}

// The egress port is another shard's.
void hand_off(Lane& lane, const Frame& frame, Priority priority, const FlowEntry& entry) {
    const ShardId shard = lane.state.tables->ports[entry.out_port].shard;
    describe(lane.out.hand_offs[shard].push_slot(), frame, lane.in_port, priority, entry);
}

// The queue is not one that takes any frame. It may be dropped, so it has to be held before.
void send_described(Lane& lane, Frame& frame, Priority priority, const FlowEntry& entry) {
    settle_so_far(lane);
    describe(frame, frame, lane.in_port, priority, entry);
    send(lane.state, frame, lane.out);
}

inline void send_one(Lane& lane, Frame& frame, Priority priority, const FlowEntry& entry) {
    if (entry.queues == nullptr) [[unlikely]]
        return hand_off(lane, frame, priority, entry);
    entry.neighbor->used = true;
    std::uint8_t* const data = frame.data;
    std::memcpy(data, entry.rewrite.data(), entry.rewrite.size());
    count_down_ttl_ipv4(data + plain::kIp);
    EgressQueue& queue = entry.queues[priority];
    const std::uint16_t length = frame.length;
    if (!EgressQueues::fits_freely(queue, length)) [[unlikely]]
        return send_described(lane, frame, priority, entry);
    describe(lane.state.egress.queues().append(queue, length), frame, lane.in_port, priority,
             entry);
}

// Whether the flow has paused for so long that its path is to be chosen anew.
inline bool paused(const Lane& lane, const FlowEntry& entry) {
    const FlowUse& use = lane.state.flows.use_of(entry);
    return lane.now - use.seen >= use.gap;
}

inline void note_use(const Lane& lane, const FlowEntry& entry, std::uint32_t length) {
    FlowUse& use = lane.state.flows.use_of(entry);
    use.seen = lane.now;
    if (use.rule >= lane.state.path_counts.size()) return;
    PathCounts& counts = lane.state.path_counts[use.rule];
    counts.frames.add(1);
    counts.bytes.add(length);
}

// How many frames at the front of the burst have gone.
template <bool UseQp, bool Tracked>
inline std::size_t run(Lane& lane, std::span<Frame> burst) {
    ShardState& state = lane.state;
    const bool by_dscp = lane.port.trust == Trust::Dscp;
    std::array<Priority, 64> same;
    if (!by_dscp) same.fill(lane.port.default_priority);
    const Priority* priorities = by_dscp ? state.tables->maps.from_dscp.data() : same.data();
    const std::uint64_t mac = __builtin_bswap64(lane.port.mac.value) >> 16;
    const std::uint64_t tag = flow_tag(state.epoch, lane.in_port);
    std::size_t frames = 0;
    for (; frames < burst.size(); ++frames) {
        Frame& frame = burst[frames];
        const FlowEntry* entry = find_flow<UseQp>(state, mac, tag, frame);
        if (entry == nullptr) [[unlikely]]
            break;
        if constexpr (Tracked) {
            if (paused(lane, *entry)) break;
        }
        const Priority priority = priorities[frame.data[plain::kIp + 1] >> 2];
        const std::uint32_t length = frame.length;
        if (length > lane.left[priority]) [[unlikely]] {
            if (!find_room(lane, priority, length)) break;
        }
        lane.left[priority] -= length;
        ++lane.frames[priority];
        if constexpr (Tracked) note_use(lane, *entry, length);
        send_one(lane, frame, priority, *entry);
    }
    return frames;
}

inline std::size_t run(Lane& lane, std::span<Frame> burst) {
    const Tables& tables = *lane.state.tables;
    if (tables.tracks_flows) [[unlikely]]
        return tables.key_dest_qp ? run<true, true>(lane, burst) : run<false, true>(lane, burst);
    return tables.key_dest_qp ? run<true, false>(lane, burst) : run<false, false>(lane, burst);
}

// Hooks and the frames of stormed ports need a look at each of them.
bool changes_on_its_way(const ShardState& state, const Frame& frame) {
    const PortSet& uplinks = state.tables->hooks.uplinks;
    if (uplinks.has(frame.in_port) && uplinks.has(frame.out_port)) return true;
    return state.dropping[frame.out_port] != 0;
}

}  // namespace

std::size_t fast_lane(ShardState& state, Time now, PortId in_port, std::span<Frame> burst,
                      Effects& out) {
    Lane lane{state, state.tables->ports[in_port], out, in_port, now};
    const std::size_t frames = run(lane, burst);
    if (frames == lane.settled_frames) return frames;
    settle(lane, frames - lane.settled_frames);
    return frames;
}

namespace {

inline bool fill_entry(ShardState& state, const Frame& frame, FlowEntry& entry) {
    if (!is_plain_roce(frame) || changes_on_its_way(state, frame)) return false;
    const PortTable& port = state.tables->ports[frame.out_port];
    entry.key = key_of(*state.tables, frame.data);
    entry.tag = flow_tag(state.epoch, frame.in_port);
    entry.out_port = frame.out_port;
    entry.gateway = frame.gateway;
    entry.frame_bytes_max =
        std::min(port.frame_bytes_max, state.tables->ports[frame.in_port].frame_bytes_max);
    if (port.shard != state.id) return true;
    const std::uint32_t slot =
        frame.gateway == kGatewayIsDestination
            ? state.neighbors.find(frame.out_port, read_ipv4(frame.data + plain::kIp + 16))
            : state.gateway_neighbors[frame.gateway];
    if (slot == kNoNeighbor) return false;
    Neighbor& neighbor = state.neighbors.at(slot);
    if (!neighbor.resolved()) return false;
    entry.neighbor = &neighbor;
    entry.rewrite = neighbor.rewrite;
    entry.queues = &state.egress.queues().at(frame.out_port, 0);
    return true;
}

}  // namespace

bool make_flow_entry(ShardState& state, const Frame& frame, FlowEntry& entry) {
    return fill_entry(state, frame, entry);
}

void remember_flow(ShardState& state, const Frame& frame) {
    if (!is_plain_roce(frame)) return;
    FlowEntry entry;
    if (fill_entry(state, frame, entry)) state.flows.insert(entry);
}

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lab/checkers.h"

#include "config/units.h"
#include "dataplane/core/hold.h"

namespace weir::lab {

namespace {

// Calls visit(Frame) for every frame in a queue of the shard's ports.
template <typename Visit>
void for_each_queued(const Shard& shard, PortId ports, Visit visit) {
    const EgressQueues& queues = shard.egress().queues();
    for (PortId port = 0; port < ports; ++port) {
        for (unsigned queue = 0; queue < kQueuesPerPort; ++queue) {
            for (QueueCursor at = queues.front(port, queue); at.left != 0;
                 EgressQueues::advance(at)) {
                visit(queues.peek(at));
            }
        }
    }
}

// Frames that wait for a neighbor's MAC. A neighbor that is asked for has a deadline.
std::uint64_t waiting_for_neighbors(const Shard& shard) {
    if (!shard.neighbors().next_deadline()) return 0;
    std::uint64_t frames = 0;
    for (const Neighbor& neighbor : shard.neighbors().slots()) frames += neighbor.pending_count;
    return frames;
}

// Bytes that other shards have let go of and the owner has not settled yet.
Bytes unsettled(const SwitchNode& node, GroupId group, ShardId owner) {
    if (node.shards() == 1) return 0;
    constexpr std::uint64_t kBytesMask = (std::uint64_t{1} << kReleasedBytesBits) - 1;
    Bytes bytes = 0;
    const ShardState& state = node.shard(owner).state();
    for (ShardId other = 0; other < node.shards(); ++other) {
        if (other == owner) continue;
        const auto& released = node.condition().released[other].packed;
        const std::uint64_t seen = state.seen_releases[other * released.size() + group];
        bytes += (released[group].read() - seen) & kBytesMask;
    }
    return bytes;
}

}  // namespace

Checkers::Checkers(const Fabric& fabric, const CheckerOptions& options)
    : fabric_(fabric), options_(options) {
    for (NodeId id = 0; id < fabric.topology().switches(); ++id) {
        watched_.emplace_back(std::size_t{fabric.switch_at(id).ports()} * kPriorities);
    }
}

std::string Checkers::stamped(const std::string& text) const {
    return "at " + format_interval(fabric_.now() - Time{}) + ": " + text;
}

void Checkers::violate(const std::string& text) {
    if (violations_.size() < kKeptMax) violations_.push_back(stamped(text));
}

std::uint64_t Checkers::lossless_drops(const Fabric& fabric) {
    std::uint64_t drops = 0;
    for (NodeId id = 0; id < fabric.topology().switches(); ++id) {
        const SwitchNode& node = fabric.switch_at(id);
        // With whole links nothing excuses a drop, whatever its reason; a link that is cut takes
        // along what is queued for it.
        drops += fabric.world().faults == 0 ? node.lossless_freed()
                                            : node.drops(DropReason::HeadroomFull) +
                                                  node.drops(DropReason::QueueMemoryExhausted);
    }
    return drops;
}

void Checkers::check_event() {
    const std::uint64_t drops = lossless_drops(fabric_);
    if (drops == drops_seen_) return;
    violate(std::to_string(drops - drops_seen_) + " frames of a lossless priority dropped");
    drops_seen_ = drops;
}

void Checkers::check_accounts() {
    check_event();
    const std::uint64_t somewhere = fabric_.frames_on_cables() + fabric_.frames_in_nodes();
    if (somewhere != fabric_.world().pool.in_use()) {
        violate(std::to_string(fabric_.world().pool.in_use()) + " frames exist, " +
                std::to_string(somewhere) + " are in somebody's hands");
    }
    for (NodeId id = 0; id < fabric_.topology().switches(); ++id) {
        check_switch(fabric_.switch_at(id));
        check_pauses(id, fabric_.switch_at(id));
    }
    if (options_.order) check_flows();
}

// Frames that the switch was given and has neither sent nor freed are in its queues, each once.
void Checkers::check_switch(const SwitchNode& node) {
    std::uint64_t inside = node.frames_in_rx_rings();
    for (ShardId shard = 0; shard < node.shards(); ++shard) {
        for_each_queued(node.shard(shard), node.ports(), [&](const Frame&) { ++inside; });
        inside += waiting_for_neighbors(node.shard(shard));
    }
    node.for_each_handed_off([&](const Frame&) { ++inside; });
    if (inside != node.frames_held()) {
        violate(node.name() + " holds " + std::to_string(node.frames_held()) + " frames, " +
                std::to_string(inside) + " are in its queues");
    }
    check_groups(node);
}

// Bytes in = bytes out + bytes held, for each priority group: what its account says is what lies in
// the queues.
void Checkers::check_groups(const SwitchNode& node) {
    std::vector<Bytes> queued(std::size_t{node.ports()} * kPriorities, 0);
    const auto add = [&](const Frame& frame) {
        if ((frame.flags & frame_flags::kOwn) != 0) return;
        queued[group_of(frame.in_port, held_priority(frame))] += held_bytes(frame);
    };
    for (ShardId shard = 0; shard < node.shards(); ++shard) {
        // Those frames stand on an account as well, but nobody can look at them from here.
        if (waiting_for_neighbors(node.shard(shard)) != 0) return;
        for_each_queued(node.shard(shard), node.ports(), add);
    }
    node.for_each_handed_off(add);
    for (GroupId group = 0; group < queued.size(); ++group) {
        const PortId port = group / kPriorities;
        const ShardId owner = node.tables().ports[port].shard;
        const Bytes held = node.shard(owner).state().buffer.group(group).held();
        const Bytes expected = queued[group] + unsettled(node, group, owner);
        if (held == expected) continue;
        violate(node.name() + " port " + std::to_string(port) + " priority " +
                std::to_string(group % kPriorities) + ": " + std::to_string(held) +
                " B on the account, " + std::to_string(expected) + " B in the queues");
    }
}

void Checkers::check_pauses(NodeId id, const SwitchNode& node) {
    for (PortId port = 0; port < node.ports(); ++port) {
        const Shard& shard = node.owner(port);
        const std::uint8_t paused = shard.state().pauses[port].peer_paused;
        const std::uint16_t waiting = shard.egress().queues().waiting(port);
        for (Priority priority = 0; priority < kPriorities; ++priority) {
            Watched& queue = watched_[id][group_of(port, priority)];
            const std::uint64_t sent = shard.counters(port).sent_by_priority[priority].read();
            const bool held = ((paused & waiting) >> priority & 1) != 0;
            if (!held || !queue.paused || sent != queue.sent) {
                queue = {sent, fabric_.now(), held, false};
            } else if (!queue.reported && fabric_.now() - queue.since > options_.pause_max) {
                queue.reported = true;
                stuck_.push_back(stamped(node.name() + " port " + std::to_string(port) +
                                         " priority " + std::to_string(priority) +
                                         " paused without end, frames waiting"));
            }
        }
    }
}

// A frame that arrives behind a newer one of its flow was overtaken, or was doubled.
void Checkers::check_flows() {
    const std::vector<FlowTrack>& flows = fabric_.world().flows;
    late_seen_.resize(flows.size());
    for (std::size_t flow = 0; flow < flows.size(); ++flow) {
        if (flows[flow].late == late_seen_[flow]) continue;
        violate("flow " + std::to_string(flow) + ": " +
                std::to_string(flows[flow].late - late_seen_[flow]) +
                " frames out of order or doubled");
        late_seen_[flow] = flows[flow].late;
    }
}

void Checkers::check_end() {
    check_accounts();
    if (fabric_.world().pool.in_use() != 0) {
        violate(std::to_string(fabric_.world().pool.in_use()) + " frames left at the end");
    }
    for (NodeId id = 0; id < fabric_.topology().switches(); ++id) {
        const SwitchNode& node = fabric_.switch_at(id);
        for (GroupId group = 0; group < node.ports() * kPriorities; ++group) {
            const Shard& owner = node.owner(group / kPriorities);
            if (owner.state().buffer.group(group).held() == 0) continue;
            violate(node.name() + ": bytes left on an account at the end");
        }
    }
}

}  // namespace weir::lab

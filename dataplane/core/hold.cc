// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/hold.h"

#include "dataplane/core/pause.h"

namespace weir {

namespace {

void give_back(ShardState& state, GroupId group, Bytes bytes, std::uint32_t frames) {
    if (!state.buffer.release(group, bytes, frames)) [[likely]]
        return;
    resume_peer(state, group / kPriorities, group % kPriorities);
}

void release_bytes(ShardState& state, GroupId group, Bytes bytes, std::uint32_t frames) {
    if (state.tables->ports[group / kPriorities].shard == state.id) [[likely]] {
        return give_back(state, group, bytes, frames);
    }
    Released& released = state.condition->released[state.id];
    released.packed[group].add(bytes + (std::uint64_t{frames} << kReleasedBytesBits));
    released.changes.store(released.changes.load(std::memory_order_relaxed) + 1,
                           std::memory_order_release);
}

constexpr std::uint64_t kReleasedBytesMask = (std::uint64_t{1} << kReleasedBytesBits) - 1;

// What `shard` has let go of frames of our `group` since we looked.
std::uint64_t unseen_releases(const ShardState& state, ShardId shard, GroupId group) {
    const Released& released = state.condition->released[shard];
    return released.packed[group].read() -
           state.seen_releases[shard * released.packed.size() + group];
}

// One cache line of eight groups per port of ours.
void take_releases_of(ShardState& state, const Released& released, ShardId shard) {
    const auto seen =
        state.seen_releases.subspan(shard * released.packed.size(), released.packed.size());
    state.own_ports.for_each([&](PortId port) {
        for (Priority priority = 0; priority < kPriorities; ++priority) {
            const GroupId group = group_of(port, priority);
            const std::uint64_t total = released.packed[group].read();
            const std::uint64_t news = total - seen[group];
            if (news == 0) continue;
            seen[group] = total;
            give_back(state, group, news & kReleasedBytesMask,
                      static_cast<std::uint32_t>(news >> kReleasedBytesBits));
        }
    });
}

}  // namespace

bool hold(ShardState& state, const Frame& frame, unsigned copies, Effects& out) {
    const GroupId group = group_of(frame.in_port, held_priority(frame));
    switch (state.buffer.admit(group, Bytes{frame.length} * copies, copies)) {
        [[likely]] case Admission::Accept : return true;
        case Admission::AcceptAndPause:
            pause_peer(state, frame.in_port, held_priority(frame));
            return true;
        case Admission::SharedFull:
            drop(state, frame.in_port, DropReason::SharedBufferFull, frame, out);
            return false;
        case Admission::HeadroomFull:
            drop(state, frame.in_port, DropReason::HeadroomFull, frame, out);
            return false;
    }
    return false;
}

void count_received(PortCounters& counters, const PriorityBytes& sums, std::size_t roce) {
    std::uint64_t frames = 0;
    for (Priority priority = 0; priority < kPriorities; ++priority) {
        if (sums.frames[priority] == 0) continue;
        frames += sums.frames[priority];
        counters.received_by_priority[priority].add(sums.frames[priority]);
    }
    counters.received_frames.add(frames);
    counters.received_bytes.add(sums.total());
    counters.received_roce_frames.add(roce);
}

void take_freely(ShardState& state, PortId in_port, const PriorityBytes& sums) {
    for (Priority p = 0; p < kPriorities; ++p) {
        if (sums.bytes[p] == 0) continue;
        state.buffer.take_freely(group_of(in_port, p), sums.bytes[p], sums.frames[p]);
    }
}

bool hold_freely(ShardState& state, PortId in_port, const PriorityBytes& sums) {
    const Bytes total = sums.total();
    for (Priority p = 0; p < kPriorities; ++p) {
        if (sums.bytes[p] == 0) continue;
        if (sums.bytes[p] > state.buffer.free_room(group_of(in_port, p), total)) return false;
    }
    take_freely(state, in_port, sums);
    return true;
}

std::size_t hold_burst(ShardState& state, PortId in_port, std::span<Frame> burst, Effects& out) {
    PriorityBytes sums;
    for (const Frame& frame : burst) sums.add(held_priority(frame), frame.length);
    if (hold_freely(state, in_port, sums)) [[likely]]
        return burst.size();
    std::size_t kept = 0;
    for (std::size_t i = 0; i < burst.size(); ++i) {
        if (!hold(state, burst[i], 1, out)) continue;
        if (kept != i) burst[kept] = burst[i];
        ++kept;
    }
    return kept;
}

Bytes release_sent(ShardState& state, PortId out_port, std::span<const Frame> frames) {
    constexpr std::uint8_t kOdd = frame_flags::kOwn | frame_flags::kTagPushed |
                                  frame_flags::kTagPopped | frame_flags::kHooked;
    PortCounters& counters = state.counters[out_port];
    Bytes sent_bytes = 0;
    for (auto first = frames.begin(); first != frames.end();) {
        const std::uint32_t account = first->account();
        auto behind = first;
        Bytes bytes = 0;
        for (; behind != frames.end() && behind->account() == account; ++behind) {
            bytes += behind->length;
        }
        counters.sent_by_priority[first->priority].add(static_cast<std::uint64_t>(behind - first));
        sent_bytes += bytes;
        if ((first->flags & kOdd) == 0) [[likely]] {
            release_bytes(state, group_of(first->in_port, first->priority), bytes,
                          static_cast<std::uint32_t>(behind - first));
        } else {
            for (; first != behind; ++first) release(state, *first);
        }
        first = behind;
    }
    counters.sent_frames.add(frames.size());
    counters.sent_bytes.add(sent_bytes);
    return sent_bytes;
}

void release(ShardState& state, const Frame& frame) {
    if ((frame.flags & frame_flags::kOwn) != 0) return;
    release_bytes(state, group_of(frame.in_port, held_priority(frame)), held_bytes(frame), 1);
}

void take_releases(ShardState& state) {
    for (ShardId shard = 0; shard < state.shards; ++shard) {
        if (shard == state.id) continue;
        const Released& released = state.condition->released[shard];
        const std::uint64_t changes = released.changes.load(std::memory_order_acquire);
        if (changes == state.seen_changes[shard]) [[likely]]
            continue;
        state.seen_changes[shard] = changes;
        take_releases_of(state, released, shard);
    }
}

HeldNow held_now(const ShardState& state) {
    HeldNow held;
    state.own_ports.for_each([&](PortId port) {
        for (Priority priority = 0; priority < kPriorities; ++priority) {
            const GroupId id = group_of(port, priority);
            const PriorityGroup& group = state.buffer.group(id);
            held.bytes += group.held();
            held.frames += group.frames;
            for (ShardId shard = 0; shard < state.shards; ++shard) {
                if (shard == state.id) continue;
                const std::uint64_t unseen = unseen_releases(state, shard, id);
                held.bytes -= unseen & kReleasedBytesMask;
                held.frames -= unseen >> kReleasedBytesBits;
            }
        }
    });
    return held;
}

void drop_held(ShardState& state, PortId port, DropReason reason, const Frame& frame,
               Effects& out) {
    release(state, frame);
    if ((frame.flags & frame_flags::kOwn) == 0) {
        state.counters[port].queue_drops[frame.priority].add(1);
    }
    drop(state, port, reason, frame, out);
}

}  // namespace weir

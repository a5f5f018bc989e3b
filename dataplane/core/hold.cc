// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/hold.h"

#include "dataplane/core/pause.h"

namespace weir {

namespace {

void give_back(ShardState& state, GroupId group, Bytes bytes) {
    if (!state.buffer.release(group, bytes)) [[likely]]
        return;
    resume_peer(state, group / kPriorities, group % kPriorities);
}

}  // namespace

bool hold(ShardState& state, const Frame& frame, unsigned copies, Effects& out) {
    const GroupId group = group_of(frame.in_port, frame.priority);
    switch (state.buffer.admit(group, Bytes{frame.length} * copies)) {
        [[likely]] case Admission::Accept : return true;
        case Admission::AcceptAndPause:
            pause_peer(state, frame.in_port, frame.priority);
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

void release(ShardState& state, const Frame& frame) {
    if ((frame.flags & frame_flags::kOwn) != 0) return;
    const GroupId group = group_of(frame.in_port, frame.priority);
    if (state.tables->ports[frame.in_port].shard == state.id) [[likely]] {
        return give_back(state, group, held_bytes(frame));
    }
    Released& released = state.condition->released[state.id];
    released.bytes[group].add(held_bytes(frame));
    released.changes.store(released.changes.load(std::memory_order_relaxed) + 1,
                           std::memory_order_release);
}

void take_releases(ShardState& state) {
    for (ShardId shard = 0; shard < state.shards; ++shard) {
        if (shard == state.id) continue;
        const Released& released = state.condition->released[shard];
        const std::uint64_t changes = released.changes.load(std::memory_order_acquire);
        if (changes == state.seen_changes[shard]) continue;
        state.seen_changes[shard] = changes;
        const auto seen =
            state.seen_releases.subspan(shard * released.bytes.size(), released.bytes.size());
        for (GroupId group = 0; group < released.bytes.size(); ++group) {
            const Bytes total = released.bytes[group].read();
            const Bytes news = total - seen[group];
            if (news == 0 || state.tables->ports[group / kPriorities].shard != state.id) continue;
            seen[group] = total;
            give_back(state, group, news);
        }
    }
}

void drop_held(ShardState& state, PortId port, DropReason reason, const Frame& frame,
               Effects& out) {
    release(state, frame);
    drop(state, port, reason, frame, out);
}

}  // namespace weir

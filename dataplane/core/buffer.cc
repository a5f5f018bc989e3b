// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/buffer.h"

#include <algorithm>

namespace weir {

void Buffer::lay_out(Arena& arena, unsigned ports, ShardId shard, PoolUse* pool_use) {
    groups_ = arena.take<PriorityGroup>(ports * kPriorities);
    shard_ = shard;
    pool_use_ = pool_use;
}

void Buffer::read_pool() {
    Bytes used = 0;
    std::uint64_t frames = 0;
    for (ShardId shard = 0; shard < kShardsMax; ++shard) {
        if (shard == shard_) continue;
        const PoolUse::PerShard& use = pool_use_->shards[shard];
        used += use.shared_bytes.load(std::memory_order_relaxed);
        frames += use.frames.load(std::memory_order_relaxed);
    }
    others_used_ = used;
    others_frames_ = frames;
}

Admission Buffer::admit(GroupId id, Bytes length, std::uint32_t frames) {
    PriorityGroup& group = groups_[id];
    const BufferProfile& profile = profiles_[id];
    const Bytes before = shared_part(group, profile);
    const Bytes total = group.bytes + length;
    const Bytes after = total > profile.reserve_bytes ? total - profile.reserve_bytes : 0;
    const bool fits = after - before <= free_bytes() && after <= threshold_bytes(profile) &&
                      group.frames + frames <= threshold_frames(profile, free_frames());
    // The reserve is the group's own, whatever the others hold; but a lossy group promises nothing,
    // and its small frames must not use up memory (mbufs) that other switches were promised.
    const bool reserved = after == 0 && (profile.lossless || frames <= free_frames());
    if (reserved || fits) [[likely]] {
        group.bytes = total;
        count_frames(group, frames);
        shared_used_ += after - before;
        shared_used_max_ = std::max(shared_used_max_, shared_used_);
        group.shared_bytes_max = std::max(group.shared_bytes_max, after);
        // The thresholds move with the pool: they are taken again after this frame was counted.
        if (!profile.lossless || group.paused) return Admission::Accept;
        if (!passes_threshold(group, profile)) [[likely]]
            return Admission::Accept;
        pause(group, profile);
        return Admission::AcceptAndPause;
    }
    if (!profile.lossless) return Admission::SharedFull;
    const Bytes headroom = std::max(profile.headroom_bytes, group.headroom_granted_bytes);
    if (group.headroom_bytes + length > headroom) return Admission::HeadroomFull;
    group.headroom_bytes += length;
    count_frames(group, frames);
    group.headroom_bytes_max = std::max(group.headroom_bytes_max, group.headroom_bytes);
    if (group.paused) return Admission::Accept;
    pause(group, profile);
    return Admission::AcceptAndPause;
}

std::uint32_t Buffer::free_room(GroupId id, Bytes burst_bytes) const {
    const PriorityGroup& group = groups_[id];
    const BufferProfile& profile = profiles_[id];
    const Bytes free = free_bytes();
    if (free < burst_bytes) return 0;
    const std::uint64_t frames = free_frames();
    if (frames < kBurstMax) return 0;
    if (group.frames + kBurstMax >= threshold_frames(profile, frames - kBurstMax)) return 0;
    // The group's total must stay below reserve + threshold.
    const Bytes limit = profile.reserve_bytes + threshold_bytes(profile, free - burst_bytes);
    if (group.bytes + 1 >= limit) return 0;
    return static_cast<std::uint32_t>(std::min<Bytes>(limit - 1 - group.bytes, burst_bytes));
}

void Buffer::take_freely(GroupId id, Bytes length, std::uint32_t frames) {
    PriorityGroup& group = groups_[id];
    count_frames(group, frames);
    const Bytes before = shared_part(group, profiles_[id]);
    group.bytes += length;
    const Bytes after = shared_part(group, profiles_[id]);
    shared_used_ += after - before;
    shared_used_max_ = std::max(shared_used_max_, shared_used_);
    group.shared_bytes_max = std::max(group.shared_bytes_max, after);
}

bool Buffer::release(GroupId id, Bytes length, std::uint32_t frames) {
    PriorityGroup& group = groups_[id];
    const BufferProfile& profile = profiles_[id];
    WEIR_CHECK(length <= group.held() && frames <= group.frames);
    group.frames -= frames;
    frames_used_ -= frames;
    // Headroom drains first: the group leaves pause as soon as what was in flight is gone.
    const Bytes from_headroom = std::min(group.headroom_bytes, length);
    group.headroom_bytes -= from_headroom;
    const Bytes rest = length - from_headroom;
    const Bytes from_shared = std::min(rest, shared_part(group, profile));
    group.bytes -= rest;
    WEIR_CHECK(from_shared <= shared_used_);
    shared_used_ -= from_shared;
    if (!group.paused || !may_resume(group, profile)) [[likely]]
        return false;
    resume(group);
    return true;
}

bool Buffer::passes_threshold(const PriorityGroup& group, const BufferProfile& profile) const {
    const Bytes shared = shared_part(group, profile);
    return (shared != 0 && shared >= threshold_bytes(profile)) ||
           group.frames >= threshold_frames(profile, free_frames());
}

bool Buffer::may_resume(const PriorityGroup& group, const BufferProfile& profile) const {
    if (group.headroom_bytes != 0) return false;
    const Bytes shared = shared_part(group, profile);
    // A burst below the threshold in frames is offset enough: frames come and go in bursts.
    return (shared == 0 || shared + profile.xon_offset_bytes <= threshold_bytes(profile)) &&
           (group.frames == 0 ||
            group.frames + kBurstMax <= threshold_frames(profile, free_frames()));
}

void Buffer::clear_watermarks() {
    shared_used_max_ = shared_used_;
    for (std::size_t id = 0; id < groups_.size(); ++id) {
        groups_[id].shared_bytes_max = shared_part(groups_[id], profiles_[id]);
        groups_[id].headroom_bytes_max = groups_[id].headroom_bytes;
    }
}

}  // namespace weir

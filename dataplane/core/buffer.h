// SPDX-License-Identifier: BSD-3-Clause
// The shared buffer: how many bytes each priority group holds, whether one more frame may be taken,
// and when to pause and resume the sender.
//
// A group's bytes are its reserve, then shared bytes up to a dynamic threshold alpha * (free shared
// pool), then headroom, which takes what was already on its way when the pause was sent. The order
// of steps is the one of HPCC's switch-mmu model
// (github.com/alibaba-edu/High-Precision-Congestion-Control): a frame goes to the headroom whole;
// headroom is released first, then shared, then reserve.
//
// Frames are counted beside bytes: many small ones use up the memory for frames (mbufs) long before
// the bytes. A group may hold at most alpha * (free frames) as well, by the same rule.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>

#include "dataplane/core/arena.h"
#include "dataplane/core/limits.h"
#include "dataplane/core/types.h"

namespace weir {

// The configuration of one priority group, (ingress port, priority).
struct BufferProfile {
    Bytes reserve_bytes = 0;       // the group's own, never shared
    Bytes headroom_bytes = 0;      // lossless only: what may arrive after the pause was decided
    Bytes xon_offset_bytes = 0;    // resume this far below the threshold (hysteresis)
    Bytes shared_limit_bytes = 0;  // with dynamic == false: a fixed threshold
    std::int8_t alpha_log2 = 0;    // threshold = free shared pool * 2^alpha_log2, -8..7
    bool dynamic = true;
    bool lossless = false;
};

// What one group holds now. Written by the worker of its ingress port only.
struct alignas(64) PriorityGroup {
    Bytes bytes = 0;             // held in reserve and shared
    Bytes headroom_bytes = 0;    // held in headroom
    Bytes shared_bytes_max = 0;  // watermarks
    Bytes headroom_bytes_max = 0;
    std::uint32_t frames = 0;  // held in all three parts
    // While paused: the headroom that was there when the pause was decided. What is on its way has
    // been counted on it, so that a smaller one counts from the next pause on.
    Bytes headroom_granted_bytes = 0;
    bool paused = false;  // we asked the sender to stop

    [[nodiscard]] Bytes held() const { return bytes + headroom_bytes; }
};
static_assert(sizeof(PriorityGroup) == 64);

// Shared bytes and frames in use by each shard of a switch: one writer each, summed by all. The sum
// may lag by what the other shards admit during one burst.
struct PoolUse {
    struct alignas(64) PerShard {
        std::atomic<Bytes> shared_bytes{0};
        std::atomic<std::uint64_t> frames{0};
    };
    std::array<PerShard, kShardsMax> shards;
};

using GroupId = std::uint16_t;  // port * kPriorities + priority

[[nodiscard]] constexpr GroupId group_of(PortId port, Priority priority) {
    return static_cast<GroupId>(port * kPriorities + priority);
}

// No limit: 2^40 frames, so that 2^7 times as many still fit into 64 bits.
inline constexpr std::uint64_t kFramesUnlimited = std::uint64_t{1} << 40;

enum class Admission : std::uint8_t {
    Accept,
    AcceptAndPause,  // taken, and the group has just passed its threshold: pause the sender
    SharedFull,      // lossy and over its limit in bytes or frames, or the pool is exhausted
    HeadroomFull,    // lossless: the sender did not stop in time
};

class Buffer {
  public:
    void lay_out(Arena& arena, unsigned ports, ShardId shard, PoolUse* pool_use);

    // New profiles (ports * kPriorities of them) and size of the shared pool. What is held stays
    // held: a group that is over its new threshold pauses with its next frame, which goes to the
    // headroom. A group that is no longer lossless leaves pause: resumed(its id).
    template <typename Resumed>
    void adopt(std::span<const BufferProfile> profiles, Bytes shared_pool_bytes, Resumed resumed);

    // How many frames all groups of the switch may hold before every group is over its threshold.
    void limit_frames(std::uint64_t frames) { frames_max_ = frames; }

    // Once per call of the shard: what the other shards use of the pool, and what we use for them
    // to see.
    void read_pool();
    void publish_pool() {
        // Relaxed: each number stands for itself.
        PoolUse::PerShard& use = pool_use_->shards[shard_];
        use.shared_bytes.store(shared_used_, std::memory_order_relaxed);
        use.frames.store(frames_used_, std::memory_order_relaxed);
    }

    // `frames` of `length` bytes together (one, or the copies of one that is flooded).
    [[nodiscard]] Admission admit(GroupId id, Bytes length, std::uint32_t frames = 1);

    // How many bytes the group may take at once, in a burst of at most `burst_bytes` and kBurstMax
    // frames from its port, with no frame refused and nobody paused: they stay below its thresholds
    // even when all of the burst is counted.
    [[nodiscard]] std::uint32_t free_room(GroupId id, Bytes burst_bytes) const;
    // Counts bytes that stay within free_room(), of this group and of others before it in the
    // same burst.
    void take_freely(GroupId id, Bytes length, std::uint32_t frames = 1);

    // Returns `length` bytes of `frames` frames; true when the group was paused and may be resumed
    // now.
    [[nodiscard]] bool release(GroupId id, Bytes length, std::uint32_t frames = 1);

    // Shared bytes that a group may hold just now.
    [[nodiscard]] Bytes threshold_bytes(const BufferProfile& profile) const {
        return threshold_bytes(profile, free_bytes());
    }
    [[nodiscard]] static Bytes threshold_bytes(const BufferProfile& profile, Bytes free) {
        if (!profile.dynamic) return profile.shared_limit_bytes;
        return times_alpha(profile, free);
    }
    // Frames that a group may hold just now.
    [[nodiscard]] static std::uint64_t threshold_frames(const BufferProfile& profile,
                                                        std::uint64_t free) {
        return times_alpha(profile, free);
    }
    [[nodiscard]] std::uint64_t free_frames() const {
        const std::uint64_t used = frames_used_ + others_frames_;
        return used < frames_max_ ? frames_max_ - used : 0;
    }
    [[nodiscard]] std::uint64_t frames_used() const { return frames_used_; }
    [[nodiscard]] std::uint64_t frames_max() const { return frames_max_; }
    [[nodiscard]] Bytes free_bytes() const {
        const Bytes used = shared_used_ + others_used_;
        return used < pool_bytes_ ? pool_bytes_ - used : 0;
    }
    [[nodiscard]] Bytes shared_used_bytes() const { return shared_used_; }
    [[nodiscard]] Bytes shared_used_bytes_max() const { return shared_used_max_; }
    [[nodiscard]] Bytes pool_bytes() const { return pool_bytes_; }
    [[nodiscard]] const PriorityGroup& group(GroupId id) const { return groups_[id]; }
    [[nodiscard]] const BufferProfile& profile(GroupId id) const { return profiles_[id]; }
    void clear_watermarks();

  private:
    [[nodiscard]] static std::uint64_t times_alpha(const BufferProfile& profile,
                                                   std::uint64_t free) {
        return profile.alpha_log2 >= 0 ? free << profile.alpha_log2 : free >> -profile.alpha_log2;
    }
    [[nodiscard]] static Bytes shared_part(const PriorityGroup& group,
                                           const BufferProfile& profile) {
        return group.bytes > profile.reserve_bytes ? group.bytes - profile.reserve_bytes : 0;
    }
    static void pause(PriorityGroup& group, const BufferProfile& profile) {
        group.paused = true;
        group.headroom_granted_bytes = profile.headroom_bytes;
    }
    static void resume(PriorityGroup& group) {
        group.paused = false;
        group.headroom_granted_bytes = 0;
    }
    [[nodiscard]] bool passes_threshold(const PriorityGroup& group,
                                        const BufferProfile& profile) const;
    [[nodiscard]] bool may_resume(const PriorityGroup& group, const BufferProfile& profile) const;
    void count_frames(PriorityGroup& group, std::uint32_t frames) {
        group.frames += frames;
        frames_used_ += frames;
    }

    std::span<PriorityGroup> groups_;
    std::span<const BufferProfile> profiles_;
    Bytes pool_bytes_ = 0;
    Bytes shared_used_ = 0;
    Bytes others_used_ = 0;
    Bytes shared_used_max_ = 0;
    std::uint64_t frames_max_ = kFramesUnlimited;
    std::uint64_t frames_used_ = 0;
    std::uint64_t others_frames_ = 0;
    PoolUse* pool_use_ = nullptr;
    ShardId shard_ = 0;
};

template <typename Resumed>
void Buffer::adopt(std::span<const BufferProfile> profiles, Bytes shared_pool_bytes,
                   Resumed resumed) {
    profiles_ = profiles;
    pool_bytes_ = shared_pool_bytes;
    shared_used_ = 0;
    for (std::size_t id = 0; id < groups_.size() && id < profiles.size(); ++id) {
        PriorityGroup& group = groups_[id];
        shared_used_ += shared_part(group, profiles[id]);
        if (group.paused && !profiles[id].lossless) {
            resume(group);
            resumed(static_cast<GroupId>(id));
        }
    }
}

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#include "config/buffer_plan.h"

#include <algorithm>

#include "config/headroom.h"

namespace weir {
namespace {

constexpr Bytes kXonOffsetDefault = 3'000;  // HPCC's switch model
// 32 queues (four ports of eight priorities) that are full at the default limit of 1 MiB.
constexpr Bytes kSharedLossyBytes = Bytes{32} << 20;

void fill_in(const GroupSettings& wider, GroupSettings& group) {
    if (!group.reserve) group.reserve = wider.reserve;
    if (!group.headroom) group.headroom = wider.headroom;
    if (!group.xon_offset) group.xon_offset = wider.xon_offset;
    if (group.alpha || group.limit) return;
    group.alpha = wider.alpha;
    group.limit = wider.limit;
}

void fill_in(const PortBufferSettings& wider, Priority priority, bool lossless,
             GroupSettings& group) {
    const auto own = wider.priorities.find(priority);
    if (own != wider.priorities.end()) fill_in(own->second, group);
    fill_in(lossless ? wider.lossless : wider.lossy, group);
}

BufferProfile profile_of(const GroupSettings& group, bool lossless, Bytes frame_bytes_max,
                         Bytes auto_headroom) {
    BufferProfile profile;
    profile.lossless = lossless;
    // Two frames pass although others have used up the pool.
    profile.reserve_bytes = group.reserve.value_or(lossless ? 2 * frame_bytes_max : 0);
    profile.dynamic = !group.limit;
    profile.shared_limit_bytes = group.limit.value_or(0);
    profile.alpha_log2 = static_cast<std::int8_t>(group.alpha.value_or(0));
    if (!lossless) return profile;
    profile.headroom_bytes =
        group.headroom.value_or(HeadroomSettings{}).bytes.value_or(auto_headroom);
    profile.xon_offset_bytes = group.xon_offset.value_or(kXonOffsetDefault);
    return profile;
}

void plan_port(const Settings& settings, const PortFacts& facts, std::size_t port,
               BufferPlan& plan) {
    const Bytes frame_bytes_max = link_of(settings, facts, port).frame_bytes_max;
    const Bytes auto_headroom = auto_headroom_bytes(settings, facts, port);
    const std::uint8_t lossless = lossless_priorities(settings, port);
    for (Priority p = 0; p < kPriorities; ++p) {
        BufferProfile& profile = plan.groups[group_of(static_cast<PortId>(port), p)];
        profile = profile_of(group_settings(settings, port, p), ((lossless >> p) & 1) != 0,
                             frame_bytes_max, auto_headroom);
        plan.reserve_bytes += profile.reserve_bytes;
        plan.headroom_bytes += profile.headroom_bytes;
    }
    if (lossless != 0) plan.promised = true;
}

// A pool that is not written takes what the groups leave of the mbufs.
Bytes shared_bytes(const BufferPlan& plan, const PortFacts& facts) {
    if (!plan.promised) return kSharedLossyBytes;
    if (facts.queued_frames == 0) return kSharedBytesDefault;
    const Bytes all = facts.queued_frames * kBytesPerFrame;
    const Bytes groups = plan.reserve_bytes + plan.headroom_bytes;
    const Bytes left = all > groups ? all - groups : 0;
    return std::clamp(left, kSharedBytesMin, kSharedBytesDefault);
}

}  // namespace

BufferPlan plan_buffer(const Settings& settings, const PortFacts& facts) {
    BufferPlan plan;
    plan.groups.resize(std::size_t{kPortsMax} * kPriorities);
    for (std::size_t i = 0; i < settings.ports.size(); ++i) plan_port(settings, facts, i, plan);
    plan.shared_bytes = settings.buffer.shared.value_or(shared_bytes(plan, facts));
    plan.promised = plan.promised || settings.buffer.shared;
    return plan;
}

std::uint8_t lossless_priorities(const Settings& settings, std::size_t port) {
    const auto& own = settings.ports[port].pfc;
    const auto& pfc = own ? own : settings.pfc;
    std::uint8_t bits = 0;
    if (!pfc) return bits;
    for (const Priority priority : pfc->priorities) {
        bits |= static_cast<std::uint8_t>(1u << priority);
    }
    return bits;
}

GroupSettings group_settings(const Settings& settings, std::size_t port, Priority priority) {
    const bool lossless = ((lossless_priorities(settings, port) >> priority) & 1) != 0;
    GroupSettings group;
    fill_in(settings.ports[port].buffer, priority, lossless, group);
    fill_in(settings.buffer, priority, lossless, group);
    return group;
}

Interval reaction_of(const Settings& settings, const PortFacts& facts) {
    return settings.buffer.reaction.value_or(facts.reaction.value_or(kReactionDefault));
}

Bytes auto_headroom_bytes(const Settings& settings, const PortFacts& facts, std::size_t port) {
    const PortLink link = link_of(settings, facts, port);
    HeadroomInputs inputs{.speed_bps = link.speed_bps,
                          .lossless_mtu = link.frame_bytes_max,
                          .port_mtu = link.frame_bytes_max,
                          .cable_mm = settings.ports[port].cable.mm};
    inputs.reaction = reaction_of(settings, facts);
    const auto& peer = settings.ports[port].peer_response;
    if (peer) inputs.peer_response = ByteFraction{*peer, 1};
    return headroom_bytes(inputs);
}

}  // namespace weir

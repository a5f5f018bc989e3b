// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/hook.h"

#include "dataplane/core/dscp.h"
#include "dataplane/core/shard_state.h"

namespace weir {

namespace {

void note(ShardState& state, Time now, const Frame& frame, Hook hook, Effects& out) {
    if (out.events.room() == 0) return;
    if (!state.hook_events.take(now, Interval::seconds(1), 1)) return;
    out.events.push({.at = now,
                     .number = static_cast<std::uint64_t>(hook),
                     .port = frame.in_port,
                     .kind = EventKind::FramesHooked,
                     .priority = frame.priority});
}

void count(PortCounters& counters, Priority priority, Hook hook) {
    (hook == Hook::First ? counters.hooked_first : counters.hooked_second)[priority].add(1);
}

// A tag goes on with the frame: switches that trust PCP must see the same priority.
void set_pcp(Frame& frame, Priority priority) {
    const std::uint16_t tag = read_be16(frame.data + 2 * kMacBytes + 2);
    write_be16(frame.data + 2 * kMacBytes + 2,
               static_cast<std::uint16_t>((tag & 0x1fff) | (priority << 13)));
}

void move(Frame& frame, const HookMove& to) {
    set_dscp(frame, to.dscp);
    if ((frame.flags & frame_flags::kTagged) != 0) set_pcp(frame, to.priority);
    frame.vlan = frame.priority;
    frame.flags |= frame_flags::kHooked;
    frame.priority = to.priority;
}

}  // namespace

void move_hooks(ShardState& state, Time now, std::span<Frame> burst, Effects& out) {
    const HookTable& table = state.tables->hooks;
    for (Frame& frame : burst) {
        const std::uint8_t dscp = dscp_of(frame);
        const Hook hook = hook_of(table, frame, dscp);
        if (hook == Hook::None) continue;
        count(state.counters[frame.in_port], frame.priority, hook);
        note(state, now, frame, hook, out);
        move(frame, hook == Hook::First ? table.first[frame.priority] : table.second[dscp]);
    }
}

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/reroute.h"

#include "dataplane/core/hold.h"
#include "dataplane/core/router.h"
#include "dataplane/core/send.h"

namespace weir {

namespace {

// Whether each thing that one moved frame may ask for still fits: a hand-off, its handle back, or a
// request for its neighbor's MAC.
bool has_room(const Effects& out) {
    constexpr std::size_t kPerFrame = 1 + kPendingPerNeighborMax;
    if (out.freed.room() < kPerFrame || out.own.room() < 2 || out.events.room() < 2) return false;
    for (const auto& frames : out.hand_offs) {
        if (frames.room() == 0) return false;
    }
    return true;
}

void count_up_ttl(const Frame& frame) {
    std::uint8_t* ip = frame.data + l3_offset(frame);
    if ((frame.flags & frame_flags::kIpv4) != 0) {
        count_up_ttl_ipv4(ip);
    } else {
        ++ip[7];
    }
}

void move(ShardState& state, Time now, PortId from, Frame& frame, Effects& out) {
    if (!choose_again(state, now, frame)) {
        return drop_held(state, from, DropReason::NoUsableNextHop, frame, out);
    }
    state.counters[from].rerouted_frames.add(1);
    count_up_ttl(frame);  // it is counted down again where it is sent
    send_burst(state, now, {&frame, 1}, out);
}

// The port's frames of one priority; false when `out` is full. Frames that may not move keep their
// order behind one another: they are put back.
bool move_queue(ShardState& state, Time now, PortId port, unsigned queue, Effects& out) {
    EgressQueues& queues = state.egress.queues();
    for (std::uint32_t left = queues.at(port, queue).frames; left > 0; --left) {
        if (!has_room(out)) return false;
        Frame frame;
        if (!queues.pop_from(port, queue, frame)) return true;
        if (may_move(frame)) {
            move(state, now, port, frame, out);
        } else {
            send(state, frame, out);
        }
    }
    return true;
}

}  // namespace

bool choose_again(ShardState& state, Time now, Frame& frame) {
    Frame read = frame;  // what the switch knows of the frame stays as it is
    const Parsed parsed = parse(read);
    const Route& route = state.tables->routes[find_route(*state.tables, frame, parsed)];
    if (route.kind != RouteKind::NextHops) return false;
    const PathChoice choice = choose_path(state, now, route, frame, parsed);
    if (!choice.found()) return false;
    const NextHop& hop = choice.hop;
    if (frame.length > state.tables->ports[hop.port].frame_bytes_max) return false;
    frame.gateway = hop.gateway;
    frame.out_port = hop.port;
    // A draw holds for the frames of the flow that arrive later as well.
    if (state.tables->tracks_flows) remember_use(state, now, frame, parsed, choice);
    return true;
}

bool reroute_queued(ShardState& state, Time now, Effects& out) {
    const PortSet left = state.egress.queues().backlog() - state.usable;
    if (left.empty()) [[likely]]
        return false;
    bool all = true;
    left.for_each([&](PortId port) {
        for (unsigned queue = 0; all && queue < kPriorities; ++queue) {
            all = move_queue(state, now, port, queue, out);
        }
    });
    return !all;
}

}  // namespace weir

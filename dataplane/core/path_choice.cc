// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/path_choice.h"

#include <algorithm>

#include "dataplane/core/fast_lane.h"
#include "dataplane/core/flow_key.h"
#include "dataplane/core/router.h"
#include "dataplane/core/selector.h"

namespace weir {

namespace {

PathFlow flow_of(const Frame& frame, const Parsed& parsed) {
    const std::uint8_t* ip = frame.data + parsed.l3_offset;
    PathFlow flow;
    const bool v4 = parsed.kind == FrameKind::Ipv4;
    flow.source = v4 ? read_ipv4(ip + 12) : read_ipv6(ip + 8);
    flow.destination = v4 ? read_ipv4(ip + 16) : read_ipv6(ip + 24);
    flow.source_port = parsed.ports >> 16;
    flow.dest_qp = parsed.dest_qp;
    flow.has_ports = parsed.protocol == kProtocolUdp && !parsed.fragment;
    flow.has_qp = parsed.roce;
    return flow;
}

// Plain RoCEv2 flows are known by what the fast lane knows them by, others by their hash.
FlowKey memory_key(const Tables& tables, const Frame& frame, const Parsed& parsed,
                   std::uint64_t hash) {
    if (is_plain_roce(frame)) return key_of(tables, frame.data);
    const std::uint64_t qp = tables.key_dest_qp ? parsed.dest_qp : 0;
    return {avalanche(hash + qp * kMixC), kOtherFlow};
}

std::uint32_t select(const ShardState& state, Time now, Selector selector,
                     const Candidates& among) {
    switch (selector) {
        case Selector::Flowlet:
            return select_flowlet(state, now, among);
        case Selector::Spray:
            return select_spray(state, now, among);
        case Selector::Adaptive:
            return select_adaptive(state, now, among);
        case Selector::Hash:
        case Selector::Paths:
            break;
    }
    return select_hash(among);
}

void choose_by_selector(const ShardState& state, Time now, Selector selector,
                        const Candidates& among, PathChoice& choice) {
    choice.member = select(state, now, selector, among);
    if (choice.member != kNoMember) choice.hop = among.members[choice.member];
    if (selector == Selector::Spray) choice.gap = {};
    if (selector == Selector::Flowlet || selector == Selector::Adaptive) {
        choice.gap = state.tables->flowlet_gap;
    }
}

// The first usable way of the rule's path; the hash if there is none.
void choose_by_rule(const PathTable& paths, const Candidates& among, PathChoice& choice) {
    const auto path = paths.path(paths.rules[choice.rule]);
    for (std::size_t place = 0; place < path.size(); ++place) {
        if (!among.usable.has(path[place].port)) continue;
        choice.place = static_cast<std::uint8_t>(place);
        choice.hop = path[place];
        return;
    }
    choice.member = select_hash(among);
    if (choice.member != kNoMember) choice.hop = among.members[choice.member];
}

// Whether the tables still lead the flow that way at all.
bool leads_there(const Tables& tables, const Candidates& among, const PathChoice& choice,
                 const NextHop& hop) {
    const auto same = [&](const NextHop& one) {
        return one.gateway == hop.gateway && one.port == hop.port;
    };
    if (!among.usable.has(hop.port)) return false;
    if (std::any_of(among.members.begin(), among.members.end(), same)) return true;
    if (choice.rule == kNoPathRule) return false;
    const auto path = tables.paths.path(tables.paths.rules[choice.rule]);
    return std::any_of(path.begin(), path.end(), same);
}

// The flow was seen before. It goes on as it did if it has not paused, and either it is its
// selector that waits for a pause, or the path tables changed under it.
void stay(const ShardState& state, Time now, std::uint32_t flow, const Candidates& among,
          PathChoice& choice) {
    const FlowEntry& entry = state.flows.at(flow);
    const FlowUse& use = state.flows.use_at(flow);
    const Tables& tables = *state.tables;
    const NextHop hop{entry.gateway, entry.out_port};
    const bool by_flowlet = choice.gap != kNoGap;
    if (!by_flowlet && use.plan == tables.plan) return;
    const Interval gap = by_flowlet ? choice.gap : tables.move_gap;
    if (now - use.seen >= gap) return;
    const bool same = hop.gateway == choice.hop.gateway && hop.port == choice.hop.port;
    if ((same && !by_flowlet) || !leads_there(tables, among, choice, hop)) return;
    choice.hop = hop;
    choice.stays = true;
    choice.gap = gap;
    if (!by_flowlet) choice.plan = use.plan;
}

// Where there are rules or selectors other than the hash.
PathChoice choose_tracked(const ShardState& state, Time now, const Route& route, const Frame& frame,
                          const Parsed& parsed) {
    const Tables& tables = *state.tables;
    const Candidates among{route_members(tables, route), usable_ports(state, route),
                           flow_hash(tables.hash, frame, parsed)};
    PathChoice choice;
    choice.hash = among.hash;
    choice.plan = tables.plan;
    choice.rule = tables.paths.find(frame.in_port, flow_of(frame, parsed));
    if (choice.rule != kNoPathRule) {
        choose_by_rule(tables.paths, among, choice);
    } else {
        choose_by_selector(state, now, route.selector, among, choice);
    }
    if (!choice.found() || choice.gap <= Interval{}) return choice;
    const std::uint32_t flow =
        state.flows.find_before(memory_key(tables, frame, parsed, among.hash), frame.in_port);
    if (flow != kNoFlow) stay(state, now, flow, among, choice);
    return choice;
}

// On the accounts of a rule that has taken over another's number they begin anew.
void count(ShardState& state, std::uint32_t rule, const Frame& frame) {
    if (rule >= state.path_counts.size()) return;
    PathCounts& counts = state.path_counts[rule];
    const std::uint64_t born = state.tables->paths.rules[rule].born;
    if (counts.born.load(std::memory_order_relaxed) != born) {
        counts.frames.add(0 - counts.frames.read());
        counts.bytes.add(0 - counts.bytes.read());
        // Release: who sees the rule sees its own counts.
        counts.born.store(born, std::memory_order_release);
    }
    counts.frames.add(1);
    counts.bytes.add(frame.length);
}

}  // namespace

PathChoice choose_path(const ShardState& state, Time now, const Route& route, const Frame& frame,
                       const Parsed& parsed) {
    if (state.tables->tracks_flows) return choose_tracked(state, now, route, frame, parsed);
    const HashChoice by_hash = choose_by_hash(state, route, frame, parsed);
    PathChoice choice;
    choice.hash = by_hash.hash;
    choice.member = by_hash.member;
    if (choice.member != kNoMember) {
        choice.hop = route_members(*state.tables, route)[choice.member];
    }
    return choice;
}

void note_choice(ShardState& state, const Route& route, const PathChoice& choice,
                 const Frame& frame) {
    if (choice.rule != kNoPathRule) {
        count(state, choice.rule, frame);
    } else if (route.selector == Selector::Spray) {
        ++state.sprayed_frames;
    } else if (route.selector == Selector::Adaptive && !choice.stays) {
        add_given_load(state, choice.hop.port);
    }
}

void remember_use(ShardState& state, Time now, const Frame& frame, const Parsed& parsed,
                  const PathChoice& choice) {
    if (choice.gap <= Interval{}) return;
    FlowEntry entry;
    const bool short_way = make_flow_entry(state, frame, entry);
    if (!short_way) {
        if (frame.gateway == kGatewayIsDestination) return;
        entry.key = memory_key(*state.tables, frame, parsed, choice.hash);
        entry.tag = flow_tag(state.epoch, frame.in_port) | kLongWayTag;
        entry.out_port = frame.out_port;
        entry.gateway = frame.gateway;
    }
    state.flows.insert_with_use(
        entry, {.seen = now, .gap = choice.gap, .rule = choice.rule, .plan = choice.plan});
}

}  // namespace weir

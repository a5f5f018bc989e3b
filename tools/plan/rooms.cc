// SPDX-License-Identifier: BSD-3-Clause
#include "tools/plan/rooms.h"

#include <algorithm>

namespace weir::plan {

namespace {

constexpr std::uint32_t kNone = 0xffff'ffff;
constexpr unsigned kPairsMax = 64;

}  // namespace

Rooms::Rooms(const Bipartite& graph, std::vector<std::int64_t> rates, unsigned colours)
    : graph_(graph),
      rates_(std::move(rates)),
      colours_count_(colours),
      left_room_(std::size_t{graph.lefts} * colours, 0),
      right_room_(std::size_t{graph.rights} * colours, 0),
      colour_(graph.edges.size(), kNone),
      fixed_(graph.edges.size(), false),
      holders_(std::size_t{graph.lefts + graph.rights} * colours),
      seen_(graph.lefts + graph.rights) {}

void Rooms::set(std::uint32_t edge, std::uint32_t colour) {
    for (const std::uint32_t node : {left(edge), right(edge)}) {
        if (colour_[edge] != kNone) {
            auto& before = holders(node, colour_[edge]);
            before.erase(std::find(before.begin(), before.end(), edge));
            room_of(node, colour_[edge]) += rates_[edge];
        }
        if (colour != kNone) {
            holders(node, colour).push_back(edge);
            room_of(node, colour) -= rates_[edge];
        }
    }
    colour_[edge] = colour;
}

void Rooms::place(std::uint32_t edge, unsigned colour, bool fixed) {
    set(edge, colour);
    fixed_[edge] = fixed;
}

bool Rooms::insert(std::uint32_t edge, bool may_move_fixed) {
    const std::uint32_t colour = direct(edge);
    if (colour != kNone) {
        set(edge, colour);
        return true;
    }
    if (!find_chain(edge, may_move_fixed) && !find_pair_chain(edge, may_move_fixed)) return false;
    for (std::uint32_t step = end_; step != kNone; step = steps_[step].before) {
        set(steps_[step].edge, steps_[step].colour);
    }
    return true;
}

// The colour with the most room at the fuller end.
std::uint32_t Rooms::direct(std::uint32_t edge) {
    std::uint32_t best = kNone;
    std::int64_t best_room = rates_[edge] - 1;
    for (unsigned c = 0; c < colours_count_; ++c) {
        const std::int64_t room = std::min(room_of(left(edge), c), room_of(right(edge), c));
        if (room > best_room) {
            best = c;
            best_room = room;
        }
    }
    return best;
}

// Breadth first, so that as few flows move as can be. Every node is passed once: a chain never
// meets itself.
bool Rooms::find_chain(std::uint32_t edge, bool may_move_fixed) {
    steps_.clear();
    std::fill(seen_.begin(), seen_.end(), false);
    seen_[left(edge)] = true;
    for (unsigned c = 0; c < colours_count_; ++c) {
        if (!allowed(c) || room_of(left(edge), c) < rates_[edge]) continue;
        steps_.push_back({edge, c, right(edge), kNone});
    }
    for (std::uint32_t step = 0; step < steps_.size(); ++step) {
        const std::uint32_t node = steps_[step].vertex;
        if (seen_[node] && steps_[step].before != kNone) continue;
        seen_[node] = true;
        if (look_from(step, edge, may_move_fixed)) return true;
    }
    return false;
}

// The search over all colours meets every node with the first colour that comes by and may miss a
// chain. Over two colours it misses none: one with room at the left end, one with room at the
// right.
bool Rooms::find_pair_chain(std::uint32_t edge, bool may_move_fixed) {
    unsigned tries = 0;
    bool found = false;
    for (unsigned a = 0; a < colours_count_ && !found && tries < kPairsMax; ++a) {
        if (room_of(left(edge), a) < rates_[edge]) continue;
        for (unsigned b = 0; b < colours_count_ && !found && tries < kPairsMax; ++b) {
            if (b == a || room_of(right(edge), b) < rates_[edge]) continue;
            pair_ = {a, b};
            found = find_chain(edge, may_move_fixed);
            ++tries;
        }
    }
    pair_ = {kNone, kNone};
    return found;
}

// A holder of the colour of which the node has too much takes another one.
bool Rooms::look_from(std::uint32_t step, std::uint32_t moved, bool may_move_fixed) {
    const Step now = steps_[step];
    const std::int64_t rate = rates_[moved];
    const std::uint32_t freed =
        now.before == kNone ? kNone : colour_[now.edge];  // at this node, by the step itself
    for (const std::uint32_t other : holders(now.vertex, now.colour)) {
        if (rates_[other] != rate || (fixed_[other] && !may_move_fixed)) continue;
        const std::uint32_t far = left(other) == now.vertex ? right(other) : left(other);
        if (seen_[far]) continue;
        for (unsigned c = 0; c < colours_count_; ++c) {
            if (c == now.colour || !allowed(c) || (c != freed && room_of(now.vertex, c) < rate))
                continue;
            steps_.push_back({other, c, far, step});
            if (room_of(far, c) < rate) continue;
            end_ = static_cast<std::uint32_t>(steps_.size() - 1);
            return true;
        }
    }
    return false;
}

}  // namespace weir::plan

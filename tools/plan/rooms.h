// SPDX-License-Identifier: BSD-3-Clause
// Puts flows into a fabric whose switches have room for a given rate by each switch above them.
// Where a flow has no place, others make room along the shortest chain of moves: each gives its
// place to the one before and takes another. Between two uppers this is an augmenting path of the
// maximum flow, so a place is found whenever there is one; over more it is a search that may miss
// one, which is why the caller compares what it reached with a bound.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tools/plan/bipartite.h"

namespace weir::plan {

class Rooms {
  public:
    // Rates of the edges; `fixed` ones are moved only when insert() is told so.
    Rooms(const Bipartite& graph, std::vector<std::int64_t> rates, unsigned colours);

    enum class Side : std::uint8_t { Left, Right };
    void add_room(Side side, std::uint32_t vertex, unsigned colour, std::int64_t bps) {
        room_at(side, vertex, colour) += bps;
    }
    // Takes a place without asking whether there is room.
    void place(std::uint32_t edge, unsigned colour, bool fixed);
    // False: there is no place, and nothing has changed.
    bool insert(std::uint32_t edge, bool may_move_fixed);

    // kNone of an edge without a place.
    [[nodiscard]] const std::vector<std::uint32_t>& colours() const { return colour_; }

  private:
    struct Step {
        std::uint32_t edge = 0;    // is given `colour`
        std::uint32_t colour = 0;  // of which the vertex that it leads to then has too much
        std::uint32_t vertex = 0;
        std::uint32_t before = 0;  // step that made this one necessary
    };

    [[nodiscard]] std::int64_t& room_at(Side side, std::uint32_t vertex, unsigned colour) {
        return (side == Side::Left ? left_room_ : right_room_)[vertex * colours_count_ + colour];
    }
    [[nodiscard]] std::int64_t& room_of(std::uint32_t node, unsigned colour) {
        return node < graph_.lefts ? left_room_[node * colours_count_ + colour]
                                   : right_room_[(node - graph_.lefts) * colours_count_ + colour];
    }
    [[nodiscard]] std::uint32_t left(std::uint32_t edge) const { return graph_.edges[edge].left; }
    [[nodiscard]] std::uint32_t right(std::uint32_t edge) const {
        return graph_.lefts + graph_.edges[edge].right;
    }
    [[nodiscard]] std::uint32_t direct(std::uint32_t edge);
    [[nodiscard]] bool find_chain(std::uint32_t edge, bool may_move_fixed);
    [[nodiscard]] bool find_pair_chain(std::uint32_t edge, bool may_move_fixed);
    [[nodiscard]] bool look_from(std::uint32_t step, std::uint32_t moved, bool may_move_fixed);
    [[nodiscard]] bool allowed(std::uint32_t colour) const {
        return pair_.first == ~0u || colour == pair_.first || colour == pair_.second;
    }
    void set(std::uint32_t edge, std::uint32_t colour);
    [[nodiscard]] std::vector<std::uint32_t>& holders(std::uint32_t node, unsigned colour) {
        return holders_[node * colours_count_ + colour];
    }

    const Bipartite& graph_;
    std::vector<std::int64_t> rates_;
    unsigned colours_count_;
    std::vector<std::int64_t> left_room_;
    std::vector<std::int64_t> right_room_;
    std::vector<std::uint32_t> colour_;
    std::vector<bool> fixed_;
    std::vector<std::vector<std::uint32_t>> holders_;  // edges, by node and colour
    std::vector<Step> steps_;
    std::vector<bool> seen_;                                  // by node
    std::pair<std::uint32_t, std::uint32_t> pair_{~0u, ~0u};  // colours of a search over two
    std::uint32_t end_ = 0;                                   // the step at which a chain ends
};

}  // namespace weir::plan

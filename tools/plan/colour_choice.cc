// SPDX-License-Identifier: BSD-3-Clause
#include "tools/plan/colour_choice.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "tools/plan/equitable.h"
#include "tools/plan/rooms.h"

namespace weir::plan {

namespace {

constexpr unsigned kRaisesMax = 1'000;

class Search {
  public:
    Search(const ColourQuestion& question, const Dealer& dealer)
        : question_(question),
          dealer_(dealer),
          rooms_(question.graph, {question.rates.begin(), question.rates.end()}, question.colours),
          given_(2 * std::size_t{question.graph.lefts + question.graph.rights} * question.colours) {
        for (const std::uint64_t rate : question.rates) demand_.add(rate);
    }

    [[nodiscard]] std::vector<std::uint32_t> all() {
        place_kept();
        for (std::uint32_t e = 0; e < question_.rates.size(); ++e) {
            if (rooms_.colours()[e] == kNone) waiting_.push_back(e);
        }
        if (question_.thrifty) {
            give_rooms([&](Hop hop) { return dealer_.free_for_job(hop); });
            insert_waiting(false);
        }
        double aim = least_possible();
        for (unsigned raises = 0; !waiting_.empty() && raises < kRaisesMax; ++raises) {
            give_rooms([&](Hop hop) { return room(hop, aim); });
            insert_waiting(false);
            insert_waiting(true);
            aim += step();
        }
        for (const std::uint32_t e : waiting_) rooms_.place(e, anywhere(e), false);
        return rooms_.colours();
    }

  private:
    [[nodiscard]] static unsigned index_of(bool up) { return up ? 0 : 1; }

    void place_kept() {
        for (std::uint32_t e = 0; e < question_.kept.size(); ++e) {
            if (question_.kept[e] == kNone) continue;
            kept_load_[question_.kept_up[e]] += question_.rates[e];
            kept_load_[question_.kept_down[e]] += question_.rates[e];
            const Bipartite::Edge edge = question_.graph.edges[e];
            const auto rate = static_cast<std::int64_t>(question_.rates[e]);
            // Their links are counted as taken; place() takes the room once more.
            rooms_.add_room(Rooms::Side::Left, edge.left, question_.kept[e], rate);
            rooms_.add_room(Rooms::Side::Right, edge.right, question_.kept[e], rate);
            rooms_.place(e, question_.kept[e], true);
        }
    }

    [[nodiscard]] std::uint64_t fixed(Hop hop) const {
        const auto kept = kept_load_.find(hop);
        return dealer_.fixed(hop) + (kept == kept_load_.end() ? 0 : kept->second);
    }

    // What a link takes if it may be as full as `aim`: whole flows, if they are all alike.
    [[nodiscard]] std::uint64_t room(Hop hop, double aim) const {
        const double free = aim * static_cast<double>(rate_of(dealer_.topology(), hop)) -
                            static_cast<double>(fixed(hop));
        if (free <= 0) return 0;
        if (demand_.largest_bps != demand_.smallest_bps) return static_cast<std::uint64_t>(free);
        const double flows = std::floor(free / static_cast<double>(demand_.largest_bps) + 1e-9);
        return static_cast<std::uint64_t>(flows) * demand_.largest_bps;
    }

    template <typename Visit>
    void for_each_room(Visit visit) {
        for (const bool up : {true, false}) {
            const std::uint32_t vertices = up ? question_.graph.lefts : question_.graph.rights;
            for (std::uint32_t v = 0; v < vertices; ++v) {
                for (unsigned c = 0; c < question_.colours; ++c) visit(v, c, up);
            }
        }
    }

    // Raises the rooms to what `of_hop` says.
    template <typename OfHop>
    void give_rooms(OfHop of_hop) {
        std::size_t at = 0;
        for_each_room([&](std::uint32_t v, unsigned c, bool up) {
            std::uint64_t sum = 0;
            for (const Hop hop : question_.links(v, c, up)) sum += of_hop(hop);
            std::uint64_t& given = given_[at++];
            if (sum <= given) return;
            rooms_.add_room(up ? Rooms::Side::Left : Rooms::Side::Right, v, c,
                            static_cast<std::int64_t>(sum - given));
            given = sum;
        });
    }

    void insert_waiting(bool may_move_kept) {
        if (may_move_kept && question_.kept.empty()) return;
        std::erase_if(waiting_, [&](std::uint32_t e) { return rooms_.insert(e, may_move_kept); });
    }

    // The bound of the fullest vertex.
    [[nodiscard]] double least_possible() const {
        std::vector<Demand> left(question_.graph.lefts);
        std::vector<Demand> right(question_.graph.rights);
        for (const std::uint32_t e : waiting_) {
            left[question_.graph.edges[e].left].add(question_.rates[e]);
            right[question_.graph.edges[e].right].add(question_.rates[e]);
        }
        double least = 0;
        for (std::uint32_t v = 0; v < left.size(); ++v) {
            least = std::max(least, least_fullest(links_of(v, true), left[v]));
        }
        for (std::uint32_t v = 0; v < right.size(); ++v) {
            least = std::max(least, least_fullest(links_of(v, false), right[v]));
        }
        return least;
    }

    [[nodiscard]] std::vector<LinkRoom> links_of(std::uint32_t v, bool up) const {
        std::vector<LinkRoom> links;
        for (unsigned c = 0; c < question_.colours; ++c) {
            for (const Hop hop : question_.links(v, c, up)) {
                links.push_back({rate_of(dealer_.topology(), hop), fixed(hop)});
            }
        }
        return links;
    }

    // One of the smallest flows more on the fastest link.
    [[nodiscard]] double step() const {
        std::uint64_t fastest = 1;
        for (unsigned c = 0; c < question_.colours; ++c) {
            for (const Hop hop : question_.links(0, c, true)) {
                fastest = std::max(fastest, rate_of(dealer_.topology(), hop));
            }
        }
        return static_cast<double>(demand_.smallest_bps) / static_cast<double>(fastest);
    }

    [[nodiscard]] unsigned anywhere(std::uint32_t e) const {
        const Bipartite::Edge edge = question_.graph.edges[e];
        for (unsigned c = 0; c < question_.colours; ++c) {
            if (!question_.links(edge.left, c, true).empty() &&
                !question_.links(edge.right, c, false).empty()) {
                return c;
            }
        }
        return 0;
    }

    const ColourQuestion& question_;
    const Dealer& dealer_;
    Demand demand_;
    Rooms rooms_;
    std::vector<std::uint64_t> given_;
    std::map<Hop, std::uint64_t> kept_load_;
    std::vector<std::uint32_t> waiting_;
};

}  // namespace

std::vector<std::uint32_t> choose_colours(const ColourQuestion& question, const Dealer& dealer) {
    const bool none_kept = std::all_of(question.kept.begin(), question.kept.end(),
                                       [](std::uint32_t colour) { return colour == kNone; });
    if (question.uniform && none_kept) return equitable_colours(question.graph, question.colours);
    return Search(question, dealer).all();
}

}  // namespace weir::plan

// SPDX-License-Identifier: BSD-3-Clause
#include "tools/plan/assign.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>

#include "tools/plan/colour_choice.h"
#include "tools/plan/dealer.h"
#include "tools/plan/equitable.h"
#include "tools/plan/reserved_links.h"
#include "tools/plan/shortest_ways.h"

namespace weir::plan {

namespace {

using Indexes = std::vector<std::uint32_t>;

// For jobs that overlap while their phases come in any order. Even: every phase for itself, jobs
// side by side on parallel links. Thrifty: a phase first takes links that its job has had before.
// Reserved: see reserved_links.h.
enum class Method : std::uint8_t { Even, Thrifty, Reserved };

class Assigner {
  public:
    Assigner(const Tiers& tiers, std::span<const Flow> flows, std::span<const Way> kept,
             Method method)
        : tiers_(tiers),
          topology_(tiers.topology()),
          flows_(flows),
          kept_(kept),
          method_(method),
          dealer_(topology_),
          ways_(flows.size()) {
        find_jobs();
    }

    // Jobs that overlap, while their phases come in any order: there is more than one method.
    [[nodiscard]] bool several() const {
        return jobs_.size() > 1 && std::any_of(jobs_.begin(), jobs_.end(), [](const auto& phases) {
                   return phases.size() > 1;
               });
    }

    [[nodiscard]] std::vector<Way> all() {
        if (method_ == Method::Reserved && !reserve()) return {};
        for (job_ = 0; job_ < jobs_.size(); ++job_) {
            for (const Indexes& phase : jobs_[job_]) {
                assign_phase(phase);
                dealer_.next_phase();
            }
            dealer_.next_job();
        }
        return std::move(ways_);
    }

  private:
    [[nodiscard]] NodeId from(std::size_t i) const { return leaf_of(topology_, flows_[i].source); }
    [[nodiscard]] NodeId to(std::size_t i) const {
        return leaf_of(topology_, flows_[i].destination);
    }
    [[nodiscard]] bool only_phase(std::size_t begin, std::size_t end) const {
        return (begin == 0 || flows_[begin - 1].job != flows_[begin].job) &&
               (end == flows_.size() || flows_[end].job != flows_[begin].job);
    }
    // Jobs of one phase overlap for good and are spread together, as one.
    void find_jobs() {
        Indexes steady;
        std::uint32_t last = kNone;
        for_each_phase(flows_, [&](std::size_t begin, std::size_t end) {
            Indexes phase;
            const bool only = only_phase(begin, end);
            for (std::size_t i = begin; i < end; ++i) {
                if (from(i) != to(i))
                    (only ? steady : phase).push_back(static_cast<std::uint32_t>(i));
            }
            if (phase.empty()) return;
            if (flows_[begin].job != last) jobs_.emplace_back();
            jobs_.back().push_back(std::move(phase));
            last = flows_[begin].job;
        });
        if (!steady.empty()) jobs_.insert(jobs_.begin(), {std::move(steady)});
    }

    // Links of a leaf for each job; false: there are not enough.
    [[nodiscard]] bool reserve() {
        parallel_ = parallel_everywhere(tiers_);
        std::vector<unsigned> flows_max;
        for (const auto& phases : jobs_) {
            unsigned most = 0;
            for (const Indexes& phase : phases) {
                std::unordered_map<NodeId, unsigned> out;
                std::unordered_map<NodeId, unsigned> in;
                for (const std::uint32_t i : phase) {
                    most = std::max({most, ++out[from(i)], ++in[to(i)]});
                }
            }
            flows_max.push_back(most);
        }
        const auto spines = static_cast<unsigned>(tiers_.leaves().upper.size());
        reserved_ = reserve_links(flows_max, parallel_ * spines);
        return !reserved_.empty();
    }

    // Link n of a leaf: first one to each spine, then the second ones.
    void assign_reserved(const Indexes& flows) {
        const Stage& stage = tiers_.leaves();
        Bipartite graph;
        graph.lefts = graph.rights = static_cast<unsigned>(stage.lower.size());
        for (const std::uint32_t i : flows) {
            graph.edges.push_back({tiers_.index_of(from(i)), tiers_.index_of(to(i))});
        }
        const Reserved mine = reserved_[job_];
        const std::vector<std::uint32_t> colours = equitable_colours(graph, mine.count);
        for (std::size_t k = 0; k < flows.size(); ++k) {
            const unsigned link = mine.first + colours[k];
            const NodeId spine = stage.upper[link % stage.upper.size()];
            const std::size_t parallel = link / stage.upper.size();
            for (const Hop hop : {tiers_.bundle(from(flows[k]), spine)[parallel],
                                  tiers_.bundle(spine, to(flows[k]))[parallel]}) {
                dealer_.put(hop, flows_[flows[k]].rate_bps);
                ways_[flows[k]].add(hop);
            }
        }
    }

    void assign_phase(Indexes flows) {
        std::stable_sort(flows.begin(), flows.end(), [&](std::uint32_t a, std::uint32_t b) {
            return flows_[a].rate_bps > flows_[b].rate_bps;
        });
        if (method_ == Method::Reserved) return assign_reserved(flows);
        switch (tiers_.kind()) {
            case Tiers::Kind::Two:
                return assign_two(flows);
            case Tiers::Kind::Three:
                return assign_three(flows);
            case Tiers::Kind::Other:
                return assign_shortest_ways(tiers_, flows_, flows, dealer_, ways_);
        }
    }

    // The node at the other end of the hop that a running flow takes there, or kNone.
    [[nodiscard]] NodeId kept_node(std::uint32_t flow, unsigned hop) const {
        if (kept_.empty() || kept_[flow].hops <= hop) return kNone;
        return to_of(topology_, kept_[flow].hop[hop]);
    }

    // Colours for `items`; the k-th hop of a kept way leads up, the one `down` after it down.
    struct Hops {
        unsigned up = 0;
        unsigned down = 1;
    };
    void keep_colours(const Indexes& items, Hops hops, ColourQuestion& question) const {
        if (kept_.empty()) return;
        question.kept.assign(items.size(), kNone);
        question.kept_up.assign(items.size(), 0);
        question.kept_down.assign(items.size(), 0);
        for (std::size_t e = 0; e < items.size(); ++e) {
            const Way& way = kept_[items[e]];
            if (way.hops == 0) continue;
            question.kept[e] = tiers_.index_of(to_of(topology_, way.hop[hops.up]));
            question.kept_up[e] = way.hop[hops.up];
            question.kept_down[e] = way.hop[way.hops - hops.down];
        }
    }

    // The least full link, or the one that the flow has had.
    Hop deal(std::uint32_t flow, const std::vector<Hop>& bundle, std::uint64_t rate) {
        Hop best = dealer_.least(bundle, rate);
        if (!kept_.empty()) {
            for (const Hop hop : kept_[flow].all()) {
                if (std::find(bundle.begin(), bundle.end(), hop) != bundle.end()) best = hop;
            }
        }
        dealer_.put(best, rate);
        return best;
    }
    // Running flows first, so that new ones see what they leave.
    template <typename Deal>
    void deal_all(const Indexes& flows, Deal deal_one) {
        for (const bool running : {true, false}) {
            for (std::uint32_t k = 0; k < flows.size(); ++k) {
                const bool has = !kept_.empty() && kept_[flows[k]].hops != 0;
                if (has == running) deal_one(k);
            }
        }
    }

    [[nodiscard]] ColourQuestion question_of(const Indexes& flows) const {
        ColourQuestion question;
        for (const std::uint32_t i : flows) question.rates.push_back(flows_[i].rate_bps);
        question.thrifty = method_ == Method::Thrifty;
        return question;
    }

    void assign_two(const Indexes& flows) {
        const Stage& stage = tiers_.leaves();
        ColourQuestion question = question_of(flows);
        question.graph.lefts = question.graph.rights = static_cast<unsigned>(stage.lower.size());
        for (const std::uint32_t i : flows) {
            question.graph.edges.push_back({tiers_.index_of(from(i)), tiers_.index_of(to(i))});
        }
        question.colours = static_cast<unsigned>(stage.upper.size());
        question.uniform = stage.uniform && method_ == Method::Even;
        question.links = [&](std::uint32_t v, unsigned c, bool up) -> const std::vector<Hop>& {
            return up ? tiers_.bundle(stage.lower[v], stage.upper[c])
                      : tiers_.bundle(stage.upper[c], stage.lower[v]);
        };
        keep_colours(flows, {}, question);
        const std::vector<std::uint32_t> spines = choose_colours(question, dealer_);
        deal_all(flows, [&](std::uint32_t k) {
            const NodeId spine = stage.upper[spines[k]];
            go(flows[k], spine);
        });
        deal_all(flows, [&](std::uint32_t k) { come_down(flows[k], to(flows[k])); });
    }

    // One hop up, to a switch.
    void go(std::uint32_t flow, NodeId upper) {
        const NodeId at = ways_[flow].empty() ? from(flow) : last(flow);
        const auto& bundle = tiers_.bundle(at, upper);
        if (!bundle.empty()) ways_[flow].add(deal(flow, bundle, flows_[flow].rate_bps));
    }
    [[nodiscard]] NodeId last(std::uint32_t flow) const {
        const Way& way = ways_[flow];
        return to_of(topology_, way.hop[way.hops - 1]);
    }

    // One hop down. What a host sends behind a leaf is told apart by the port it comes in by, so
    // all that share a link there share the next one as well.
    void come_down(std::uint32_t flow, NodeId lower) {
        if (ways_[flow].empty()) return;
        const auto& bundle = tiers_.bundle(last(flow), lower);
        if (bundle.empty()) {
            ways_[flow] = {};
            return;
        }
        if (!topology_.is_switch(flows_[flow].destination) || bundle.size() == 1) {
            return ways_[flow].add(deal(flow, bundle, flows_[flow].rate_bps));
        }
        const Hop before = ways_[flow].hop[ways_[flow].hops - 1];
        const auto [group, is_new] = shared_.try_emplace({before, to(flow)}, 0);
        if (is_new) group->second = dealer_.least(bundle, flows_[flow].rate_bps);
        dealer_.put(group->second, flows_[flow].rate_bps);
        ways_[flow].add(group->second);
    }

    void assign_three(const Indexes& flows) {
        const Stage& stage = tiers_.leaves();
        ColourQuestion question = question_of(flows);
        question.graph.lefts = question.graph.rights = static_cast<unsigned>(stage.lower.size());
        question.graph.parents = tiers_.pods();
        for (const NodeId edge : stage.lower) {
            question.graph.left_parent.push_back(tiers_.pod_of(edge));
        }
        question.graph.right_parent = question.graph.left_parent;
        for (const std::uint32_t i : flows) {
            question.graph.edges.push_back({tiers_.index_of(from(i)), tiers_.index_of(to(i))});
        }
        question.colours = static_cast<unsigned>(stage.upper.size());
        question.uniform = stage.uniform && method_ == Method::Even;
        question.links = [&](std::uint32_t v, unsigned c, bool up) -> const std::vector<Hop>& {
            const NodeId edge = stage.lower[v];
            const NodeId above = tiers_.aggregation(tiers_.pod_of(edge), c);
            return up ? tiers_.bundle(edge, above) : tiers_.bundle(above, edge);
        };
        keep_colours(flows, {}, question);
        const std::vector<std::uint32_t> planes = choose_colours(question, dealer_);
        std::vector<Indexes> inter(question.colours);
        deal_all(flows, [&](std::uint32_t k) {
            const std::uint32_t i = flows[k];
            go(i, tiers_.aggregation(tiers_.pod_of(from(i)), planes[k]));
            if (tiers_.pod_of(from(i)) != tiers_.pod_of(to(i))) inter[planes[k]].push_back(i);
        });
        for (std::uint32_t plane = 0; plane < inter.size(); ++plane) {
            assign_plane(plane, inter[plane]);
        }
        deal_all(flows, [&](std::uint32_t k) { come_down(flows[k], to(flows[k])); });
    }

    // Flows that need not be told apart on their way up are one.
    [[nodiscard]] std::vector<Indexes> groups_of(const Indexes& flows) const {
        std::vector<Indexes> groups;
        std::map<std::pair<Hop, NodeId>, std::size_t> known;
        for (const std::uint32_t i : flows) {
            if (ways_[i].empty()) continue;
            if (!topology_.is_switch(flows_[i].destination)) {
                groups.push_back({i});
                continue;
            }
            const auto [at, is_new] = known.try_emplace({ways_[i].hop[0], to(i)}, groups.size());
            if (is_new) groups.emplace_back();
            groups[at->second].push_back(i);
        }
        return groups;
    }

    void assign_plane(std::uint32_t plane, const Indexes& flows) {
        const Stage& stage = tiers_.planes()[plane];
        const std::vector<Indexes> groups = groups_of(flows);
        ColourQuestion question;
        Indexes firsts;
        question.thrifty = method_ == Method::Thrifty;
        question.graph.lefts = question.graph.rights = tiers_.pods();
        for (const Indexes& group : groups) {
            std::uint64_t rate = 0;
            for (const std::uint32_t i : group) rate += flows_[i].rate_bps;
            question.rates.push_back(rate);
            firsts.push_back(group.front());
            question.graph.edges.push_back(
                {tiers_.pod_of(from(group.front())), tiers_.pod_of(to(group.front()))});
        }
        question.colours = static_cast<unsigned>(stage.upper.size());
        question.uniform = stage.uniform && method_ == Method::Even;
        question.links = [&](std::uint32_t v, unsigned c, bool up) -> const std::vector<Hop>& {
            return up ? tiers_.bundle(stage.lower[v], stage.upper[c])
                      : tiers_.bundle(stage.upper[c], stage.lower[v]);
        };
        keep_upper(plane, firsts, question);
        const std::vector<std::uint32_t> cores = choose_colours(question, dealer_);
        deal_all(firsts, [&](std::uint32_t k) {
            const NodeId core = stage.upper[cores[k]];
            go_together(groups[k], core);
            go_together(groups[k], stage.lower[tiers_.pod_of(to(firsts[k]))]);
        });
    }

    // Only flows that stayed in the plane can stay on its cores.
    void keep_upper(std::uint32_t plane, const Indexes& firsts, ColourQuestion& question) const {
        keep_colours(firsts, {.up = 1, .down = 2}, question);
        for (std::size_t e = 0; e < question.kept.size(); ++e) {
            if (question.kept[e] == kNone) continue;
            if (tiers_.index_of(kept_node(firsts[e], 0)) != plane) question.kept[e] = kNone;
        }
    }

    void go_together(const Indexes& group, NodeId next) {
        std::uint64_t rate = 0;
        for (const std::uint32_t i : group) rate += flows_[i].rate_bps;
        const auto& bundle = tiers_.bundle(last(group.front()), next);
        if (bundle.empty()) return;
        const Hop hop = deal(group.front(), bundle, rate);
        for (const std::uint32_t i : group) ways_[i].add(hop);
    }

    const Tiers& tiers_;
    const Topology& topology_;
    std::span<const Flow> flows_;
    std::span<const Way> kept_;
    Method method_;
    Dealer dealer_;
    std::vector<Way> ways_;
    std::map<std::pair<Hop, NodeId>, Hop> shared_;
    std::vector<std::vector<Indexes>> jobs_;  // phases of each; they never overlap, jobs do
    std::size_t job_ = 0;                     // that is assigned
    std::vector<Reserved> reserved_;          // by job
    unsigned parallel_ = 0;
};

double fullest_of(const Topology& topology, std::span<const Flow> flows,
                  const std::vector<Way>& primary) {
    std::vector<Ways> ways(primary.size());
    for (std::size_t i = 0; i < ways.size(); ++i) ways[i].primary = primary[i];
    return summary_of(topology, loads_of(topology, flows, ways)).fullest;
}

}  // namespace

std::vector<Way> assign_ways(const Tiers& tiers, std::span<const Flow> flows,
                             std::span<const Way> kept) {
    const bool running =
        std::any_of(kept.begin(), kept.end(), [](const Way& way) { return !way.empty(); });
    const bool several = Assigner(tiers, flows, kept, Method::Even).several();
    if (!several || running) {
        const Method method = several ? Method::Thrifty : Method::Even;
        return Assigner(tiers, flows, kept, method).all();
    }
    std::vector<Way> best;
    double least = kUnreachable;
    for (const Method method : {Method::Even, Method::Thrifty, Method::Reserved}) {
        std::vector<Way> ways = Assigner(tiers, flows, kept, method).all();
        if (ways.empty()) continue;
        const double fullest = fullest_of(tiers.topology(), flows, ways);
        if (fullest >= least) continue;
        least = fullest;
        best = std::move(ways);
    }
    return best;
}

}  // namespace weir::plan

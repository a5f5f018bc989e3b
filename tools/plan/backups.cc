// SPDX-License-Identifier: BSD-3-Clause
#include "tools/plan/backups.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "tools/plan/colour_choice.h"
#include "tools/plan/dealer.h"
#include "tools/plan/shortest_ways.h"

namespace weir::plan {

namespace {

using Indexes = std::vector<std::uint32_t>;

// What failures would put onto links beside what is there: by (event, hop). An event is a link, or
// a class of flows that one switch carries.
class Extra {
  public:
    void put(std::uint32_t event, Hop hop, std::uint64_t rate) { load_[key(event, hop)] += rate; }
    [[nodiscard]] std::uint64_t of(std::uint32_t event, Hop hop) const {
        const auto found = load_.find(key(event, hop));
        return found == load_.end() ? 0 : found->second;
    }
    void take(std::uint32_t event, Hop hop, std::uint64_t rate) { load_[key(event, hop)] -= rate; }
    void clear() { load_.clear(); }

  private:
    static std::uint64_t key(std::uint32_t event, Hop hop) {
        return (std::uint64_t{event} << 32) | hop;
    }
    std::unordered_map<std::uint64_t, std::uint64_t> load_;
};

constexpr std::uint32_t kWholeClass = 0xffff'ffff;  // the event: a switch is gone

constexpr unsigned kRoundsMax = 8;
constexpr double kEqual = 1e-9;

// Above so many flows of one class they are spread evenly, without a look at what is there: single
// flows then hardly matter, and a search would take long.
constexpr std::size_t kSearchedMax = 8'192;

class Backups {
  public:
    Backups(const Tiers& tiers, std::span<const Flow> flows, std::vector<Way> primary)
        : tiers_(tiers),
          topology_(tiers.topology()),
          flows_(flows),
          bound_(tiers, flows),
          dealer_(topology_),
          ways_(flows.size()) {
        for (std::size_t i = 0; i < flows.size(); ++i) ways_[i].primary = primary[i];
        const Loads loads = loads_of(topology_, flows, ways_);
        for (Hop hop = 0; hop < loads.size(); ++hop) dealer_.put(hop, loads[hop]);
        for (std::size_t i = 0; i < flows.size(); ++i) remember(i, primary[i]);
    }

    [[nodiscard]] std::vector<Ways> all() {
        Indexes steady;
        for_each_phase(flows_, [&](std::size_t begin, std::size_t end) {
            const bool only = (begin == 0 || flows_[begin - 1].job != flows_[begin].job) &&
                              (end == flows_.size() || flows_[end].job != flows_[begin].job);
            Indexes phase;
            for (std::size_t i = begin; i < end; ++i) {
                if (ways_[i].primary.empty()) continue;
                (only ? steady : phase).push_back(static_cast<std::uint32_t>(i));
            }
            if (only) return;
            plan_phase(phase);
            if (end == flows_.size() || flows_[end].job != flows_[begin].job) close_job();
        });
        plan_phase(steady);
        return std::move(ways_);
    }

  private:
    [[nodiscard]] NodeId from(std::uint32_t i) const {
        return leaf_of(topology_, flows_[i].source);
    }
    [[nodiscard]] NodeId to(std::uint32_t i) const {
        return leaf_of(topology_, flows_[i].destination);
    }

    void plan_phase(const Indexes& flows) {
        plan_sides(flows);
        if (tiers_.kind() == Tiers::Kind::Other) return plan_other(flows);
        std::map<NodeId, Indexes> classes;  // by the first switch above the leaves, or its plane
        for (const std::uint32_t i : flows) {
            const NodeId above = to_of(topology_, ways_[i].primary.hop[0]);
            classes[tiers_.index_of(above)].push_back(i);
        }
        for (auto& [above, members] : classes) {
            std::stable_sort(members.begin(), members.end(), [&](std::uint32_t a, std::uint32_t b) {
                if (flows_[a].rate_bps != flows_[b].rate_bps) {
                    return flows_[a].rate_bps > flows_[b].rate_bps;
                }
                return ways_[a].primary.hop[0] < ways_[b].primary.hop[0];
            });
            extra_.clear();
            for (const auto& [hop, load] : others_[above]) dealer_.put(hop, load);
            plan_lower(above, members);
            for (const auto& [hop, load] : others_[above]) dealer_.take(hop, load);
            count_moved(above, members);
            if (tiers_.kind() == Tiers::Kind::Three) plan_upper(above, members);
        }
    }

    // What the loss of a class puts onto links: the worst phase of each job, added up over the jobs
    // that came before.
    using Moved = std::map<std::uint32_t, std::unordered_map<Hop, std::uint64_t>>;

    void count_moved(std::uint32_t above, const Indexes& flows) {
        std::unordered_map<Hop, std::uint64_t> moved;
        for (const std::uint32_t i : flows) {
            for (const Hop hop : ways_[i].lower.all()) moved[hop] += flows_[i].rate_bps;
        }
        for (const auto& [hop, load] : moved) {
            job_[above][hop] = std::max(job_[above][hop], load);
        }
    }
    void close_job() {
        for (const auto& [above, moved] : job_) {
            for (const auto& [hop, load] : moved) others_[above][hop] += load;
        }
        job_.clear();
    }

    // ---- parallel links downward ----

    void plan_sides(const Indexes& flows) {
        extra_.clear();
        for (const std::uint32_t i : flows) {
            const Way& way = ways_[i].primary;
            for (unsigned k = 0; k < 2 && way.hops / 2u > k; ++k) {
                const Hop hop = way.hop[way.hops - 1u - k];
                const auto& bundle = tiers_.bundle(from_of(topology_, hop), to_of(topology_, hop));
                if (bundle.size() > 1) ways_[i].side[k] = side_of(i, hop, bundle);
            }
        }
    }

    // The link of the bundle that is the least full when `gone` has failed.
    [[nodiscard]] Hop side_of(std::uint32_t i, Hop gone, const std::vector<Hop>& bundle) {
        const auto fullness = [&](Hop hop) {
            return dealer_.fullness(hop, extra_.of(gone / 2, hop) + flows_[i].rate_bps);
        };
        Hop best = kNone;
        for (const Hop hop : bundle) {
            if (hop != gone && (best == kNone || fullness(hop) < fullness(best))) best = hop;
        }
        extra_.put(gone / 2, best, flows_[i].rate_bps);
        return best;
    }

    // ---- ways by another switch next to the leaves ----

    void plan_lower(std::uint32_t above, const Indexes& flows) {
        const Stage& stage = tiers_.leaves();
        if (stage.upper.size() < 2) return plan_beside(flows);
        std::vector<std::uint32_t> others;
        for (std::uint32_t c = 0; c < stage.upper.size(); ++c) {
            if (c != above) others.push_back(c);
        }
        ColourQuestion question;
        question.graph.lefts = question.graph.rights = static_cast<unsigned>(stage.lower.size());
        for (const std::uint32_t i : flows) {
            question.graph.edges.push_back({tiers_.index_of(from(i)), tiers_.index_of(to(i))});
            question.rates.push_back(flows_[i].rate_bps);
        }
        question.colours = static_cast<unsigned>(others.size());
        question.uniform = stage.uniform && flows.size() > kSearchedMax;
        question.links = [&](std::uint32_t v, unsigned c, bool up) -> const std::vector<Hop>& {
            const NodeId leaf = stage.lower[v];
            const NodeId upper = upper_of(leaf, others[c]);
            return up ? tiers_.bundle(leaf, upper) : tiers_.bundle(upper, leaf);
        };
        const std::vector<std::uint32_t> chosen = choose_colours(question, dealer_);
        if (tiers_.kind() == Tiers::Kind::Two) {
            for (std::size_t k = 0; k < flows.size(); ++k) {
                const NodeId spine = stage.upper[others[chosen[k]]];
                extend_lower(flows[k], spine);
                extend_lower(flows[k], to(flows[k]));
                drop_unfinished(flows[k]);
            }
            return improve(above, flows);
        }
        std::map<std::uint32_t, Indexes> by_plane;
        for (std::size_t k = 0; k < flows.size(); ++k) {
            by_plane[others[chosen[k]]].push_back(flows[k]);
        }
        for (const auto& [plane, members] : by_plane) plan_lower_in(plane, members);
    }

    // The colours look at the loss of the whole switch. Where the loss of one link leaves a link
    // fuller than it must, flows look for another way once more.
    void improve(std::uint32_t above, const Indexes& flows) {
        class_bound_ = bound_.with(topology_.links_of(tiers_.leaves().upper[above]));
        bool better = true;
        for (unsigned round = 0; better && round < kRoundsMax; ++round) {
            better = false;
            for (const std::uint32_t i : flows) {
                const bool whole = topology_.is_switch(flows_[i].destination);
                if (whole || ways_[i].lower.empty() || excess(i, ways_[i].lower, 0) < kEqual)
                    continue;
                better = improve_one(above, i) || better;
            }
        }
    }

    bool improve_one(std::uint32_t above, std::uint32_t i) {
        const Way before = ways_[i].lower;
        give_back(i, before);
        Way best = before;
        double least = excess(i, before, flows_[i].rate_bps) - kEqual;
        for (std::uint32_t c = 0; c < tiers_.leaves().upper.size(); ++c) {
            if (c == above) continue;
            const NodeId spine = tiers_.leaves().upper[c];
            const auto& up = tiers_.bundle(from(i), spine);
            const auto& down = tiers_.bundle(spine, to(i));
            if (up.empty() || down.empty()) continue;
            Way way;
            way.add(least_worst(i, up));
            way.add(least_worst(i, down));
            const double now = excess(i, way, flows_[i].rate_bps);
            if (now >= least) continue;
            least = now;
            best = way;
        }
        ways_[i].lower = {};
        for (const Hop hop : best.all()) take(i, ways_[i].lower, hop);
        return !(best == before);
    }

    void give_back(std::uint32_t i, const Way& way) {
        for (const Hop hop : way.all()) {
            for_each_event(
                i, [&](std::uint32_t event) { extra_.take(event, hop, flows_[i].rate_bps); });
        }
    }

    // How far above their bounds the failures of a flow make the links of a way, with `rate` more.
    [[nodiscard]] double excess(std::uint32_t i, const Way& way, std::uint64_t rate) {
        double sum = 0;
        for_each_event(i, [&](std::uint32_t event) {
            double most = 0;
            for (const Hop hop : way.all()) {
                most = std::max(most, dealer_.fullness(hop, extra_.of(event, hop) + rate));
            }
            sum += std::max(0.0, most - bound_of(event));
        });
        return sum;
    }

    [[nodiscard]] double bound_of(std::uint32_t event) {
        if (event == kWholeClass) return class_bound_;
        if (link_bounds_.empty()) link_bounds_.assign(topology_.links().size(), -1);
        if (link_bounds_[event] < 0) link_bounds_[event] = bound_.with({&event, 1});
        return link_bounds_[event];
    }

    // There is one switch above: all that can change is the link to it.
    void plan_beside(const Indexes& flows) {
        for (const std::uint32_t i : flows) {
            const Way& way = ways_[i].primary;
            const auto& bundle = tiers_.bundle(from(i), to_of(topology_, way.hop[0]));
            if (bundle.size() < 2) continue;
            take(i, ways_[i].lower, side_of(i, way.hop[0], bundle));
            for (unsigned k = 1; k < way.hops; ++k) keep_on(i, ways_[i].lower, way.hop[k]);
        }
    }

    // The switch next to a leaf that has this colour.
    [[nodiscard]] NodeId upper_of(NodeId leaf, std::uint32_t colour) const {
        return tiers_.kind() == Tiers::Kind::Two ? tiers_.leaves().upper[colour]
                                                 : tiers_.aggregation(tiers_.pod_of(leaf), colour);
    }

    void plan_lower_in(std::uint32_t plane, const Indexes& flows) {
        const Stage& stage = tiers_.planes()[plane];
        Indexes inter;
        for (const std::uint32_t i : flows) {
            extend_lower(i, tiers_.aggregation(tiers_.pod_of(from(i)), plane));
            if (tiers_.pod_of(from(i)) != tiers_.pod_of(to(i))) inter.push_back(i);
        }
        const std::vector<std::uint32_t> cores = choose_cores(plane, kNone, inter);
        for (std::size_t k = 0; k < inter.size(); ++k) {
            extend_lower(inter[k], stage.upper[cores[k]]);
            extend_lower(inter[k], tiers_.aggregation(tiers_.pod_of(to(inter[k])), plane));
        }
        for (const std::uint32_t i : flows) {
            extend_lower(i, to(i));
            drop_unfinished(i);
        }
    }

    // Cores of a plane for flows between its pods, all but one of them.
    [[nodiscard]] std::vector<std::uint32_t> choose_cores(std::uint32_t plane, std::uint32_t but,
                                                          const Indexes& flows) const {
        const Stage& stage = tiers_.planes()[plane];
        std::vector<std::uint32_t> cores;
        for (std::uint32_t c = 0; c < stage.upper.size(); ++c) {
            if (c != but) cores.push_back(c);
        }
        if (cores.empty() || flows.empty()) return {};
        ColourQuestion question;
        question.graph.lefts = question.graph.rights = tiers_.pods();
        for (const std::uint32_t i : flows) {
            question.graph.edges.push_back({tiers_.pod_of(from(i)), tiers_.pod_of(to(i))});
            question.rates.push_back(flows_[i].rate_bps);
        }
        question.colours = static_cast<unsigned>(cores.size());
        question.uniform = false;
        question.links = [&](std::uint32_t v, unsigned c, bool up) -> const std::vector<Hop>& {
            const NodeId core = stage.upper[cores[c]];
            return up ? tiers_.bundle(stage.lower[v], core) : tiers_.bundle(core, stage.lower[v]);
        };
        std::vector<std::uint32_t> chosen = choose_colours(question, dealer_);
        for (std::uint32_t& core : chosen) core = cores[core];
        return chosen;
    }

    // ---- ways by another core of the same plane ----

    void plan_upper(std::uint32_t plane, const Indexes& flows) {
        std::map<std::uint32_t, Indexes> by_core;
        for (const std::uint32_t i : flows) {
            const Way& way = ways_[i].primary;
            if (way.hops == 4) by_core[tiers_.index_of(to_of(topology_, way.hop[1]))].push_back(i);
        }
        const Stage& stage = tiers_.planes()[plane];
        for (const auto& [core, members] : by_core) {
            const std::vector<std::uint32_t> cores = choose_cores(plane, core, members);
            for (std::size_t k = 0; k < cores.size(); ++k) {
                const std::uint32_t i = members[k];
                const Way& way = ways_[i].primary;
                Way& upper = ways_[i].upper;
                upper.add(way.hop[0]);
                extend(i, upper, 1, stage.upper[cores[k]]);
                extend(i, upper, 2, to_of(topology_, way.hop[2]));
                upper.add(way.hop[3]);
            }
        }
    }

    // ---- links ----

    // Flows to a leaf as a whole are told apart by port of entry alone: who enters by the same port
    // leaves by the same.
    void remember(std::size_t i, const Way& way) {
        if (!topology_.is_switch(flows_[i].destination)) return;
        for (unsigned k = 1; k < way.hops; ++k) {
            shared_.try_emplace({way.hop[k - 1], flows_[i].destination}, way.hop[k]);
        }
    }

    void extend_lower(std::uint32_t i, NodeId next) {
        Way& way = ways_[i].lower;
        extend(i, way, way.hops, next);
    }

    // Adds the k-th hop, which ends at `next`: the link of the bundle that is least full in the
    // worst of the failures in which the flow takes it.
    void extend(std::uint32_t i, Way& way, unsigned k, NodeId next) {
        if (way.hops != k) return;  // there was no link before
        const NodeId at = k == 0 ? from(i) : to_of(topology_, way.hop[k - 1]);
        const bool whole = topology_.is_switch(flows_[i].destination);
        if (whole && k > 0) {
            const auto known = shared_.find({way.hop[k - 1], flows_[i].destination});
            if (known != shared_.end()) return take(i, way, known->second);
        }
        const auto& bundle = tiers_.bundle(at, next);
        if (bundle.empty()) return;
        const Hop best = least_worst(i, bundle);
        if (whole && k > 0) shared_.emplace(std::pair{way.hop[k - 1], flows_[i].destination}, best);
        take(i, way, best);
    }

    // Goes on as the primary does, if its rule allows.
    void keep_on(std::uint32_t i, Way& way, Hop hop) {
        const Hop before = way.hop[way.hops - 1u];
        if (topology_.is_switch(flows_[i].destination)) {
            hop = shared_.try_emplace({before, flows_[i].destination}, hop).first->second;
        }
        take(i, way, hop);
    }

    void take(std::uint32_t i, Way& way, Hop hop) {
        way.add(hop);
        for_each_event(i, [&](std::uint32_t event) { extra_.put(event, hop, flows_[i].rate_bps); });
    }

    [[nodiscard]] Hop least_worst(std::uint32_t i, const std::vector<Hop>& bundle) const {
        Hop best = bundle.front();
        for (const Hop hop : bundle) {
            if (worst(i, hop) < worst(i, best)) best = hop;
        }
        return best;
    }

    [[nodiscard]] double worst(std::uint32_t i, Hop hop) const {
        double most = 0;
        for_each_event(i, [&](std::uint32_t event) {
            const std::uint64_t load = extra_.of(event, hop) + flows_[i].rate_bps;
            most = std::max(most, dealer_.fullness(hop, load));
        });
        return most;
    }

    template <typename Visit>
    void for_each_event(std::uint32_t i, Visit visit) const {
        visit(kWholeClass);
        for (const Hop hop : ways_[i].primary.all()) visit(hop / 2);
    }

    // A way that ends elsewhere is none: links are missing, or a shared one led away.
    void drop_unfinished(std::uint32_t i) {
        Way& way = ways_[i].lower;
        if (!way.empty() && to_of(topology_, way.hop[way.hops - 1]) != to(i)) way = {};
    }

    // ---- fabrics without tiers ----

    void plan_other(const Indexes& flows) {
        constexpr std::uint64_t kAvoid = std::uint64_t{1} << 50;
        for (const std::uint32_t i : flows) {
            for (const Hop hop : ways_[i].primary.all()) dealer_.put(hop, kAvoid);
            const Way way = shortest_way(tiers_, flows_[i], dealer_);
            for (const Hop hop : ways_[i].primary.all()) dealer_.take(hop, kAvoid);
            if (!way.empty() && way.hop[0] != ways_[i].primary.hop[0]) ways_[i].lower = way;
        }
    }

    const Tiers& tiers_;
    const Topology& topology_;
    std::span<const Flow> flows_;
    LowerBound bound_;
    Dealer dealer_;
    std::vector<Ways> ways_;
    Extra extra_;
    Moved job_;
    Moved others_;
    double class_bound_ = 0;           // when the switch of the class is gone
    std::vector<double> link_bounds_;  // when a link is; negative: not looked at yet
    std::map<std::pair<Hop, NodeId>, Hop> shared_;
};

}  // namespace

std::vector<Ways> plan_backups(const Tiers& tiers, std::span<const Flow> flows,
                               std::vector<Way> primary) {
    return Backups(tiers, flows, std::move(primary)).all();
}

}  // namespace weir::plan

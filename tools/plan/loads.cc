// SPDX-License-Identifier: BSD-3-Clause
#include "tools/plan/loads.h"

#include <map>
#include <queue>

namespace weir::plan {

namespace {

double over(std::uint64_t load, std::uint64_t rate) {
    return static_cast<double>(load) / static_cast<double>(rate);
}

bool all_alike(std::span<const LinkRoom> links) {
    return std::all_of(links.begin(), links.end(), [&](const LinkRoom& link) {
        return link.load_bps == 0 && link.rate_bps == links.front().rate_bps;
    });
}

// Links of one rate with nothing on them.
double fullest_of_alike(std::size_t links, std::uint64_t rate_bps, const Demand& demand) {
    if (demand.largest_bps != demand.smallest_bps) {
        return std::max(over(demand.total_bps, links * rate_bps),
                        over(demand.largest_bps, rate_bps));
    }
    const std::uint64_t flows = demand.total_bps / demand.largest_bps;
    return over((flows + links - 1) / links * demand.largest_bps, rate_bps);
}

// Equal flows, each put where it is least felt: that is the best there is.
double fullest_by_dealing(std::span<const LinkRoom> links, const Demand& demand) {
    const std::uint64_t flows = demand.total_bps / demand.largest_bps;
    if (all_alike(links)) return fullest_of_alike(links.size(), links.front().rate_bps, demand);
    struct Next {
        double after;  // with one flow more
        std::size_t link;
        bool operator<(const Next& other) const { return after > other.after; }
    };
    std::priority_queue<Next> next;
    std::vector<LinkRoom> now(links.begin(), links.end());
    double fullest = 0;
    const auto put = [&](std::size_t i) {
        next.push({over(now[i].load_bps + demand.largest_bps, now[i].rate_bps), i});
    };
    for (std::size_t i = 0; i < now.size(); ++i) {
        fullest = std::max(fullest, over(now[i].load_bps, now[i].rate_bps));
        put(i);
    }
    for (std::uint64_t n = 0; n < flows; ++n) {
        const Next least = next.top();
        next.pop();
        fullest = std::max(fullest, least.after);
        now[least.link].load_bps += demand.largest_bps;
        put(least.link);
    }
    return fullest;
}

}  // namespace

void for_each_phase(std::span<const Flow> flows,
                    const std::function<void(std::size_t, std::size_t)>& visit) {
    for (std::size_t begin = 0; begin < flows.size();) {
        std::size_t end = begin;
        while (end < flows.size() && flows[end].job == flows[begin].job &&
               flows[end].phase == flows[begin].phase) {
            ++end;
        }
        visit(begin, end);
        begin = end;
    }
}

Loads loads_of(const Topology& topology, std::span<const Flow> flows, std::span<const Ways> ways) {
    Loads all(2 * topology.links().size(), 0);
    Loads job(all.size(), 0);  // fullest phases
    Loads phase(all.size(), 0);
    for_each_phase(flows, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            for (const Hop hop : ways[i].primary.all()) phase[hop] += flows[i].rate_bps;
        }
        for (std::size_t i = begin; i < end; ++i) {
            for (const Hop hop : ways[i].primary.all()) {
                job[hop] = std::max(job[hop], phase[hop]);
                phase[hop] = 0;
            }
        }
        if (end < flows.size() && flows[end].job == flows[begin].job) return;
        for (std::size_t hop = 0; hop < all.size(); ++hop) all[hop] += job[hop];
        std::fill(job.begin(), job.end(), 0);
    });
    return all;
}

LoadSummary summary_of(const Topology& topology, const Loads& loads) {
    LoadSummary out;
    double sum = 0;
    double squares = 0;
    unsigned links = 0;
    for (Hop hop = 0; hop < loads.size(); ++hop) {
        if (!topology.is_switch(from_of(topology, hop)) ||
            !topology.is_switch(to_of(topology, hop))) {
            continue;
        }
        ++links;
        if (loads[hop] == 0) continue;
        const double load = over(loads[hop], rate_of(topology, hop));
        if (load > out.fullest) {
            out.fullest = load;
            out.fullest_hop = hop;
        }
        sum += load;
        squares += load * load;
        ++out.used;
    }
    if (out.used == 0) return out;
    out.mean = sum / links;
    out.max_over_mean = out.fullest * out.used / sum;
    out.jain = sum * sum / (out.used * squares);
    return out;
}

double least_fullest(std::span<const LinkRoom> links, const Demand& demand) {
    if (demand.total_bps == 0) return 0;
    if (links.empty()) return kUnreachable;
    if (demand.largest_bps == demand.smallest_bps) return fullest_by_dealing(links, demand);
    std::uint64_t load = demand.total_bps;
    std::uint64_t rate = 0;
    std::uint64_t fastest = 0;
    double fullest = 0;
    for (const LinkRoom& link : links) {
        load += link.load_bps;
        rate += link.rate_bps;
        fastest = std::max(fastest, link.rate_bps);
        fullest = std::max(fullest, over(link.load_bps, link.rate_bps));
    }
    return std::max({over(load, rate), over(demand.largest_bps, fastest), fullest});
}

LowerBound::LowerBound(const Tiers& tiers, std::span<const Flow> flows) : tiers_(tiers) {
    add_cuts();
    for_each_phase(flows, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) count(flows[i]);
        close_phase();
        if (end == flows.size() || flows[end].job != flows[begin].job) close_job();
    });
    for (Cut& cut : cuts_) {
        cut.alike = std::all_of(cut.hops.begin(), cut.hops.end(), [&](Hop hop) {
            return rate_of(tiers.topology(), hop) == rate_of(tiers.topology(), cut.hops.front());
        });
        none_ = std::max(none_, of(cut, {}));
    }
}

void LowerBound::add_cuts() {
    const Topology& topology = tiers_.topology();
    cuts_of_link_.resize(topology.links().size());
    const auto add = [&](std::vector<Hop> out) {
        std::vector<Hop> in(out);
        for (Hop& hop : in) hop ^= 1;
        for (const Hop hop : out) {
            cuts_of_link_[hop / 2].push_back(static_cast<std::uint32_t>(cuts_.size()));
            cuts_of_link_[hop / 2].push_back(static_cast<std::uint32_t>(cuts_.size() + 1));
        }
        cuts_.push_back({.hops = std::move(out)});
        cuts_.push_back({.hops = std::move(in)});
    };
    for (const NodeId leaf : tiers_.leaves().lower) {
        std::vector<Hop> out;
        for (PortId port = 0; port < topology.links_of(leaf).size(); ++port) {
            const Hop hop = hop_of(topology, leaf, port);
            if (topology.is_switch(to_of(topology, hop))) out.push_back(hop);
        }
        add(std::move(out));
    }
    for (std::uint32_t pod = 0; pod < tiers_.pods(); ++pod) {
        std::vector<Hop> out;
        for (const Stage& plane : tiers_.planes()) {
            for (const NodeId core : plane.upper) {
                const auto& bundle = tiers_.bundle(plane.lower[pod], core);
                out.insert(out.end(), bundle.begin(), bundle.end());
            }
        }
        add(std::move(out));
    }
}

void LowerBound::count(const Flow& flow) {
    const NodeId from = leaf_of(tiers_.topology(), flow.source);
    const NodeId to = leaf_of(tiers_.topology(), flow.destination);
    if (from == to) return;
    cuts_[2 * tiers_.index_of(from)].phase.add(flow.rate_bps);
    cuts_[2 * tiers_.index_of(to) + 1].phase.add(flow.rate_bps);
    if (tiers_.pods() == 0 || tiers_.pod_of(from) == tiers_.pod_of(to)) return;
    const std::size_t pods = 2 * tiers_.leaves().lower.size();
    cuts_[pods + 2 * tiers_.pod_of(from)].phase.add(flow.rate_bps);
    cuts_[pods + 2 * tiers_.pod_of(to) + 1].phase.add(flow.rate_bps);
}

void LowerBound::close_phase() {
    for (Cut& cut : cuts_) {
        if (cut.phase.total_bps > cut.job.total_bps) cut.job = cut.phase;
        cut.phase = {};
    }
}

void LowerBound::close_job() {
    for (Cut& cut : cuts_) {
        if (cut.job.total_bps != 0) cut.demand.add(cut.job);
        cut.job = {};
    }
}

// `failed`: links of the cut that are gone.
double LowerBound::of(const Cut& cut, const std::vector<std::uint32_t>& failed) const {
    if (cut.alike && cut.demand.total_bps != 0) {
        const std::size_t left = cut.hops.size() - failed.size();
        return left == 0 ? kUnreachable
                         : fullest_of_alike(left, rate_of(tiers_.topology(), cut.hops.front()),
                                            cut.demand);
    }
    std::vector<LinkRoom> left;
    for (const Hop hop : cut.hops) {
        if (std::find(failed.begin(), failed.end(), hop / 2) == failed.end()) {
            left.push_back({rate_of(tiers_.topology(), hop)});
        }
    }
    return least_fullest(left, cut.demand);
}

double LowerBound::with(std::span<const std::uint32_t> failed_links) const {
    std::map<std::uint32_t, std::vector<std::uint32_t>> failed;  // by cut
    for (const std::uint32_t link : failed_links) {
        for (const std::uint32_t cut : cuts_of_link_[link]) failed[cut].push_back(link);
    }
    double bound = none_;
    for (const auto& [cut, links] : failed) bound = std::max(bound, of(cuts_[cut], links));
    return bound;
}

}  // namespace weir::plan

// SPDX-License-Identifier: BSD-3-Clause
#include "tools/plan/demand.h"

#include <algorithm>
#include <bit>
#include <map>

namespace weir::plan {

namespace {

roce::Collective collective_of(const Job& job) {
    return {.pattern = job.pattern,
            .ranks = static_cast<roce::Rank>(job.hosts.size() * job.ranks_per_host / job.rails),
            .bytes = std::max<Bytes>(job.bytes, 1),
            .seed = job.seed,
            .shift = job.shift};
}

// Phases in which the same pairs send again need no flows of their own.
unsigned phases_of(const Job& job, const roce::Phases& phases) {
    switch (job.pattern) {
        case roce::Pattern::RingAllReduce:
            return 1;
        case roce::Pattern::HalvingDoublingAllReduce:
            return phases.count() / 2;
        default:
            return phases.count();
    }
}

class Expansion {
  public:
    Expansion(const Topology& topology, RuleKind rules, std::vector<Flow>& out)
        : topology_(topology),
          rules_(rules),
          out_(out),
          sends_(topology.nodes(), 0),
          receives_(topology.nodes(), 0) {}

    void add(const Job& job, std::uint32_t index) {
        job_ = index;
        if (job.pattern == roce::Pattern::AllToAll && by_prefix(job)) return add_all_to_all(job);
        const roce::Phases phases(collective_of(job));
        for (unsigned phase = 0; phase < phases_of(job, phases); ++phase) {
            collect(job, phases, phase);
            finish_phase(job, phase);
        }
    }

  private:
    // How many flows the fullest leaf would have, if each pair had its own.
    [[nodiscard]] bool by_prefix(const Job& job) const {
        if (rules_ != RuleKind::Auto) return rules_ == RuleKind::Prefix;
        std::map<NodeId, std::size_t> members;
        for (const NodeId host : job.hosts) ++members[leaf_of(topology_, host)];
        std::size_t rules = 0;
        for (const auto& [leaf, count] : members) {
            rules = std::max(rules, count * (job.hosts.size() - count) / job.rails);
        }
        return rules > kRulesMax;
    }

    // Host of a rank: rail `rail` of N has the hosts rail, rail + N, ...
    [[nodiscard]] static NodeId host_of(const Job& job, unsigned rail, roce::Rank rank) {
        return job.hosts[std::size_t{rank / job.ranks_per_host} * job.rails + rail];
    }

    void collect(const Job& job, const roce::Phases& phases, unsigned phase) {
        pairs_.clear();
        const roce::Rank ranks = collective_of(job).ranks;
        for (unsigned rail = 0; rail < job.rails; ++rail) {
            for (roce::Rank rank = 0; rank < ranks; ++rank) {
                transfers_.clear();
                phases.append_from(rank, phase, transfers_);
                for (const roce::Transfer& transfer : transfers_) {
                    const NodeId from = host_of(job, rail, transfer.source);
                    const NodeId to = host_of(job, rail, transfer.destination);
                    if (from == to) continue;
                    pairs_.emplace_back(from, to);
                    ++sends_[from];
                    ++receives_[to];
                }
            }
        }
    }

    [[nodiscard]] std::uint64_t rate(NodeId from, NodeId to) const {
        const auto link = [&](NodeId host) {
            return rate_of(topology_, hop_of(topology_, host, 0));
        };
        return std::min(link(from) / sends_[from], link(to) / receives_[to]);
    }

    void finish_phase(const Job& job, unsigned phase) {
        // Several ranks of one host may talk with the same other host.
        if (job.ranks_per_host > 1) std::sort(pairs_.begin(), pairs_.end());
        for (std::size_t i = 0; i < pairs_.size();) {
            const auto [from, to] = pairs_[i];
            std::uint64_t count = 0;
            for (; i < pairs_.size() && pairs_[i] == std::pair{from, to}; ++i) ++count;
            if (leaf_of(topology_, from) == leaf_of(topology_, to)) continue;
            put(job, {from, to, count * rate(from, to), job_, phase});
        }
        for (const NodeId host : job.hosts) sends_[host] = receives_[host] = 0;
    }

    void put(const Job& job, Flow flow) {
        if (job.source_ports.empty()) {
            out_.push_back(flow);
            return;
        }
        flow.rate_bps /= job.source_ports.size();
        for (const std::uint16_t port : job.source_ports) {
            flow.source_port = port;
            out_.push_back(flow);
        }
    }

    // Every host to every leaf, without the pairs: 16,384 hosts have 268 million of them.
    void add_all_to_all(const Job& job) {
        for (unsigned rail = 0; rail < job.rails; ++rail) {
            std::map<NodeId, std::uint64_t> members;
            const std::size_t count = job.hosts.size() / job.rails;
            for (std::size_t i = 0; i < count; ++i) {
                ++members[leaf_of(topology_, job.hosts[i * job.rails + rail])];
            }
            for (std::size_t i = 0; i < count; ++i) {
                const NodeId from = job.hosts[i * job.rails + rail];
                const std::uint64_t share = rate_of(topology_, hop_of(topology_, from, 0)) /
                                            std::max<std::size_t>(count - 1, 1);
                for (const auto& [leaf, hosts] : members) {
                    if (leaf == leaf_of(topology_, from)) continue;
                    out_.push_back({from, leaf, share * hosts, job_, 0});
                }
            }
        }
    }

    const Topology& topology_;
    RuleKind rules_;
    std::vector<Flow>& out_;
    std::uint32_t job_ = 0;
    std::vector<std::uint32_t> sends_;  // of the phase, by host
    std::vector<std::uint32_t> receives_;
    std::vector<std::pair<NodeId, NodeId>> pairs_;
    std::vector<roce::Transfer> transfers_;
};

}  // namespace

std::vector<Flow> flows_of(const Topology& topology, const std::vector<Job>& jobs, RuleKind rules) {
    std::vector<Flow> flows;
    Expansion expansion(topology, rules, flows);
    for (std::uint32_t i = 0; i < jobs.size(); ++i) expansion.add(jobs[i], i);
    return flows;
}

std::string problem_of(const Job& job) {
    if (job.hosts.size() % job.rails != 0) {
        return std::to_string(job.hosts.size()) + " hosts do not divide into " +
               std::to_string(job.rails) + " rails";
    }
    if (job.hosts.size() / job.rails < 2) return "a job needs two hosts or more on each rail";
    return roce::Phases::problem(collective_of(job));
}

}  // namespace weir::plan

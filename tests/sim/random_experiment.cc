// SPDX-License-Identifier: BSD-3-Clause
#include "tests/sim/random_experiment.h"

#include <initializer_list>

#include "dataplane/core/prng.h"

namespace weir::lab {

namespace {

// The longest stall; the headroom is made for it.
constexpr std::int64_t kStallMaxUs = 20;

class Draw {
  public:
    explicit Draw(std::uint64_t seed) : prng_(seed) {}

    [[nodiscard]] Experiment experiment(std::uint64_t seed) {
        Experiment out;
        out.name = "swarm-" + std::to_string(seed);
        out.seed = seed;
        // Only without circles of buffers is lossless safe: up and down, never down and up.
        const bool tree = chance(70);
        if (tree) {
            draw_tree(out.fabric);
        } else {
            draw_any(out.fabric);
        }
        draw_links(out.fabric);
        out.fabric.shards = chance(40) ? between(2, 4) : 1;
        // Without a tree it is hooks that change priority which keep buffers from a circle.
        hooks_ = tree ? chance(30) : chance(50);
        lossless_ = tree ? chance(80) : hooks_;
        // A lost pause frame overruns any headroom, so wires that lose carry no lossless priority.
        if (!lossless_ && chance(30)) out.fabric.link.loss = {between(100, 5'000)};
        if (!lossless_ && chance(20)) out.fabric.link.corruption = {between(100, 2'000)};
        draw_fixed();
        out.switches = switches();
        draw_hosts(out.hosts);
        const Topology topology = make_topology(out.fabric);
        if (lossless_ && hooks_) draw_hooks(topology, out.fabric);
        for (unsigned jobs = between(1, 3); jobs > 0; --jobs) draw_job(topology, out);
        for (unsigned faults = between(0, 4); faults > 0; --faults) draw_fault(topology, out);
        out.duration = Interval::milliseconds(2'000);
        return out;
    }

  private:
    [[nodiscard]] unsigned between(unsigned first, unsigned last) {
        return first + prng_.below(last - first + 1);
    }
    [[nodiscard]] bool chance(unsigned percent) { return prng_.below(100) < percent; }
    template <typename T>
    [[nodiscard]] T one_of(std::initializer_list<T> choices) {
        return choices.begin()[prng_.below(static_cast<std::uint32_t>(choices.size()))];
    }

    void draw_tree(FabricSettings& fabric) {
        if (chance(15)) {
            fabric.shape = FatTree{.k = 4};
            return;
        }
        fabric.shape = LeafSpine{.leaves = between(1, 4),
                                 .spines = between(1, 4),
                                 .hosts_per_leaf = between(2, 4),
                                 .links_per_pair = chance(20) ? 2u : 1u};
    }

    // A ring, or a random tree of switches with some more links.
    void draw_any(FabricSettings& fabric) {
        if (chance(40)) {
            fabric.shape = Ring{.switches = between(3, 6), .hosts_per_switch = between(1, 2)};
            return;
        }
        GraphSettings graph;
        const unsigned switches = between(2, 6);
        const auto name = [](unsigned i) { return "s" + std::to_string(i); };
        for (unsigned i = 0; i < switches; ++i) {
            graph.switches.push_back(name(i));
            graph.hosts.push_back({"h" + std::to_string(i), name(i), {}});
            if (i > 0) graph.links.push_back({name(between(0, i - 1)), name(i), 1, {}});
        }
        for (unsigned more = between(0, 4); more > 0; --more) {
            const unsigned a = between(0, switches - 2);
            graph.links.push_back({name(a), name(between(a + 1, switches - 1)), 1, {}});
        }
        fabric.shape = graph;
    }

    void draw_links(FabricSettings& fabric) {
        const auto link = [&](LinkSettings& settings) {
            settings.rate = {
                one_of({10'000'000'000u, 25'000'000'000u, 40'000'000'000u, 100'000'000'000u})};
            settings.delay = Interval::nanoseconds(between(10, 3'000));
        };
        link(fabric.link);
        if (chance(50)) link(fabric.fabric_link.emplace());
        if (chance(20)) fabric.hash_seeds = HashSeeds::Equal;
        fabric.hash_dest_qp = chance(20);
        fabric.detection = Interval::microseconds(between(0, 100));
    }

    // What a reload leaves as it is: a reload to another set of lossless priorities may lose frames
    // of what was one.
    void draw_fixed() {
        if (!lossless_) return;
        pfc_ = hooks_ || chance(50) ? "pfc: [3, 4]\n" : "pfc: [3]\n";
    }

    // Every switch's links to other switches are uplinks: the first hook goes to priority 4, the
    // second to lossy 0.
    void draw_hooks(const Topology& topology, FabricSettings& fabric) {
        fabric.hook_moves = "{3: {first: {priority: 4, dscp: 32}, second: {priority: 0, dscp: 0}}}";
        for (NodeId node = 0; node < topology.switches(); ++node) {
            UplinkSettings uplinks{.at = topology.name(node), .to = {}};
            for (PortId port = 0; port < topology.links_of(node).size(); ++port) {
                const NodeId peer = topology.far_end(node, port).node;
                if (topology.is_switch(peer)) uplinks.to.push_back(topology.name(peer));
            }
            if (!uplinks.to.empty()) fabric.uplinks.push_back(uplinks);
        }
    }

    // A whole set of the other keys, for the start or for a reload.
    [[nodiscard]] std::string switches() {
        std::string text = pfc_;
        const std::string alpha = std::to_string(static_cast<int>(between(0, 6)) - 4);
        // Small enough that pauses, or drops, are the rule.
        text += "buffer: {shared: " + std::to_string(between(40, 800)) + "KB";
        if (lossless_) {
            text += ", reaction: " + std::to_string(kStallMaxUs) +
                    "us, lossless: {alpha: " + alpha +
                    ", headroom: auto, reserve: " + std::to_string(between(0, 8)) + "KB}";
        }
        text += "}\n";
        // No storm lasts for 100 ms here: it must never act.
        if (lossless_ && chance(40)) {
            text += "watchdog: {detection: 100ms, restoration: 100ms, poll: 10ms, action: " +
                    one_of({std::string("drop"), std::string("forward"), std::string("alert")}) +
                    "}\n";
        }
        text += "queues: {limit: " + std::to_string(between(20, 1'000)) + "KB}\n";
        if (chance(50)) {
            const unsigned kmin = between(5, 200);
            text += "ecn: {3: {kmin: " + std::to_string(kmin) +
                    "KB, kmax: " + std::to_string(kmin + between(1, 400)) +
                    "KB, pmax: " + std::to_string(between(1, 100)) + "%}}\n";
        }
        if (chance(50)) {
            text += "scheduler: {strict: [7, 6], weights: {0: " + std::to_string(between(1, 20)) +
                    ", 3: " + std::to_string(between(1, 20)) + "}}\n";
        }
        return text;
    }

    void draw_hosts(HostSettings& hosts) {
        hosts.mtu = one_of({256u, 1'024u, 4'096u});
        hosts.dcqcn = one_of({Dcqcn::Off, Dcqcn::Paper, Dcqcn::Hpcc});
        hosts.cnp_interval = Interval::microseconds(between(4, 50));
        hosts.ack_every = one_of({0u, 1u, 16u});
        // Longer than full queues of 1 MB at 10 Gb/s on a way of six hops keep a frame (0.8 ms
        // each): who gives up earlier fills them with repeats until the retries are used up.
        hosts.timeout = Interval::milliseconds(10);
        // An incast on a lossy priority may refuse one frame seven times in a row.
        hosts.retry_forever = true;
    }

    void draw_job(const Topology& topology, Experiment& out) {
        JobSettings job;
        job.name = "job" + std::to_string(out.jobs.size());
        for (unsigned i = 0; i < topology.hosts(); ++i) {
            if (chance(60)) job.hosts.push_back(topology.name(topology.host(i)));
        }
        if (job.hosts.size() < 2) job.hosts.clear();
        job.pattern = one_of({roce::Pattern::RingAllReduce, roce::Pattern::AllToAll,
                              roce::Pattern::AllToAllPairwise, roce::Pattern::Incast,
                              roce::Pattern::Permutation});
        const unsigned hosts =
            job.hosts.empty() ? topology.hosts() : static_cast<unsigned>(job.hosts.size());
        // About 300 to 2,000 frames in all, whatever the pattern.
        job.bytes = Bytes{out.hosts.mtu} * between(300, 2'000) / hosts;
        if (job.pattern == roce::Pattern::AllToAll) job.bytes /= hosts;
        job.qps = chance(30) ? between(2, 4) : 1;
        job.start = Interval::microseconds(between(0, 200));
        if (chance(30)) job.dscp = one_of({0u, 8u, 32u});
        out.jobs.push_back(job);
    }

    void draw_fault(const Topology& topology, Experiment& out) {
        FaultSettings fault;
        fault.at = Interval::microseconds(between(10, 500));
        if (chance(30)) {
            fault.reload = topology.name(prng_.below(topology.switches()));
            fault.switches = switches();
        } else if (chance(50)) {
            fault.stall = topology.name(prng_.below(topology.switches()));
            fault.lasts = Interval::microseconds(between(1, kStallMaxUs));
        } else {
            const Link& link =
                topology.links()[prng_.below(static_cast<std::uint32_t>(topology.links().size()))];
            fault.link = {topology.name(link.a.node), topology.name(link.b.node)};
            fault.lasts = Interval::microseconds(between(10, 2'000));
            fault.silent = chance(20);
        }
        out.faults.push_back(fault);
    }

    Prng prng_;
    bool lossless_ = false;
    bool hooks_ = false;
    std::string pfc_;
};

}  // namespace

Experiment random_experiment(std::uint64_t seed) {
    return Draw(seed).experiment(seed);
}

}  // namespace weir::lab

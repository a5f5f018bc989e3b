// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lab/run.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <deque>
#include <memory>
#include <vector>

#include <sys/resource.h>

#include "tools/lab/checkers.h"
#include "tools/lab/fabric.h"
#include "tools/lab/faults.h"
#include "tools/lab/host_node.h"
#include "tools/lab/jobs.h"
#include "tools/lab/load.h"
#include "tools/lab/recorder.h"
#include "tools/lab/wire_address.h"

namespace weir::lab {

namespace {

// The time series starts fine and is thinned when it gets long: nobody knows in advance when the
// jobs will end.
constexpr Interval kFirstSample = Interval::microseconds(1);
constexpr std::size_t kSamplesMax = 800;
// Walking through all queues costs more than a sample.
constexpr unsigned kSamplesPerCheck = 8;

// What is still on its way when the last job has ended: ACKs, pauses.
constexpr Interval kDrainMax = Interval::milliseconds(5);
constexpr Interval kSettle = Interval::microseconds(100);

std::uint64_t peak_rss_bytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

double cpu_seconds() {
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

class Run {
  public:
    Run(const Experiment& experiment, const RunOptions& options)
        : experiment_(experiment), options_(options) {}

    [[nodiscard]] std::optional<RunResult> all(Problems& problems) {
        if (!build(problems)) return std::nullopt;
        load_ = std::make_unique<Load>(*fabric_, hosts_, options_.seed);
        add_jobs(experiment_, fabric_->topology(), options_.seed, profiles_, load_->jobs());
        schedule_faults(experiment_.faults, *fabric_);
        load_->on_finished([this] {
            result_.complete = true;
            fabric_->stop();
        });
        Recorder recorder(*fabric_);
        Checkers checkers(*fabric_, {.order = !ways_change() && !reorders()});
        if (options_.events_per_check != 0) check_often(checkers);
        go(recorder, checkers);
        finish(recorder, checkers);
        return std::move(result_);
    }

  private:
    // A cut link moves flows while frames are on the old way.
    [[nodiscard]] bool ways_change() const {
        return std::any_of(
            experiment_.faults.begin(), experiment_.faults.end(),
            [](const FaultSettings& fault) { return !fault.link.empty() || !fault.kill.empty(); });
    }
    // Selectors that change a flow's way while its frames are on the old one.
    [[nodiscard]] bool reorders() const {
        const auto changes = [](const Route& route) {
            return route.selector != Selector::Hash && route.selector != Selector::Paths;
        };
        for (NodeId node = 0; node < fabric_->topology().switches(); ++node) {
            const auto& routes = fabric_->switch_at(node).tables().routes;
            if (std::any_of(routes.begin(), routes.end(), changes)) return true;
        }
        return false;
    }
    void check_often(Checkers& checkers) {
        fabric_->look_every(1, [this, &checkers, events = 0u]() mutable {
            if (++events % options_.events_per_check == 0) {
                checkers.check_accounts();
            } else {
                checkers.check_event();
            }
        });
    }
    bool build(Problems& problems) {
        FabricOptions options;
        options.seed = options_.seed;
        options.shards = experiment_.fabric.shards;
        options.detection = experiment_.fabric.detection;
        options.reconvergence = experiment_.fabric.reconvergence;
        options.files = {.hash_seeds = experiment_.fabric.hash_seeds,
                         .hash_dest_qp = experiment_.fabric.hash_dest_qp,
                         .seed = options_.seed,
                         .plan = experiment_.fabric.plan,
                         .more = experiment_.switches};
        const Topology topology = make_topology(experiment_.fabric);
        for (const RouteOverride& route : experiment_.fabric.routes) {
            FixedRoute fixed{topology.find(route.at), topology.find(route.to), {}};
            for (const std::string& via : route.via) fixed.via.push_back(topology.find(via));
            options.files.routes.push_back(fixed);
        }
        options.files.hook_moves = experiment_.fabric.hook_moves;
        options.files.sessions = experiment_.fabric.sessions;
        for (const UplinkSettings& settings : experiment_.fabric.uplinks) {
            Uplinks uplinks{topology.find(settings.at), {}};
            for (const std::string& to : settings.to) uplinks.to.push_back(topology.find(to));
            options.files.uplinks.push_back(uplinks);
        }
        fabric_ = Fabric::build(
            topology, options,
            [this](const Fabric& fabric, NodeId id) { return make_host(fabric, id); }, problems);
        return fabric_ != nullptr;
    }

    std::unique_ptr<Node> make_host(const Fabric& fabric, NodeId id) {
        const Topology& topology = fabric.topology();
        const Link& link = topology.links()[topology.links_of(id)[0]];
        roce::HostConfig config;
        config.mac = wire_mac(Addressing::host_mac(id));
        config.ip = wire_ip(fabric.addressing().host(id));
        config.speed_bps = link.options.rate.bps();
        config.framing_bytes = link.options.overhead_bytes;
        config.frame_kind = roce::FrameKind::HeadersOnly;
        config.pfc_priorities = fabric.world().lossless_priorities;
        config.pause_response = experiment_.hosts.pause_response;
        config.dscp_priority =
            fabric.switch_at(topology.leaf_of(id).node).tables().tables.maps.from_dscp;
        auto host = std::make_unique<HostNode>(id, topology.name(id), config);
        hosts_.push_back(host.get());
        return host;
    }

    void go(Recorder& recorder, Checkers& checkers) {
        const auto began = std::chrono::steady_clock::now();
        const double cpu_began = cpu_seconds();
        Interval step = experiment_.sample > Interval{} ? experiment_.sample : first_sample();
        const Time end = Time{} + experiment_.duration;
        recorder.sample();
        load_->start();
        for (unsigned round = 1;; ++round) {
            Time at = fabric_->now() + step;
            if (at > end) at = end;
            const bool to_the_end = fabric_->run_until(at);
            recorder.sample();
            if (recorder.samples() == kSamplesMax) {
                recorder.thin();
                step = step * 2;
            }
            checkers.check_event();
            if (round % kSamplesPerCheck == 0) checkers.check_accounts();
            const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - began;
            result_.wall_seconds = wall.count();
            result_.cpu_seconds = cpu_seconds() - cpu_began;
            if (!to_the_end || at == end) return;
            if (options_.progress && !options_.progress(progress())) {
                result_.interrupted = true;
                return;
            }
        }
    }

    // A sample looks at every port, so that of a large fabric would cost more than what it looks
    // at.
    [[nodiscard]] Interval first_sample() const {
        constexpr std::size_t kLinksPerStep = 128;
        const std::size_t links = fabric_->topology().links().size();
        return kFirstSample * static_cast<std::int64_t>(1 + links / kLinksPerStep);
    }

    [[nodiscard]] Progress progress() const {
        return {.simulated_seconds = seconds(fabric_->now() - Time{}),
                .of_seconds = seconds(experiment_.duration),
                .wall_seconds = result_.wall_seconds,
                .cpu_seconds = result_.cpu_seconds,
                .packet_hops = fabric_->world().packet_hops};
    }
    [[nodiscard]] static double seconds(Interval span) {
        return static_cast<double>(span.ps) / 1e12;
    }

    void finish(Recorder& recorder, Checkers& checkers) {
        const World& world = fabric_->world();
        result_.name = experiment_.name;
        result_.about = experiment_.about;
        result_.seed = options_.seed;
        result_.hosts = fabric_->topology().hosts();
        result_.switches = fabric_->topology().switches();
        result_.simulated_seconds = seconds(fabric_->now() - Time{});
        result_.events = world.happenings;
        result_.packet_hops = world.packet_hops;
        result_.hash = world.hash;
        finish_jobs(experiment_, fabric_->topology(), load_->jobs(), fabric_->now(), result_);
        recorder.finish(result_);
        result_.detection_us = detection();
        result_.busbw_over_roofline = busbw_over_roofline();
        checkers.check_accounts();
        if (result_.complete) drain(checkers);
        result_.lossless_drops = Checkers::lossless_drops(*fabric_);
        result_.violations = checkers.violations();
        const auto& stuck = checkers.stuck_queues();
        if (experiment_.expect != Expectation::Deadlock) {
            result_.violations.insert(result_.violations.end(), stuck.begin(), stuck.end());
        } else if (stuck.empty() && !result_.interrupted) {
            result_.violations.emplace_back("no deadlock, though one was expected");
        }
        result_.peak_rss_bytes = peak_rss_bytes();
    }

    [[nodiscard]] std::optional<double> busbw_over_roofline() const {
        std::optional<double> slowest;
        for (const JobResult& job : result_.jobs) {
            if (job.bus_bandwidth_gbps <= 0) continue;
            slowest = std::min(slowest.value_or(job.bus_bandwidth_gbps), job.bus_bandwidth_gbps);
        }
        if (!slowest || !result_.complete) return std::nullopt;
        return *slowest * 1e9 / static_cast<double>(experiment_.fabric.link.rate.bps);
    }

    [[nodiscard]] std::optional<double> detection() const {
        if (experiment_.faults.empty()) return std::nullopt;
        Interval first = experiment_.faults.front().at;
        for (const FaultSettings& fault : experiment_.faults) first = std::min(first, fault.at);
        for (const TimelineEntry& entry : fabric_->world().timeline) {
            if (entry.event.kind != weir::EventKind::SessionDown) continue;
            if (entry.event.at < Time{} + first) continue;
            return static_cast<double>((entry.event.at - (Time{} + first)).ps) / 1e6;
        }
        return std::nullopt;
    }

    void drain(Checkers& checkers) {
        const Interval step = Interval::microseconds(10);
        const Time limit = fabric_->now() + kDrainMax;
        while (fabric_->world().pool.in_use() != 0 && fabric_->now() < limit) {
            static_cast<void>(fabric_->run_until(fabric_->now() + step));
        }
        // Shards settle with one another what the last frames held, when their workers are back.
        static_cast<void>(fabric_->run_until(fabric_->now() + kSettle));
        // Sessions go on: an instant without a packet of theirs on its way.
        while (fabric_->world().pool.in_use() != 0 && fabric_->now() < limit) {
            static_cast<void>(fabric_->run_until(fabric_->now() + Interval::microseconds(1)));
        }
        checkers.check_end();
    }

    const Experiment& experiment_;
    const RunOptions& options_;
    RunResult result_;
    std::deque<roce::QpProfile> profiles_;  // outlives the hosts
    std::vector<HostNode*> hosts_;
    std::unique_ptr<Fabric> fabric_;
    std::unique_ptr<Load> load_;
};

double slowest_job_us(const RunResult& result) {
    double slowest = 0;
    for (const JobResult& job : result.jobs) slowest = std::max(slowest, job.time_us);
    return slowest;
}

}  // namespace

std::optional<RunResult> run_experiment(const Experiment& experiment, const RunOptions& options,
                                        Problems& problems) {
    std::optional<RunResult> result = Run(experiment, options).all(problems);
    if (!experiment.compare_no_failure || !result || !result->complete) return result;
    Experiment whole = experiment;
    whole.faults.clear();
    const std::optional<RunResult> without = Run(whole, options).all(problems);
    if (without && without->complete) {
        result->jct_over_no_failure = slowest_job_us(*result) / slowest_job_us(*without);
    }
    return result;
}

}  // namespace weir::lab

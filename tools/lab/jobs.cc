// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lab/jobs.h"

#include "dataplane/core/mix.h"

namespace weir::lab {

namespace {

double microseconds(Interval span) {
    return static_cast<double>(span.ps) / 1e6;
}

std::vector<roce::HostIndex> hosts_of(const JobSettings& job, const Topology& topology) {
    std::vector<roce::HostIndex> hosts;
    for (const std::string& name : job.hosts) {
        hosts.push_back(topology.find(name) - topology.switches());
    }
    if (!hosts.empty()) return hosts;
    for (roce::HostIndex host = 0; host < topology.hosts(); ++host) hosts.push_back(host);
    return hosts;
}

roce::DcqcnParameters dcqcn_of(const HostSettings& settings, std::uint64_t line_rate_bps) {
    roce::DcqcnParameters dcqcn = settings.dcqcn == Dcqcn::Hpcc ? roce::dcqcn_hpcc(line_rate_bps)
                                  : settings.dcqcn == Dcqcn::HpccPaper
                                      ? roce::dcqcn_hpcc_paper(line_rate_bps)
                                      : roce::dcqcn_paper(line_rate_bps);
    if (settings.fast_recovery_steps != 0) {
        dcqcn.fast_recovery_steps = settings.fast_recovery_steps;
    }
    if (settings.additive) dcqcn.additive_bps = settings.additive->bps;
    if (settings.hyper) dcqcn.hyper_bps = settings.hyper->bps;
    return dcqcn;
}

roce::QpProfile profile_of(const HostSettings& settings, const JobSettings& job,
                           std::uint64_t line_rate_bps) {
    roce::QpProfile profile;
    profile.mtu_bytes = settings.mtu;
    profile.dscp = static_cast<std::uint8_t>(job.dscp.value_or(settings.dscp));
    profile.priority = profile.dscp >> 3;
    profile.ack_dscp = profile.dscp;
    profile.ack_priority = profile.priority;
    profile.ack_request_every = settings.ack_every;
    profile.timeout = settings.timeout;
    profile.retry_forever = settings.retry_forever;
    profile.cnp_interval = settings.cnp_interval;
    profile.dcqcn_on = settings.dcqcn != Dcqcn::Off;
    if (profile.dcqcn_on) profile.dcqcn = dcqcn_of(settings, line_rate_bps);
    return profile;
}

// NCCL's definition: what each rank's link carried, were the algorithm optimal.
double bus_bandwidth_gbps(const JobSettings& job, std::size_t ranks, double time_us) {
    if (!job.pattern || time_us <= 0) return 0;
    const auto n = static_cast<double>(ranks);
    const double bits = 8.0 * static_cast<double>(job.bytes) * job.repeats;
    switch (*job.pattern) {
        case roce::Pattern::RingAllReduce:
        case roce::Pattern::HalvingDoublingAllReduce:
            return bits * 2 * (n - 1) / n / time_us / 1e3;
        case roce::Pattern::AllToAll:
        case roce::Pattern::AllToAllPairwise:
            return bits * (n - 1) / time_us / 1e3;
        default:
            return 0;
    }
}

}  // namespace

void add_jobs(const Experiment& experiment, const Topology& topology, std::uint64_t seed,
              std::deque<roce::QpProfile>& profiles, roce::Workload& workload) {
    const std::uint64_t line_rate_bps = experiment.fabric.link.rate.bps;
    for (std::size_t i = 0; i < experiment.jobs.size(); ++i) {
        const JobSettings& job = experiment.jobs[i];
        profiles.push_back(profile_of(experiment.hosts, job, line_rate_bps));
        const std::vector<roce::HostIndex> hosts = hosts_of(job, topology);
        const std::uint64_t job_seed = avalanche(seed + i);
        if (!job.pattern) {
            workload.add(roce::ArrivalJob{.name = job.name,
                                          .hosts = hosts,
                                          .profile = &profiles.back(),
                                          .sizes = roce::flow_sizes_named(job.arrivals),
                                          .load_ppm = job.load.millionths,
                                          .start = Time{} + job.start,
                                          .duration = job.duration,
                                          .seed = job_seed});
            continue;
        }
        workload.add(
            roce::CollectiveJob{.name = job.name,
                                .collective = {.pattern = *job.pattern,
                                               .ranks = static_cast<roce::Rank>(hosts.size()),
                                               .bytes = job.bytes,
                                               .seed = job_seed,
                                               .shift = job.shift},
                                .hosts = hosts,
                                .profile = &profiles.back(),
                                .qps_per_pair = job.qps,
                                .repeats = job.repeats,
                                .start = Time{} + job.start,
                                .barrier = job.barrier});
    }
}

void finish_jobs(const Experiment& experiment, const Topology& topology,
                 const roce::Workload& workload, Time now, RunResult& result) {
    std::vector<std::vector<double>> times(experiment.jobs.size());
    std::vector<double> bits(experiment.jobs.size(), 0);
    for (const roce::FlowRecord& flow : workload.flows()) {
        const bool failed = flow.status != roce::CompletionStatus::Done;
        FlowResult out{.job = flow.job,
                       .from = topology.name(topology.host(flow.source)),
                       .to = topology.name(topology.host(flow.destination)),
                       .bytes = flow.bytes,
                       .start_us = microseconds(flow.posted - Time{}),
                       .done = flow.done,
                       .failed = failed};
        if (flow.done && !failed) {
            out.time_us = microseconds(flow.acknowledged - flow.posted);
            times[flow.job].push_back(out.time_us);
            bits[flow.job] += 8.0 * static_cast<double>(flow.bytes);
        }
        result.flows.push_back(std::move(out));
    }
    for (std::uint32_t i = 0; i < experiment.jobs.size(); ++i) {
        const JobSettings& job = experiment.jobs[i];
        const roce::JobResult& ran = workload.result(i);
        JobResult out{.name = job.name.empty() ? "job " + std::to_string(i) : job.name,
                      .flows = ran.flows,
                      .flows_done = ran.flows_done,
                      .flows_failed = ran.flows_failed,
                      .finished = ran.finished};
        out.time_us = microseconds((ran.finished ? ran.ended : now) - ran.started);
        out.flow_time_us = distribution_of(std::move(times[i]));
        if (out.time_us > 0) out.goodput_gbps = bits[i] / out.time_us / 1e3;
        if (ran.finished) {
            const std::size_t ranks = job.hosts.empty() ? topology.hosts() : job.hosts.size();
            out.bus_bandwidth_gbps = bus_bandwidth_gbps(job, ranks, out.time_us);
        }
        result.jobs.push_back(std::move(out));
    }
}

}  // namespace weir::lab

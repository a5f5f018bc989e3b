// SPDX-License-Identifier: BSD-3-Clause
#include "tools/roce/workload.h"

#include <algorithm>
#include <utility>

#include "dataplane/core/check.h"
#include "tools/roce/workload_impl.h"

namespace weir::roce {
namespace {

constexpr Rank kNoRank = 0xffff'ffff;
constexpr std::size_t kJobsMax = 1u << 16;

// Arrivals of all hosts together: each offers `load` of its line rate.
Interval mean_gap(const ArrivalJob& job, std::uint64_t speed_bps) {
    __extension__ using Wide = unsigned __int128;
    const Wide picobits = Wide{job.sizes.mean_bytes()} * 8 * 1'000'000'000'000u;
    const Wide rate = Wide{speed_bps} * job.load_ppm * job.hosts.size();
    return {static_cast<std::int64_t>(picobits * 1'000'000 / rate)};
}

bool all_different(std::vector<HostIndex> hosts, std::size_t count) {
    std::ranges::sort(hosts);
    return std::ranges::adjacent_find(hosts) == hosts.end() &&
           (hosts.empty() || hosts.back() < count);
}

}  // namespace

const char* Workload::problem(const CollectiveJob& job, std::size_t hosts) {
    if (job.profile == nullptr) return "it has no profile";
    if (job.hosts.size() != job.collective.ranks) return "each rank needs a host";
    if (!all_different(job.hosts, hosts)) return "its hosts are not different ones of the fabric";
    if (job.qps_per_pair == 0 || job.repeats == 0) return "nothing is to be done";
    if (job.collective.bytes / job.qps_per_pair >= kMessageBytesMax) {
        return "a message would have more than 2^31 bytes";
    }
    return Phases::problem(job.collective);
}

const char* Workload::problem(const ArrivalJob& job, std::size_t hosts) {
    if (job.profile == nullptr) return "it has no profile";
    if (job.hosts.size() < 2) return "it takes two hosts at least";
    if (!all_different(job.hosts, hosts)) return "its hosts are not different ones of the fabric";
    if (job.load_ppm == 0) return "nothing is to be done";
    return job.sizes.problem();
}

Workload::Impl::Impl(std::vector<WorkloadHost> hosts, std::uint64_t seed)
    : is_touched(hosts.size()), connections_(std::move(hosts), seed) {}

std::uint32_t Workload::Impl::add(const CollectiveJob& job) {
    WEIR_CHECK(*problem(job, connections_.hosts()) == '\0' && jobs.size() < kJobsMax);
    Job& added = jobs.emplace_back();
    added.collective = job;
    added.run.emplace(job.collective, CollectiveRun::Options{.repeats = job.repeats,
                                                             .messages = job.qps_per_pair,
                                                             .barrier = job.barrier,
                                                             .wait_for_ack = job.wait_for_ack});
    added.rank_of.assign(connections_.hosts(), kNoRank);
    for (Rank rank = 0; rank < job.hosts.size(); ++rank) added.rank_of[job.hosts[rank]] = rank;
    added.due = job.start;
    return static_cast<std::uint32_t>(jobs.size() - 1);
}

std::uint32_t Workload::Impl::add(const ArrivalJob& job) {
    WEIR_CHECK(*problem(job, connections_.hosts()) == '\0' && jobs.size() < kJobsMax);
    Job& added = jobs.emplace_back();
    added.arrivals = job;
    added.prng = Prng(job.seed);
    added.mean_gap = mean_gap(job, connections_.host(job.hosts[0]).port->config().speed_bps);
    added.due = job.start + exponential_gap(added.mean_gap, added.prng);
    added.result.started = job.start;
    return static_cast<std::uint32_t>(jobs.size() - 1);
}

void Workload::Impl::advance(Time now) {
    for (std::uint32_t number = 0; number < jobs.size(); ++number) {
        while (jobs[number].due && *jobs[number].due <= now) {
            if (jobs[number].collective) {
                start(now, jobs[number]);
                post_all(now, number);
            } else {
                arrive(now, number);
            }
        }
    }
}

void Workload::Impl::start(Time now, Job& job) {
    job.due.reset();
    job.result.started = now;
    job.run->start(now, may_start_);
}

void Workload::Impl::arrive(Time now, std::uint32_t number) {
    Job& job = jobs[number];
    const ArrivalJob& arrivals = *job.arrivals;
    if (*job.due - arrivals.start >= arrivals.duration) {
        job.due.reset();
        return finish_if_done(job, now);
    }
    const auto hosts = static_cast<std::uint32_t>(arrivals.hosts.size());
    const std::uint32_t from = job.prng.below(hosts);
    const std::uint32_t to = (from + 1 + job.prng.below(hosts - 1)) % hosts;
    const FlowRecord flow{.job = number,
                          .source = arrivals.hosts[from],
                          .destination = arrivals.hosts[to],
                          .bytes = arrivals.sizes.draw(job.prng),
                          .posted = now};
    job.due = *job.due + exponential_gap(job.mean_gap, job.prng);
    const Connections::Key key{number, flow.source, flow.destination};
    post(now, flow, connections_.get_idle(key, *arrivals.profile), Operation::Write);
}

void Workload::Impl::post_all(Time now, std::uint32_t number) {
    // What is posted may fail at once, but it never starts more.
    for (const PhaseTransfer& one : may_start_) post_transfer(now, number, one);
    may_start_.clear();
}

void Workload::Impl::post_transfer(Time now, std::uint32_t number, const PhaseTransfer& one) {
    const CollectiveJob& job = *jobs[number].collective;
    const HostIndex source = job.hosts[one.transfer.source];
    const HostIndex destination = job.hosts[one.transfer.destination];
    for (unsigned lane = 0; lane < job.qps_per_pair; ++lane) {
        const std::uint64_t bytes = one.transfer.bytes / job.qps_per_pair +
                                    (lane < one.transfer.bytes % job.qps_per_pair ? 1 : 0);
        const Connections::Key key{number, source, destination};
        post(now,
             {.job = number,
              .source = source,
              .destination = destination,
              .phase = one.phase,
              .bytes = bytes,
              .posted = now},
             connections_.get(key, lane, *job.profile), job.operation);
    }
}

void Workload::Impl::post(Time now, const FlowRecord& flow, ConnectionIndex connection,
                          Operation operation) {
    const HostIndex from = operation == Operation::Read ? flow.destination : flow.source;
    const auto index = static_cast<FlowIndex>(flows.size());
    flows.push_back(flow);
    courses_.push_back({.connection = connection});
    ++jobs[flow.job].result.flows;
    connections_.post(now, connection, from,
                      {.id = index, .operation = operation, .bytes = flow.bytes});
    if (is_touched[from]) return;
    is_touched[from] = true;
    touched.push_back(from);
}

void Workload::Impl::take(Time now, HostIndex host) {
    HostPort& port = *connections_.host(host).port;
    const std::span<const Completion> done = port.completions();
    completions_.assign(done.begin(), done.end());
    port.clear_completions();
    for (const Completion& one : completions_) completed(now, host, one);
}

void Workload::Impl::completed(Time now, HostIndex host, const Completion& completion) {
    if (completion.kind == CompletionKind::Received) {
        const std::optional<FlowIndex> flow = connections_.received(host, completion.qp);
        if (flow) received(now, *flow);
        return;
    }
    const auto index = static_cast<FlowIndex>(completion.id);
    const bool done = completion.status == CompletionStatus::Done;
    if (done && completion.operation == Operation::Read) received(now, index);
    acknowledged(now, index, completion.status);
}

void Workload::Impl::received(Time now, FlowIndex index) {
    FlowRecord& flow = flows[index];
    Job& job = jobs[flow.job];
    flow.received = now;
    courses_[index].received = true;
    const std::uint32_t number = flow.job;
    if (job.run && !job.failed) {
        job.run->message_received(now, job.rank_of[flow.destination], flow.phase, may_start_);
    }
    end_flow(now, index);
    post_all(now, number);
}

void Workload::Impl::acknowledged(Time now, FlowIndex index, CompletionStatus status) {
    FlowRecord& flow = flows[index];
    Job& job = jobs[flow.job];
    const std::uint32_t number = flow.job;
    flow.acknowledged = now;
    flow.status = status;
    courses_[index].acknowledged = true;
    job.result.ended = now;
    if (status != CompletionStatus::Done) {
        ++job.result.flows_failed;
        // The phase can no longer end: nothing more is started.
        job.failed = job.failed || job.run.has_value();
        job.result.finished = job.result.finished || job.failed;
    } else if (job.run && !job.failed) {
        job.run->message_sent(now, job.rank_of[flow.source], may_start_);
    }
    end_flow(now, index);
    post_all(now, number);
}

void Workload::Impl::end_flow(Time now, FlowIndex index) {
    FlowRecord& flow = flows[index];
    const Course& course = courses_[index];
    Job& job = jobs[flow.job];
    const bool failed = flow.status != CompletionStatus::Done;
    if (!course.acknowledged || !(course.received || failed)) return;
    flow.done = !failed;
    job.result.flows_done += flow.done ? 1 : 0;
    // A connection in error is not used again.
    if (!failed) connections_.close(course.connection);
    finish_if_done(job, now);
}

void Workload::Impl::finish_if_done(Job& job, Time now) {
    if (job.failed) return;
    const JobResult& result = job.result;
    const bool all_ended = result.flows_done + result.flows_failed == result.flows;
    const bool finished = job.run ? job.run->finished() : !job.due && all_ended;
    if (!finished || result.finished) return;
    job.result.finished = true;
    job.result.ended = now;
    if (job.run) job.result.phase_ends = job.run->phase_ends();
}

std::optional<Time> Workload::Impl::next_deadline() const {
    std::optional<Time> first;
    for (const Job& job : jobs) {
        if (job.due && (!first || *job.due < *first)) first = job.due;
    }
    return first;
}

Workload::Workload(std::vector<WorkloadHost> hosts, std::uint64_t seed)
    : impl_(std::make_unique<Impl>(std::move(hosts), seed)) {}
Workload::~Workload() = default;

std::uint32_t Workload::add(const CollectiveJob& job) {
    return impl_->add(job);
}

std::uint32_t Workload::add(const ArrivalJob& job) {
    return impl_->add(job);
}

void Workload::advance(Time now) {
    impl_->advance(now);
}

void Workload::take(Time now, HostIndex host) {
    impl_->take(now, host);
}

std::span<const HostIndex> Workload::touched() const {
    return impl_->touched;
}

void Workload::clear_touched() {
    for (const HostIndex host : impl_->touched) impl_->is_touched[host] = false;
    impl_->touched.clear();
}

std::optional<Time> Workload::next_deadline() const {
    return impl_->next_deadline();
}

bool Workload::finished() const {
    return std::ranges::all_of(impl_->jobs, [](const auto& job) { return job.result.finished; });
}

std::size_t Workload::jobs() const {
    return impl_->jobs.size();
}

const JobResult& Workload::result(std::uint32_t job) const {
    return impl_->jobs.at(job).result;
}

std::span<const FlowRecord> Workload::flows() const {
    return impl_->flows;
}

}  // namespace weir::roce

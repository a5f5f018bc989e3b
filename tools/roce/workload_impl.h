// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dataplane/core/prng.h"
#include "tools/roce/collective_run.h"
#include "tools/roce/connections.h"
#include "tools/roce/workload.h"

namespace weir::roce {

class Workload::Impl {
  public:
    Impl(std::vector<WorkloadHost> hosts, std::uint64_t seed);

    std::uint32_t add(const CollectiveJob& job);
    std::uint32_t add(const ArrivalJob& job);
    void advance(Time now);
    void take(Time now, HostIndex host);
    [[nodiscard]] std::optional<Time> next_deadline() const;

    struct Job {
        std::optional<CollectiveJob> collective;
        std::optional<CollectiveRun> run;
        std::vector<Rank> rank_of{};  // by host
        std::optional<ArrivalJob> arrivals;
        Prng prng;
        Interval mean_gap{};
        std::optional<Time> due{};  // its start, or its next arrival
        bool failed = false;
        JobResult result{};
    };

    std::vector<Job> jobs;
    std::vector<FlowRecord> flows;
    std::vector<HostIndex> touched;
    std::vector<bool> is_touched;

  private:
    // What a flow needs besides its record.
    struct Course {
        ConnectionIndex connection = 0;
        bool received = false;
        bool acknowledged = false;
    };

    void start(Time now, Job& job);
    void arrive(Time now, std::uint32_t number);
    void post_all(Time now, std::uint32_t number);
    void post_transfer(Time now, std::uint32_t number, const PhaseTransfer& one);
    void post(Time now, const FlowRecord& flow, ConnectionIndex connection, Operation operation);
    void completed(Time now, HostIndex host, const Completion& completion);
    void acknowledged(Time now, FlowIndex index, CompletionStatus status);
    void received(Time now, FlowIndex index);
    void end_flow(Time now, FlowIndex index);
    void finish_if_done(Job& job, Time now);

    Connections connections_;
    std::vector<Course> courses_;           // of `flows`
    std::vector<PhaseTransfer> may_start_;  // room for one step of a collective
    std::vector<Completion> completions_;   // room for one host's
};

}  // namespace weir::roce

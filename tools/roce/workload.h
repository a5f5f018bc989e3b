// SPDX-License-Identifier: BSD-3-Clause
// Runs jobs on hosts: posts the transfers of a phase when those before it are done, draws the
// arrivals of open-loop traffic, and keeps the times. Several jobs share the hosts.
//
//     workload.advance(now);             start what is due
//     workload.take(now, host);          after a host has completions
//     workload.touched()                 hosts that were given work: ask their next() again
//     workload.next_deadline()           when to call advance() at the latest
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dataplane/core/time.h"
#include "tools/roce/collective.h"
#include "tools/roce/flow_sizes.h"
#include "tools/roce/host_port.h"

namespace weir::roce {

using HostIndex = std::uint32_t;

struct WorkloadHost {
    HostPort* port = nullptr;
    MacAddress next_hop{};  // the destination MAC of what it sends: its router's
};

// One collective, repeated.
struct CollectiveJob {
    std::string name{};
    Collective collective{};
    std::vector<HostIndex> hosts{};  // of rank 0, 1, ...; different ones
    const QpProfile* profile = nullptr;
    Operation operation = Operation::Write;  // Write or Send; Read: the destination pulls
    unsigned qps_per_pair = 1;               // a transfer is split evenly over them
    unsigned repeats = 1;
    Time start{};
    bool barrier = false;  // a phase starts when every rank has finished the one before
    // A rank goes on when its own transfers are acknowledged, too; else when it has received.
    bool wait_for_ack = true;
};

// Independent flows that arrive as a Poisson process, each from one host to another drawn evenly.
struct ArrivalJob {
    std::string name{};
    std::vector<HostIndex> hosts{};
    const QpProfile* profile = nullptr;
    FlowSizes sizes{};
    std::uint32_t load_ppm = 300'000;  // of the hosts' line rate, in millionths
    Time start{};
    Interval duration{};
    std::uint64_t seed = 1;
};

// One message on one queue pair. A READ is posted by its destination and is received and
// acknowledged at one instant.
struct FlowRecord {
    std::uint32_t job = 0;
    HostIndex source = 0;
    HostIndex destination = 0;
    std::uint32_t phase = 0;
    std::uint64_t bytes = 0;
    Time posted{};
    Time received{};      // the last byte at the destination
    Time acknowledged{};  // the last acknowledgement at the source
    CompletionStatus status = CompletionStatus::Done;
    bool done = false;  // both
};

struct JobResult {
    std::uint64_t flows = 0;
    std::uint64_t flows_done = 0;
    std::uint64_t flows_failed = 0;  // one ends a collective
    Time started{};
    Time ended{};           // the last acknowledgement
    bool finished = false;  // also by failure
    // End of each phase over all repeats: when the slowest rank was through.
    std::vector<Time> phase_ends{};
};

class Workload {
  public:
    // Source ports and first PSNs of the queue pairs are drawn from the seed.
    explicit Workload(std::vector<WorkloadHost> hosts, std::uint64_t seed = 1);
    ~Workload();
    Workload(const Workload&) = delete;
    Workload& operator=(const Workload&) = delete;

    // Empty text: the job can run on so many hosts. Otherwise what is wrong with it.
    [[nodiscard]] static const char* problem(const CollectiveJob& job, std::size_t hosts);
    [[nodiscard]] static const char* problem(const ArrivalJob& job, std::size_t hosts);

    // Returns the job's number, from 0.
    std::uint32_t add(const CollectiveJob& job);
    std::uint32_t add(const ArrivalJob& job);

    void advance(Time now);
    void take(Time now, HostIndex host);
    [[nodiscard]] std::span<const HostIndex> touched() const;
    void clear_touched();
    [[nodiscard]] std::optional<Time> next_deadline() const;

    [[nodiscard]] bool finished() const;
    [[nodiscard]] std::size_t jobs() const;
    [[nodiscard]] const JobResult& result(std::uint32_t job) const;
    // Flows in order of posting.
    [[nodiscard]] std::span<const FlowRecord> flows() const;

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace weir::roce

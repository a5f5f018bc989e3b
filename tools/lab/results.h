// SPDX-License-Identifier: BSD-3-Clause
// What a run has shown, as plain data: the JSON file, the report and the table are made of it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dataplane/core/time.h"
#include "dataplane/core/types.h"

namespace weir::lab {

// Of a set of spans or loads; all zero when there are none.
struct Distribution {
    std::uint64_t count = 0;
    double mean = 0;
    double p50 = 0;
    double p99 = 0;
    double max = 0;
};
// The p-th percentile is the smallest value that at least p percent of them do not exceed.
[[nodiscard]] Distribution distribution_of(std::vector<double> values);

// How evenly a load is spread: the largest over the mean, and Jain's index (Jain, Chiu, Hawe, DEC
// TR-301): (sum x)^2 / (n * sum x^2), 1 when all are equal, 1/n when one has it all.
struct Evenness {
    double max_over_mean = 0;
    double jain = 0;
};
[[nodiscard]] Evenness evenness_of(const std::vector<double>& loads);

struct FlowResult {
    std::uint32_t job = 0;
    std::string from;
    std::string to;
    std::uint64_t bytes = 0;
    double start_us = 0;
    double time_us = 0;  // first byte sent to last acknowledgement back; 0: not done
    bool done = false;
    bool failed = false;
};

struct JobResult {
    std::string name;
    std::uint64_t flows = 0;
    std::uint64_t flows_done = 0;
    std::uint64_t flows_failed = 0;
    bool finished = false;
    double time_us = 0;             // from start to the last acknowledgement
    double bus_bandwidth_gbps = 0;  // of collectives: NCCL's busbw, per rank; else 0
    double goodput_gbps = 0;        // payload of all flows over time
    Distribution flow_time_us{};
};

struct LinkResult {
    std::string from;
    std::string to;
    std::string tier{};  // "leaf > spine": the names without their numbers
    double rate_gbps = 0;
    std::uint64_t frames = 0;
    std::uint64_t bytes = 0;                                      // on the wire
    std::array<std::uint64_t, kPriorities> frames_by_priority{};  // of a switch's port
    double load = 0;                                              // of its rate, over the run
    std::uint64_t lost = 0;
    std::uint64_t corrupted = 0;
    std::uint64_t cut = 0;
};

struct TierResult {
    std::string tier;
    unsigned links = 0;
    Evenness evenness;
};

struct SwitchResult {
    std::string name;
    Bytes queue_bytes_max = 0;
    Bytes shared_bytes_max = 0;
    Bytes headroom_bytes_max = 0;
    std::uint64_t marks = 0;
    std::uint64_t pauses_sent = 0;
    std::uint64_t pauses_received = 0;
    std::vector<std::pair<std::string, std::uint64_t>> drops{};  // by reason, those that happened
};

// One line of a plot.
struct Series {
    std::string name;
    std::vector<double> values;  // one per sample
};

inline constexpr unsigned kHostSeriesMax = 16;

struct TimeSeries {
    std::vector<double> at_us;
    std::vector<Series> queue_kb;   // longest egress queue, by switch
    std::vector<Series> buffer_kb;  // shared bytes and headroom in use, by switch
    std::vector<Series> pauses;     // PFC pauses sent since the sample before, by switch
    std::vector<Series> sent_gbps;  // by host, with overhead; of at most kHostSeriesMax hosts
    Series goodput_gbps;            // what reached the hosts
};

// What a switch said about its links.
struct TimelineLine {
    double at_us = 0;
    std::string node;
    std::string port;  // its far end; empty: about no port
    std::string event;
    std::uint64_t number = 0;  // of destinations or frames
};

struct RunResult {
    std::string name;
    std::string about;
    std::string command;  // that repeats the run
    std::uint64_t seed = 0;
    unsigned hosts = 0;
    unsigned switches = 0;
    bool complete = false;  // every job has finished
    bool interrupted = false;
    double simulated_seconds = 0;
    double wall_seconds = 0;
    double cpu_seconds = 0;  // of the one core that it runs on
    std::uint64_t events = 0;
    std::uint64_t packet_hops = 0;
    std::uint64_t peak_rss_bytes = 0;
    std::uint64_t lossless_drops = 0;
    std::uint64_t hash = 0;
    std::vector<JobResult> jobs;
    std::vector<FlowResult> flows;
    std::vector<LinkResult> links;  // both directions of each
    std::vector<TierResult> tiers;
    std::vector<SwitchResult> switch_results;
    Distribution outage_us;              // of the flows that a fault silenced
    std::optional<double> detection_us;  // from the first fault to the first session lost after it
    // Bus bandwidth of the slowest collective over the rate of a host's link.
    std::optional<double> busbw_over_roofline;
    std::optional<double> jct_over_no_failure;  // time of the slowest job, over that without faults
    std::vector<TimelineLine> timeline;
    TimeSeries series;
    std::vector<std::string> violations;

    [[nodiscard]] double packet_hops_per_second() const {
        return cpu_seconds > 0 ? static_cast<double>(packet_hops) / cpu_seconds : 0;
    }
};

}  // namespace weir::lab

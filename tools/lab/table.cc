// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cinttypes>
#include <cstdio>

#include "tools/lab/report.h"

namespace weir::lab {

namespace {

template <typename... Values>
std::string line(const char* format, Values... values) {
    std::array<char, 256> text{};
    std::snprintf(text.data(), text.size(), format, values...);
    return std::string(text.data()) + "\n";
}

std::string jobs_table(const RunResult& result) {
    std::string out = line("%-20s %8s %8s %12s %10s %10s %10s %10s %10s", "job", "flows", "done",
                           "time us", "Gb/s", "bus Gb/s", "p50 us", "p99 us", "max us");
    for (const JobResult& job : result.jobs) {
        out += line("%-20.20s %8" PRIu64 " %8" PRIu64 " %12.1f %10.2f %10.2f %10.1f %10.1f %10.1f",
                    job.name.c_str(), job.flows, job.flows_done, job.time_us, job.goodput_gbps,
                    job.bus_bandwidth_gbps, job.flow_time_us.p50, job.flow_time_us.p99,
                    job.flow_time_us.max);
    }
    return out;
}

std::string switches_line(const RunResult& result) {
    std::uint64_t pauses = 0;
    std::uint64_t marks = 0;
    std::uint64_t drops = 0;
    Bytes queue = 0;
    for (const SwitchResult& node : result.switch_results) {
        pauses += node.pauses_sent;
        marks += node.marks;
        queue = queue > node.queue_bytes_max ? queue : node.queue_bytes_max;
        for (const auto& [reason, frames] : node.drops) drops += frames;
    }
    return line("PFC pauses %" PRIu64 ", ECN marks %" PRIu64 ", drops %" PRIu64
                " (lossless %" PRIu64 "), longest queue %.1f KB",
                pauses, marks, drops, result.lossless_drops, static_cast<double>(queue) / 1e3);
}

}  // namespace

std::string table_of(const RunResult& result) {
    std::string out = jobs_table(result) + "\n";
    for (const TierResult& tier : result.tiers) {
        out += line("%-20.20s %4u links, largest / mean %.3f, Jain %.4f", tier.tier.c_str(),
                    tier.links, tier.evenness.max_over_mean, tier.evenness.jain);
    }
    out += switches_line(result);
    if (result.detection_us) {
        out +=
            line("the first session was lost %.1f us after the first fault", *result.detection_us);
    }
    if (result.busbw_over_roofline) {
        out += line("bus bandwidth of the slowest collective: %.4f of a host's link",
                    *result.busbw_over_roofline);
    }
    if (result.jct_over_no_failure) {
        out += line("the slowest job took %.4f times as long as without faults",
                    *result.jct_over_no_failure);
    }
    if (result.outage_us.count > 0) {
        out += line("outages of %" PRIu64 " flows: p50 %.1f us, max %.1f us",
                    result.outage_us.count, result.outage_us.p50, result.outage_us.max);
    }
    out +=
        line("%.6f s simulated in %.2f s (%.2f s of the core): %" PRIu64
             " packet-hops, %.2f M/s; %" PRIu64 " events; hash %016" PRIx64,
             result.simulated_seconds, result.wall_seconds, result.cpu_seconds, result.packet_hops,
             result.packet_hops_per_second() / 1e6, result.events, result.hash);
    for (const std::string& violation : result.violations) out += "VIOLATION " + violation + "\n";
    if (!result.complete) out += result.interrupted ? "interrupted\n" : "not finished in time\n";
    return out;
}

}  // namespace weir::lab

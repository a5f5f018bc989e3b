// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lab/json_result.h"

#include <array>
#include <cinttypes>
#include <cstdio>

#include "tools/lab/json_writer.h"

namespace weir::lab {

namespace {

void add(JsonWriter& json, std::string_view name, const Distribution& distribution) {
    json.open(name, '{')
        .add("count", distribution.count)
        .add("mean", distribution.mean)
        .add("p50", distribution.p50)
        .add("p99", distribution.p99)
        .add("max", distribution.max)
        .close('}');
}

void add_jobs(JsonWriter& json, const RunResult& result) {
    json.open("jobs", '[');
    for (const JobResult& job : result.jobs) {
        json.open('{')
            .add("name", job.name)
            .add("flows", job.flows)
            .add("flows_done", job.flows_done)
            .add("flows_failed", job.flows_failed)
            .add("finished", job.finished)
            .add("time_us", job.time_us)
            .add("goodput_gbps", job.goodput_gbps)
            .add("bus_bandwidth_gbps", job.bus_bandwidth_gbps);
        add(json, "flow_time_us", job.flow_time_us);
        json.close('}');
    }
    json.close(']');
    json.open("flows", '[');
    for (const FlowResult& flow : result.flows) {
        json.open('{')
            .add("job", flow.job)
            .add("from", flow.from)
            .add("to", flow.to)
            .add("bytes", flow.bytes)
            .add("start_us", flow.start_us)
            .add("time_us", flow.time_us)
            .add("done", flow.done)
            .add("failed", flow.failed)
            .close('}');
    }
    json.close(']');
}

void add_links(JsonWriter& json, const RunResult& result) {
    json.open("tiers", '[');
    for (const TierResult& tier : result.tiers) {
        json.open('{')
            .add("tier", tier.tier)
            .add("links", tier.links)
            .add("max_over_mean", tier.evenness.max_over_mean)
            .add("jain", tier.evenness.jain)
            .close('}');
    }
    json.close(']');
    json.open("links", '[');
    for (const LinkResult& link : result.links) {
        json.open('{')
            .add("from", link.from)
            .add("to", link.to)
            .add("rate_gbps", link.rate_gbps)
            .add("frames", link.frames)
            .add("bytes", link.bytes)
            .open("frames_by_priority", '[');
        for (const std::uint64_t frames : link.frames_by_priority) json.item(frames);
        json.close(']')
            .add("load", link.load)
            .add("lost", link.lost)
            .add("corrupted", link.corrupted)
            .add("cut", link.cut)
            .close('}');
    }
    json.close(']');
}

void add_switches(JsonWriter& json, const RunResult& result) {
    json.open("switches_detail", '[');
    for (const SwitchResult& node : result.switch_results) {
        json.open('{')
            .add("name", node.name)
            .add("queue_bytes_max", node.queue_bytes_max)
            .add("shared_bytes_max", node.shared_bytes_max)
            .add("headroom_bytes_max", node.headroom_bytes_max)
            .add("marks", node.marks)
            .add("pauses_sent", node.pauses_sent)
            .add("pauses_received", node.pauses_received)
            .open("drops", '{');
        for (const auto& [reason, frames] : node.drops) json.add(reason, frames);
        json.close('}').close('}');
    }
    json.close(']');
}

void add_timeline(JsonWriter& json, const RunResult& result) {
    json.open("timeline", '[');
    for (const TimelineLine& line : result.timeline) {
        json.open('{')
            .add("at_us", line.at_us)
            .add("switch", line.node)
            .add("port", line.port)
            .add("event", line.event)
            .add("number", line.number)
            .close('}');
    }
    json.close(']');
}

void add_values(JsonWriter& json, std::string_view name, const std::vector<double>& values) {
    json.open(name, '[');
    for (const double value : values) json.item(value);
    json.close(']');
}

void add_series(JsonWriter& json, const TimeSeries& series) {
    json.open("series", '{');
    add_values(json, "at_us", series.at_us);
    add_values(json, "delivered_gbps", series.goodput_gbps.values);
    const auto by_name = [&](std::string_view name, const std::vector<Series>& lines) {
        json.open(name, '{');
        for (const Series& line : lines) add_values(json, line.name, line.values);
        json.close('}');
    };
    by_name("sent_gbps", series.sent_gbps);
    by_name("queue_kb", series.queue_kb);
    by_name("buffer_kb", series.buffer_kb);
    by_name("pauses", series.pauses);
    json.close('}');
}

}  // namespace

std::string json_of(const RunResult& result) {
    std::array<char, 20> hash{};
    std::snprintf(hash.data(), hash.size(), "%016" PRIx64, result.hash);
    JsonWriter json;
    json.open('{')
        .add("name", result.name)
        .add("seed", result.seed)
        .add("command", result.command)
        .add("hosts", result.hosts)
        .add("switches", result.switches)
        .add("complete", result.complete)
        .add("interrupted", result.interrupted)
        .add("simulated_seconds", result.simulated_seconds)
        .add("wall_seconds", result.wall_seconds)
        .add("cpu_seconds", result.cpu_seconds)
        .add("events", result.events)
        .add("packet_hops", result.packet_hops)
        .add("packet_hops_per_second", result.packet_hops_per_second())
        .add("peak_rss_bytes", result.peak_rss_bytes)
        .add("lossless_drops", result.lossless_drops)
        .add("hash", std::string_view(hash.data()));
    json.open("violations", '[');
    for (const std::string& line : result.violations) json.item(line);
    json.close(']');
    add(json, "outage_us", result.outage_us);
    if (result.detection_us) json.add("detection_us", *result.detection_us);
    if (result.busbw_over_roofline) json.add("busbw_over_roofline", *result.busbw_over_roofline);
    if (result.jct_over_no_failure) json.add("jct_over_no_failure", *result.jct_over_no_failure);
    add_jobs(json, result);
    add_links(json, result);
    add_switches(json, result);
    add_timeline(json, result);
    add_series(json, result.series);
    return json.close('}').text() + "\n";
}

}  // namespace weir::lab

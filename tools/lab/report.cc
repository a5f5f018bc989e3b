// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lab/report.h"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>

#include "tools/lab/page.h"
#include "tools/lab/svg_plot.h"

namespace weir::lab {

namespace {

constexpr std::size_t kLinesMax = 8;  // of one plot: as many as there are colours

std::string number(std::uint64_t value) {
    return std::to_string(value);
}

std::string tile(const std::string& value, const std::string& name) {
    return "<div class=\"tile\"><b>" + escaped(value) + "</b><span>" + escaped(name) +
           "</span></div>\n";
}

std::string row(const std::vector<std::string>& cells, const char* cell) {
    std::string out = "<tr>";
    for (const std::string& text : cells) {
        out += '<' + std::string(cell) + '>' + escaped(text) + "</" + cell + '>';
    }
    return out + "</tr>\n";
}

std::uint64_t sum_of(const RunResult& result, std::uint64_t SwitchResult::*field) {
    std::uint64_t sum = 0;
    for (const SwitchResult& node : result.switch_results) sum += node.*field;
    return sum;
}

std::uint64_t drops_of(const RunResult& result) {
    std::uint64_t sum = 0;
    for (const SwitchResult& node : result.switch_results) {
        for (const auto& [reason, frames] : node.drops) sum += frames;
    }
    return sum;
}

std::string tiles(const RunResult& result) {
    std::string out = "<div class=\"tiles\">\n";
    out += tile(short_number(result.simulated_seconds * 1e3) + " ms", "simulated");
    out += tile(number(result.hosts) + " / " + number(result.switches), "hosts / switches");
    out += tile(short_number(static_cast<double>(result.packet_hops)), "packet-hops");
    out += tile(short_number(result.packet_hops_per_second() / 1e6) + " M/s",
                "packet-hops per second of computing");
    out += tile(number(result.lossless_drops), "lossless frames dropped");
    out += tile(number(drops_of(result)), "frames dropped, all reasons");
    out += tile(number(sum_of(result, &SwitchResult::pauses_sent)), "PFC pauses");
    out += tile(number(sum_of(result, &SwitchResult::marks)), "ECN marks");
    if (result.outage_us.count > 0) {
        out += tile(short_number(result.outage_us.max) + " us", "longest outage of a flow");
    }
    if (result.detection_us) {
        out += tile(short_number(*result.detection_us) + " us", "until a session was lost");
    }
    if (result.jct_over_no_failure) {
        out += tile(short_number(*result.jct_over_no_failure), "job time over that without faults");
    }
    return out + "</div>\n";
}

std::string verdict(const RunResult& result) {
    std::string out;
    if (!result.violations.empty()) {
        out = "<div class=\"box bad\"><b>The checkers found:</b><ul>";
        for (const std::string& line : result.violations) out += "<li>" + escaped(line) + "</li>";
        out += "</ul></div>\n";
    } else {
        out =
            "<div class=\"box good\">All checkers held: no lossless drop, every account closed, "
            "nothing lost or doubled in a switch.</div>\n";
    }
    if (!result.complete) {
        out += std::string("<div class=\"box bad\">") +
               (result.interrupted ? "Interrupted: this is what there was."
                                   : "The time was over before every job had finished.") +
               "</div>\n";
    }
    return out;
}

std::string jobs_table(const RunResult& result) {
    std::string out = "<h2>Jobs</h2>\n<div class=\"box\"><table>\n" +
                      row({"job", "flows", "done", "time, us", "goodput, Gb/s",
                           "bus bandwidth, Gb/s", "flow time p50, us", "p99", "max"},
                          "th");
    for (const JobResult& job : result.jobs) {
        out += row({job.name, number(job.flows), number(job.flows_done), short_number(job.time_us),
                    short_number(job.goodput_gbps),
                    job.bus_bandwidth_gbps > 0 ? short_number(job.bus_bandwidth_gbps) : "-",
                    short_number(job.flow_time_us.p50), short_number(job.flow_time_us.p99),
                    short_number(job.flow_time_us.max)},
                   "td");
    }
    return out + "</table></div>\n";
}

// How many of the flows took at most how long, by job.
std::string flow_plot(const RunResult& result) {
    std::vector<PlotLine> lines;
    for (std::uint32_t job = 0; job < result.jobs.size() && job < kLinesMax; ++job) {
        PlotLine line{result.jobs[job].name, {0}, {0}};
        std::vector<double> times;
        for (const FlowResult& flow : result.flows) {
            if (flow.job == job && flow.done && !flow.failed) times.push_back(flow.time_us);
        }
        std::sort(times.begin(), times.end());
        // At most as many steps as the plot has pixels.
        const std::size_t step = std::max<std::size_t>(1, times.size() / 600);
        for (std::size_t i = 0; i < times.size(); ++i) {
            if (i % step != 0 && i + 1 != times.size()) continue;
            line.x.push_back(times[i]);
            line.y.push_back(static_cast<double>(i + 1) / static_cast<double>(times.size()));
        }
        if (!times.empty()) lines.push_back(std::move(line));
    }
    if (lines.empty()) return {};
    return line_plot({"Flow completion times", "us", "share of flows", true, 1}, lines);
}

// Of many switches those with the highest peaks.
std::string series_plot(const PlotOptions& options, const RunResult& result,
                        std::vector<Series> series) {
    const auto peak = [](const Series& line) {
        return line.values.empty() ? 0 : *std::max_element(line.values.begin(), line.values.end());
    };
    PlotOptions shown = options;
    if (series.size() > kLinesMax) {
        std::stable_sort(series.begin(), series.end(),
                         [&](const Series& a, const Series& b) { return peak(a) > peak(b); });
        shown.title +=
            ": the " + std::to_string(kLinesMax) + " highest of " + std::to_string(series.size());
        series.resize(kLinesMax);
    }
    std::vector<PlotLine> lines;
    for (Series& line : series) {
        lines.push_back({line.name, result.series.at_us, std::move(line.values)});
    }
    return line_plot(shown, lines);
}

std::string plot(const std::string& svg) {
    return svg.empty() ? "" : "<div class=\"plot\">" + svg + "</div>\n";
}

std::string plots(const RunResult& result) {
    const TimeSeries& series = result.series;
    std::string out = "<h2>Over time</h2>\n<div class=\"plots\">\n";
    out += plot(flow_plot(result));
    out += plot(series_plot({"Delivered to hosts", "us", "Gb/s, with overhead"}, result,
                            {series.goodput_gbps}));
    out +=
        plot(series_plot({"Sent by hosts", "us", "Gb/s, with overhead"}, result, series.sent_gbps));
    out += plot(series_plot({"Longest egress queue", "us", "KB"}, result, series.queue_kb));
    out += plot(series_plot({"Buffer in use", "us", "KB"}, result, series.buffer_kb));
    out += plot(series_plot({"PFC pauses sent per sample", "us", "pauses"}, result, series.pauses));
    return out + "</div>\n";
}

std::string links_section(const RunResult& result) {
    std::string out = "<h2>Link load</h2>\n<div class=\"plots\">\n";
    unsigned colour = 0;
    for (const TierResult& tier : result.tiers) {
        std::vector<PlotBar> bars;
        double sum = 0;
        for (const LinkResult& link : result.links) {
            if (link.tier != tier.tier) continue;
            bars.push_back({link.from + " > " + link.to, link.load * 100, colour});
            sum += link.load * 100;
        }
        std::stable_sort(bars.begin(), bars.end(),
                         [](const PlotBar& a, const PlotBar& b) { return a.value > b.value; });
        const PlotOptions options{tier.tier + ": largest / mean " +
                                      short_number(tier.evenness.max_over_mean) + ", Jain " +
                                      short_number(tier.evenness.jain),
                                  bars.size() > 24 ? "links, by load" : "", "% of the rate"};
        out += plot(bar_plot(options, bars, sum / static_cast<double>(bars.size())));
        ++colour;
    }
    return out + "</div>\n";
}

std::string switches_table(const RunResult& result) {
    std::string out = "<h2>Switches</h2>\n<div class=\"box\"><table>\n" +
                      row({"switch", "longest queue, KB", "shared, KB", "headroom, KB", "marks",
                           "pauses sent", "pauses received", "drops"},
                          "th");
    for (const SwitchResult& node : result.switch_results) {
        std::string drops;
        for (const auto& [reason, frames] : node.drops) {
            drops += (drops.empty() ? "" : ", ") + number(frames) + ' ' + reason;
        }
        const auto kilo = [](Bytes bytes) {
            return short_number(static_cast<double>(bytes) / 1e3);
        };
        out += row({node.name, kilo(node.queue_bytes_max), kilo(node.shared_bytes_max),
                    kilo(node.headroom_bytes_max), number(node.marks), number(node.pauses_sent),
                    number(node.pauses_received), drops.empty() ? "none" : drops},
                   "td");
    }
    return out + "</table></div>\n";
}

// The first lines; all are in the JSON file.
std::string timeline_table(const RunResult& result) {
    constexpr std::size_t kLinesShown = 60;
    if (result.timeline.empty()) return {};
    std::string out = "<h2>Links</h2>\n<div class=\"box\"><table>\n" +
                      row({"us", "switch", "port to", "event", "how many"}, "th");
    for (std::size_t i = 0; i < std::min(kLinesShown, result.timeline.size()); ++i) {
        const TimelineLine& line = result.timeline[i];
        out += row({short_number(line.at_us), line.node, line.port.empty() ? "-" : line.port,
                    line.event, line.number == 0 ? "-" : number(line.number)},
                   "td");
    }
    return out + "</table></div>\n";
}

}  // namespace

std::string report_of(const RunResult& result) {
    std::array<char, 20> hash{};
    std::snprintf(hash.data(), hash.size(), "%016" PRIx64, result.hash);
    return page_head(result.name) + "<p class=\"about\">" + escaped(result.about) +
           "</p>\n<p class=\"about\">Repeat with " + "<code>" + escaped(result.command) +
           "</code>, hash <code>" + hash.data() + "</code></p>\n" + tiles(result) +
           verdict(result) + jobs_table(result) + plots(result) + links_section(result) +
           switches_table(result) + timeline_table(result) + std::string(page_end());
}

}  // namespace weir::lab

// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lab/recorder.h"

#include <algorithm>
#include <map>

#include "dataplane/core/drop_reason.h"

namespace weir::lab {

namespace {

double microseconds(Interval span) {
    return static_cast<double>(span.ps) / 1e6;
}

double kilobytes(Bytes bytes) {
    return static_cast<double>(bytes) / 1e3;
}

double gigabits_per_second(std::uint64_t bytes, Interval span) {
    // A bit per picosecond is 1,000 Gb/s.
    return span.ps > 0 ? static_cast<double>(bytes) * 8e3 / static_cast<double>(span.ps) : 0;
}

template <typename Merge>
void thin_values(std::vector<double>& values, Merge merge) {
    // The first stands for the start and stays.
    std::size_t kept = 1;
    for (std::size_t i = 1; i + 1 < values.size(); i += 2) {
        values[kept++] = merge(values[i], values[i + 1]);
    }
    if (values.size() % 2 == 0 && values.size() > 1) values[kept++] = values.back();
    values.resize(kept);
}

// "leaf12" -> "leaf".
std::string kind_of(const std::string& name) {
    const std::size_t last = name.find_last_not_of("0123456789");
    return last == std::string::npos ? name : name.substr(0, last + 1);
}

// Calls visit(port, priority) for each of a switch.
template <typename Visit>
void for_each_group(const SwitchNode& node, Visit visit) {
    for (PortId port = 0; port < node.ports(); ++port) {
        for (Priority priority = 0; priority < kPriorities; ++priority) visit(port, priority);
    }
}

}  // namespace

Recorder::Recorder(const Fabric& fabric)
    : fabric_(fabric), pauses_before_(fabric.topology().switches()) {
    for (NodeId id = 0; id < fabric.topology().switches(); ++id) {
        for (auto* lines : {&series_.queue_kb, &series_.buffer_kb, &series_.pauses}) {
            lines->push_back({fabric.switch_at(id).name(), {}});
        }
    }
    series_.goodput_gbps.name = "delivered";
    const unsigned hosts = std::min(fabric.topology().hosts(), kHostSeriesMax);
    for (unsigned i = 0; i < hosts; ++i) {
        series_.sent_gbps.push_back({fabric.topology().name(fabric.topology().host(i)), {}});
    }
    sent_before_.resize(hosts);
}

Bytes Recorder::longest_queue(const SwitchNode& node) {
    Bytes longest = 0;
    for_each_group(node, [&](PortId port, Priority priority) {
        longest = std::max(longest, node.owner(port).egress().queues().at(port, priority).bytes);
    });
    return longest;
}

Bytes Recorder::buffer_in_use(const SwitchNode& node) {
    Bytes bytes = 0;
    for_each_group(node, [&](PortId port, Priority priority) {
        bytes += node.owner(port).state().buffer.group(group_of(port, priority)).held();
    });
    return bytes;
}

std::uint64_t Recorder::pauses_sent(const SwitchNode& node) {
    std::uint64_t pauses = 0;
    for_each_group(node, [&](PortId port, Priority priority) {
        pauses += node.owner(port).counters(port).pauses_sent[priority].read();
    });
    return pauses;
}

// What the switches have put on the cables to their hosts.
std::uint64_t Recorder::delivered_bytes() const {
    std::uint64_t bytes = 0;
    for (const Cable& cable : fabric_.world().cables) {
        if (!fabric_.topology().is_switch(cable.to().node)) bytes += cable.counts().bytes;
    }
    return bytes;
}

void Recorder::sample() {
    const Interval span = fabric_.now() - sampled_at_;
    sampled_at_ = fabric_.now();
    series_.at_us.push_back(microseconds(fabric_.now() - Time{}));
    for (NodeId id = 0; id < fabric_.topology().switches(); ++id) {
        const SwitchNode& node = fabric_.switch_at(id);
        const std::uint64_t pauses = pauses_sent(node);
        series_.queue_kb[id].values.push_back(kilobytes(longest_queue(node)));
        series_.buffer_kb[id].values.push_back(kilobytes(buffer_in_use(node)));
        series_.pauses[id].values.push_back(static_cast<double>(pauses - pauses_before_[id]));
        pauses_before_[id] = pauses;
    }
    const std::uint64_t delivered = delivered_bytes();
    series_.goodput_gbps.values.push_back(gigabits_per_second(delivered - delivered_before_, span));
    delivered_before_ = delivered;
    sample_hosts(span);
}

void Recorder::thin() {
    const auto later = [](double, double b) { return b; };
    const auto larger = [](double a, double b) { return std::max(a, b); };
    const auto sum = [](double a, double b) { return a + b; };
    const auto mean = [](double a, double b) { return (a + b) / 2; };
    thin_values(series_.at_us, later);
    for (Series& line : series_.queue_kb) thin_values(line.values, larger);
    for (Series& line : series_.buffer_kb) thin_values(line.values, larger);
    for (Series& line : series_.pauses) thin_values(line.values, sum);
    for (Series& line : series_.sent_gbps) thin_values(line.values, mean);
    thin_values(series_.goodput_gbps.values, mean);
}

void Recorder::sample_hosts(Interval span) {
    const Topology& topology = fabric_.topology();
    for (unsigned i = 0; i < sent_before_.size(); ++i) {
        const std::uint32_t link = topology.links_of(topology.host(i))[0];
        // A host is end `a` of its link.
        const std::uint64_t sent = fabric_.cable(link, true).counts().bytes;
        series_.sent_gbps[i].values.push_back(gigabits_per_second(sent - sent_before_[i], span));
        sent_before_[i] = sent;
    }
}

void Recorder::finish(RunResult& result) {
    finish_links(result);
    finish_switches(result);
    result.series = std::move(series_);
    std::vector<double> outages;
    for (const FlowTrack& flow : fabric_.world().flows) {
        if (flow.outage > Interval{}) outages.push_back(microseconds(flow.outage));
    }
    result.outage_us = distribution_of(std::move(outages));
    finish_timeline(result);
}

void Recorder::finish_timeline(RunResult& result) const {
    const Topology& topology = fabric_.topology();
    for (const auto& [node, event] : fabric_.world().timeline) {
        const auto port = event.port == kNoPort
                              ? std::string()
                              : topology.name(topology.far_end(node, event.port).node);
        const bool counts = event.kind >= weir::EventKind::NoticeHeardLost &&
                            event.kind <= weir::EventKind::FramesRerouted;
        result.timeline.push_back({microseconds(event.at - Time{}), topology.name(node), port,
                                   std::string(event_name(event.kind)), counts ? event.number : 0});
    }
}

void Recorder::finish_links(RunResult& result) const {
    const Topology& topology = fabric_.topology();
    const auto ran_ps = static_cast<double>((fabric_.now() - Time{}).ps);
    std::map<std::string, std::vector<double>> loads;
    for (const Cable& cable : fabric_.world().cables) {
        const CableCounts& counts = cable.counts();
        LinkResult link{.from = topology.name(cable.from().node),
                        .to = topology.name(cable.to().node)};
        link.tier = kind_of(link.from) + " > " + kind_of(link.to);
        link.rate_gbps = static_cast<double>(cable.options().rate.bps()) / 1e9;
        link.frames = counts.frames;
        link.bytes = counts.bytes;
        if (topology.is_switch(cable.from().node)) {
            const SwitchNode& node = fabric_.switch_at(cable.from().node);
            const auto& sent = node.owner(cable.from().port).counters(cable.from().port);
            for (Priority priority = 0; priority < kPriorities; ++priority) {
                link.frames_by_priority[priority] = sent.sent_by_priority[priority].read();
            }
        }
        const double busy_ps = static_cast<double>(counts.bytes) * 8e3 / link.rate_gbps;
        link.load = ran_ps > 0 ? busy_ps / ran_ps : 0;
        link.lost = counts.lost;
        link.corrupted = counts.corrupted;
        link.cut = counts.cut;
        loads[link.tier].push_back(link.load);
        result.links.push_back(std::move(link));
    }
    for (const auto& [tier, of_tier] : loads) {
        result.tiers.push_back({tier, static_cast<unsigned>(of_tier.size()), evenness_of(of_tier)});
    }
}

void Recorder::finish_switches(RunResult& result) const {
    for (NodeId id = 0; id < fabric_.topology().switches(); ++id) {
        const SwitchNode& node = fabric_.switch_at(id);
        SwitchResult out{.name = node.name()};
        for_each_group(node, [&](PortId port, Priority priority) {
            const Shard& shard = node.owner(port);
            const PriorityGroup& group = shard.state().buffer.group(group_of(port, priority));
            out.queue_bytes_max =
                std::max(out.queue_bytes_max, shard.egress().queues().at(port, priority).bytes_max);
            out.headroom_bytes_max = std::max(out.headroom_bytes_max, group.headroom_bytes_max);
            out.marks += shard.egress().marked(port, priority).read();
            out.pauses_sent += shard.counters(port).pauses_sent[priority].read();
            out.pauses_received += shard.counters(port).pauses_received[priority].read();
        });
        for (ShardId shard = 0; shard < node.shards(); ++shard) {
            out.shared_bytes_max += node.shard(shard).state().buffer.shared_used_bytes_max();
        }
        for (unsigned i = 0; i < kDropReasons; ++i) {
            const auto reason = static_cast<DropReason>(i);
            if (reason == DropReason::ControlConsumed) continue;  // heard, not dropped
            const std::uint64_t frames = node.drops(reason);
            if (frames != 0) out.drops.emplace_back(drop_reason_text(reason), frames);
        }
        result.switch_results.push_back(std::move(out));
    }
}

}  // namespace weir::lab

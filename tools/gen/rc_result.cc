// SPDX-License-Identifier: BSD-3-Clause
#include "tools/gen/rc_result.h"

#include <array>
#include <cstdio>
#include <sstream>

namespace weir::gen {
namespace {

struct Quantile {
    const char* name;
    std::uint64_t per_million;
};
constexpr std::array<Quantile, 4> kQuantiles{
    {{"p50", 500'000}, {"p90", 900'000}, {"p99", 990'000}, {"p99.9", 999'000}}};

double seconds(Interval span) {
    return static_cast<double>(span.ps) / 1e12;
}

double gigabits_per_s(std::uint64_t bytes, Interval span) {
    return span.ps > 0 ? 8e-9 * static_cast<double>(bytes) / seconds(span) : 0;
}

std::string number(const char* format, double value) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), format, value);
    return text.data();
}

std::string microseconds(std::uint64_t ns) {
    return number("%.1f", static_cast<double>(ns) / 1e3);
}

}  // namespace

roce::QpCounters sum_of(const roce::HostPort& port, std::uint32_t queue_pairs) {
    roce::QpCounters sum;
    for (std::uint32_t i = 0; i < queue_pairs; ++i) {
        const roce::QpCounters& one = port.counters(roce::kQpNumberFirst + i);
        sum.packets_sent += one.packets_sent;
        sum.packets_repeated += one.packets_repeated;
        sum.acks_sent += one.acks_sent;
        sum.acks_received += one.acks_received;
        sum.naks_sent += one.naks_sent;
        sum.naks_received += one.naks_received;
        sum.timeouts += one.timeouts;
        sum.duplicates_received += one.duplicates_received;
        sum.out_of_sequence_received += one.out_of_sequence_received;
        sum.marked_received += one.marked_received;
        sum.cnps_sent += one.cnps_sent;
        sum.cnps_received += one.cnps_received;
    }
    return sum;
}

std::string verdict(const RcOptions& options, const RcResult& result) {
    if (result.port.icrc_wrong != 0) {
        return std::to_string(result.port.icrc_wrong) + " frames had a wrong ICRC";
    }
    if (result.failed != 0) {
        return std::to_string(result.failed) +
               " messages were given up: is the other end there, "
               "with as many --qps and the same --mtu?";
    }
    if (options.count && result.messages < *options.count) {
        return std::to_string(result.messages) + " of " + std::to_string(*options.count) +
               " messages";
    }
    return result.messages == 0 ? "no message came through" : "";
}

std::string to_text(const RcResult& result) {
    const roce::QpCounters& pairs = result.pairs;
    std::ostringstream out;
    out << result.messages << " messages, " << result.bytes << " bytes in "
        << number("%.3f", seconds(result.elapsed))
        << " s: " << number("%.3f", gigabits_per_s(result.bytes, result.elapsed)) << " Gbit/s\n"
        << "packets sent " << pairs.packets_sent << ", repeated " << pairs.packets_repeated
        << "; NAKs received " << pairs.naks_received << ", sent " << pairs.naks_sent
        << "; timeouts " << pairs.timeouts << "\nmarked " << pairs.marked_received << "; CNPs sent "
        << pairs.cnps_sent << ", received " << pairs.cnps_received << "; PFC frames received "
        << result.port.pause_frames_received << "; wrong ICRC " << result.port.icrc_wrong << '\n';
    if (result.latency.count() == 0) return out.str();
    out << "microseconds a message:";
    for (const Quantile& one : kQuantiles) {
        out << ' ' << one.name << ' ' << microseconds(result.latency.quantile_ns(one.per_million));
    }
    out << " max " << microseconds(result.latency.ns_max()) << '\n';
    return out.str();
}

std::string to_json(const RcResult& result, const std::string& problem) {
    const roce::QpCounters& pairs = result.pairs;
    std::ostringstream out;
    out << "{\"messages\": " << result.messages << ", \"failed\": " << result.failed
        << ", \"bytes\": " << result.bytes
        << ", \"seconds\": " << number("%.6f", seconds(result.elapsed))
        << ", \"gbps\": " << number("%.6f", gigabits_per_s(result.bytes, result.elapsed))
        << ", \"packets_sent\": " << pairs.packets_sent
        << ", \"packets_repeated\": " << pairs.packets_repeated
        << ", \"acks_sent\": " << pairs.acks_sent << ", \"acks_received\": " << pairs.acks_received
        << ", \"naks_sent\": " << pairs.naks_sent << ", \"naks_received\": " << pairs.naks_received
        << ", \"timeouts\": " << pairs.timeouts << ", \"duplicates\": " << pairs.duplicates_received
        << ", \"out_of_sequence\": " << pairs.out_of_sequence_received
        << ", \"marked\": " << pairs.marked_received << ", \"cnps_sent\": " << pairs.cnps_sent
        << ", \"cnps_received\": " << pairs.cnps_received
        << ", \"pfc_frames_received\": " << result.port.pause_frames_received
        << ", \"icrc_errors\": " << result.port.icrc_wrong
        << ", \"socket_drops\": " << result.socket_drops << ", \"latency_ns\": {";
    for (const Quantile& one : kQuantiles) {
        out << '"' << one.name << "\": " << result.latency.quantile_ns(one.per_million) << ", ";
    }
    out << "\"max\": " << result.latency.ns_max() << "}, \"histogram_ns\": [";
    const char* between = "";
    result.latency.for_each_bucket([&](std::uint64_t upper_end, std::uint64_t times) {
        out << between << '[' << upper_end << ", " << times << ']';
        between = ", ";
    });
    out << "], \"problem\": \"" << problem << "\"}\n";
    return out.str();
}

std::string live_line(const RcResult& now, const RcResult& before, Interval since) {
    std::ostringstream out;
    out << now.messages << " messages, "
        << number("%.3f", gigabits_per_s(now.bytes - before.bytes, since)) << " Gbit/s, p50 "
        << microseconds(now.latency.quantile_ns(500'000)) << " us, p99 "
        << microseconds(now.latency.quantile_ns(990'000)) << " us; repeated "
        << now.pairs.packets_repeated << ", NAKs " << now.pairs.naks_received + now.pairs.naks_sent
        << ", timeouts " << now.pairs.timeouts << ", CNPs "
        << now.pairs.cnps_received + now.pairs.cnps_sent;
    return out.str();
}

}  // namespace weir::gen

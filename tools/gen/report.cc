// SPDX-License-Identifier: BSD-3-Clause
#include "tools/gen/report.h"

#include <array>
#include <cstddef>
#include <cstdio>
#include <sstream>
#include <utility>

#include "tools/roce/address.h"

namespace weir::gen {
namespace {

constexpr double kPicosecondsPerSecond = 1e12;

double seconds(Interval interval) {
    return static_cast<double>(interval.ps) / kPicosecondsPerSecond;
}

double per_second(std::uint64_t count, Interval interval) {
    return interval.ps > 0 ? static_cast<double>(count) / seconds(interval) : 0;
}

std::string decimals(double value, int digits) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.*f", digits, value);
    return text.data();
}

std::string rate_text(FramesAndBytes amount, Interval interval) {
    return decimals(per_second(amount.frames, interval), 0) + " frames/s, " +
           decimals(8 * per_second(amount.bytes, interval) / 1e9, 3) + " Gbit/s";
}

// An object whose values are numbers, or text that is JSON already.
class JsonObject {
  public:
    template <typename Value>
    JsonObject& add(const std::string& key, const Value& value) {
        text_ << (empty_ ? "{" : ", ") << '"' << key << "\": " << value;
        empty_ = false;
        return *this;
    }

    std::string str() const { return empty_ ? "{}" : text_.str() + "}"; }

  private:
    std::ostringstream text_;
    bool empty_ = true;
};

// For addresses and our own sentences, which hold nothing that needs an escape.
std::string quoted(const std::string& text) {
    return '"' + text + '"';
}

std::string json(FramesAndBytes amount) {
    return JsonObject().add("frames", amount.frames).add("bytes", amount.bytes).str();
}

std::string dscp_json(const SinkCounters& counters) {
    JsonObject object;
    for (std::size_t dscp = 0; dscp < counters.by_dscp.size(); ++dscp) {
        const FramesAndBytes& amount = counters.by_dscp[dscp];
        if (amount.frames > 0) object.add(std::to_string(dscp), json(amount));
    }
    return object.str();
}

std::string pcp_json(const SinkCounters& counters) {
    JsonObject object;
    for (std::size_t pcp = 0; pcp < counters.by_pcp.size(); ++pcp) {
        if (counters.by_pcp[pcp] > 0) object.add(std::to_string(pcp), counters.by_pcp[pcp]);
    }
    return object.str();
}

std::string ecn_json(const SinkCounters& counters) {
    return JsonObject()
        .add("not_ect", counters.by_ecn[roce::kEcnNotCapable])
        .add("ect1", counters.by_ecn[roce::kEcnCapable1])
        .add("ect0", counters.by_ecn[roce::kEcnCapable0])
        .add("ce", counters.by_ecn[roce::kEcnCongestion])
        .str();
}

std::string flows_json(const SinkCounters& counters) {
    std::string text;
    for (const auto& [key, flow] : counters.flows) {
        text += text.empty() ? "\n    " : ",\n    ";
        text += JsonObject()
                    .add("source", quoted(to_string(key.source)))
                    .add("destination", quoted(to_string(key.destination)))
                    .add("qp", key.destination_qp)
                    .add("frames", flow.frames)
                    .add("bytes", flow.bytes)
                    .add("psn_first", flow.order.first())
                    .add("psn_newest", flow.order.newest())
                    .add("missing", flow.order.missing())
                    .add("duplicates", flow.duplicates)
                    .add("reordered", flow.reordered)
                    .add("stale", flow.stale)
                    .str();
    }
    return "[" + text + "]";
}

void append_if_any(std::string& text, std::uint64_t count, const char* what) {
    if (count == 0) return;
    if (!text.empty()) text += ", ";
    text.append(std::to_string(count)).append(" ").append(what);
}

}  // namespace

std::string verdict(const SinkResult& result, bool allow_loss) {
    const SinkCounters& counters = result.counters;
    if (!result.failure.empty()) return result.failure;
    if (counters.total.frames == 0 && !counters.damaged()) return "no RoCEv2 frame came";
    std::string problem;
    append_if_any(problem, counters.icrc_errors, "with a wrong ICRC");
    append_if_any(problem, counters.malformed, "malformed");
    if (allow_loss) return problem;
    const OrderTotals order = counters.order();
    append_if_any(problem, order.missing, "missing");
    append_if_any(problem, order.duplicates, "duplicate");
    append_if_any(problem, order.reordered, "reordered");
    append_if_any(problem, order.stale, "stale");
    append_if_any(problem, result.socket_drops, "dropped at the socket");
    if (result.expected && counters.total.frames < *result.expected) {
        append_if_any(problem, *result.expected - counters.total.frames, "fewer than expected");
    }
    return problem;
}

std::string to_text(const SendResult& result) {
    return "sent " + std::to_string(result.sent.frames) + " frames, " +
           std::to_string(result.sent.bytes) + " bytes in " + decimals(seconds(result.elapsed), 3) +
           " s: " + rate_text(result.sent, result.elapsed) +
           (result.frames_per_s_asked > 0
                ? ", of " + std::to_string(result.frames_per_s_asked) + " frames/s asked for\n"
                : "\n");
}

std::string to_json(const SendResult& result) {
    const Endpoints& endpoints = result.endpoints;
    return JsonObject()
               .add("frames", result.sent.frames)
               .add("bytes", result.sent.bytes)
               .add("flows", result.flows)
               .add("retries", result.retries)
               .add("seconds", decimals(seconds(result.elapsed), 6))
               .add("frames_per_s", decimals(per_second(result.sent.frames, result.elapsed), 1))
               .add("frames_per_s_asked", result.frames_per_s_asked)
               .add("source", quoted(to_string(endpoints.source)))
               .add("destination", quoted(to_string(endpoints.destination)))
               .add("source_mac", quoted(to_string(endpoints.source_mac)))
               .add("destination_mac", quoted(to_string(endpoints.destination_mac)))
               .str() +
           "\n";
}

std::string to_text(const SinkResult& result) {
    const SinkCounters& counters = result.counters;
    const OrderTotals order = counters.order();
    std::ostringstream text;
    text << "received " << counters.total.frames << " frames, " << counters.total.bytes
         << " bytes of " << counters.flows.size() << " flows in "
         << decimals(seconds(result.elapsed), 3)
         << " s: " << rate_text(counters.total, result.elapsed) << "\n"
         << "  damaged: " << counters.icrc_errors << " wrong ICRC, " << counters.malformed
         << " malformed\n"
         << "  order: " << order.missing << " missing, " << order.duplicates << " duplicate, "
         << order.reordered << " reordered, " << order.stale << " stale; " << result.socket_drops
         << " dropped at the socket\n"
         << "  marks: " << counters.by_ecn[roce::kEcnCongestion] << " CE; "
         << counters.notifications << " CNP; " << counters.tagged << " with 802.1Q tag; "
         << counters.untracked << " without order; " << counters.other << " other frames\n";
    for (std::size_t dscp = 0; dscp < counters.by_dscp.size(); ++dscp) {
        const FramesAndBytes& amount = counters.by_dscp[dscp];
        if (amount.frames == 0) continue;
        text << "  DSCP " << dscp << ": " << amount.frames << " frames, " << amount.bytes
             << " bytes\n";
    }
    return text.str();
}

std::string to_json(const SinkResult& result, const std::string& problem) {
    const SinkCounters& counters = result.counters;
    const OrderTotals order = counters.order();
    JsonObject object;
    object.add("ok", problem.empty() ? "true" : "false")
        .add("problem", quoted(problem))
        .add("frames", counters.total.frames)
        .add("bytes", counters.total.bytes)
        .add("payload_bytes", counters.payload_bytes)
        .add("seconds", decimals(seconds(result.elapsed), 6))
        .add("frames_per_s", decimals(per_second(counters.total.frames, result.elapsed), 1))
        .add("icrc_errors", counters.icrc_errors)
        .add("malformed", counters.malformed)
        .add("missing", order.missing)
        .add("duplicates", order.duplicates)
        .add("reordered", order.reordered)
        .add("stale", order.stale)
        .add("socket_drops", result.socket_drops)
        .add("cnp", counters.notifications)
        .add("untracked", counters.untracked)
        .add("other_frames", counters.other)
        .add("tagged", counters.tagged)
        .add("ecn", ecn_json(counters))
        .add("dscp", dscp_json(counters))
        .add("pcp", pcp_json(counters))
        .add("flows", flows_json(counters));
    return object.str() + "\n";
}

std::string live_line(const SinkCounters& counters, FramesAndBytes before, Interval since) {
    const FramesAndBytes news{counters.total.frames - before.frames,
                              counters.total.bytes - before.bytes};
    const OrderTotals order = counters.order();
    return std::to_string(counters.total.frames) + " frames, " + rate_text(news, since) + ", " +
           std::to_string(order.missing) + " missing, " + std::to_string(order.duplicates) +
           " duplicate, " + std::to_string(order.reordered) + " reordered, " +
           std::to_string(counters.icrc_errors) + " wrong ICRC, " +
           std::to_string(counters.by_ecn[roce::kEcnCongestion]) + " CE";
}

}  // namespace weir::gen

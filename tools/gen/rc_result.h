// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "tools/gen/latency_histogram.h"
#include "tools/gen/options.h"
#include "tools/roce/host_port.h"

namespace weir::gen {

// What one end of the connections has seen.
struct RcResult {
    std::uint64_t messages = 0;  // acknowledged, or of the answering end: received
    std::uint64_t failed = 0;    // given up
    std::uint64_t bytes = 0;     // of those messages
    Interval elapsed{};
    LatencyHistogram latency{};  // from posting a message to its acknowledgement
    roce::HostCounters port{};
    roce::QpCounters pairs{};  // of all queue pairs together
    std::uint64_t socket_drops = 0;
};

[[nodiscard]] roce::QpCounters sum_of(const roce::HostPort& port, std::uint32_t queue_pairs);

// Why the exit status is not 0; empty if all is well.
[[nodiscard]] std::string verdict(const RcOptions& options, const RcResult& result);

[[nodiscard]] std::string to_text(const RcResult& result);
[[nodiscard]] std::string to_json(const RcResult& result, const std::string& problem);
// One line while it runs: the last second's messages and rate, and what went wrong so far.
[[nodiscard]] std::string live_line(const RcResult& now, const RcResult& before, Interval since);

}  // namespace weir::gen

// SPDX-License-Identifier: BSD-3-Clause
// Results as text for people and as JSON for programs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tools/gen/flow_set.h"
#include "tools/gen/options.h"
#include "tools/gen/sink_counters.h"

namespace weir::gen {

struct SendResult {
    Endpoints endpoints{};
    std::uint32_t flows = 0;
    FramesAndBytes sent{};
    std::uint64_t frames_per_s_asked = 0;  // 0: as fast as it goes
    std::uint64_t retries = 0;             // the interface's queue was full
    Interval elapsed{};
};

struct SinkResult {
    SinkCounters counters{};
    std::uint64_t socket_drops = 0;  // frames that came faster than this process took them
    Interval elapsed{};              // from the first frame to the last
    std::optional<std::uint64_t> expected{};
    std::string failure{};  // what ended the run before its time
};

// Why the exit status is not 0; empty if all is well.
std::string verdict(const SinkResult& result, bool allow_loss);

std::string to_text(const SendResult& result);
std::string to_json(const SendResult& result);
std::string to_text(const SinkResult& result);
std::string to_json(const SinkResult& result, const std::string& problem);

// One line for a running sink: totals, and the rate since the line before.
std::string live_line(const SinkCounters& counters, FramesAndBytes before, Interval since);

}  // namespace weir::gen

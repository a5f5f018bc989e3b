// SPDX-License-Identifier: BSD-3-Clause
// What a sink saw: pure counting of frames that something else received.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>

#include "tools/gen/psn_order.h"
#include "tools/roce/frame.h"
#include "tools/roce/frame_reader.h"

namespace weir::gen {

struct FlowKey {
    roce::IpAddress source{};
    roce::IpAddress destination{};
    std::uint32_t destination_qp = 0;

    auto operator<=>(const FlowKey&) const = default;
};

struct FlowCounters {
    std::uint64_t frames = 0;
    std::uint64_t bytes = 0;
    std::uint64_t duplicates = 0;
    std::uint64_t reordered = 0;
    std::uint64_t stale = 0;
    PsnOrder order{};
};

struct FramesAndBytes {
    std::uint64_t frames = 0;
    std::uint64_t bytes = 0;

    void add(std::size_t frame_bytes) {
        ++frames;
        bytes += frame_bytes;
    }
};

// Sums of what can go wrong in the order of the flows.
struct OrderTotals {
    std::uint64_t missing = 0;
    std::uint64_t duplicates = 0;
    std::uint64_t reordered = 0;
    std::uint64_t stale = 0;
};

class SinkCounters {
  public:
    // 65,536 flows of about 700 B each are 46 MB.
    static constexpr std::size_t kFlowsMax = 65'536;

    // A frame without FCS. `stripped_tag`: an 802.1Q tag that the receiver already took away.
    void count(std::span<const std::uint8_t> bytes, std::optional<roce::VlanTag> stripped_tag);

    // RoCEv2 frames with the right ICRC.
    FramesAndBytes total{};
    std::uint64_t payload_bytes = 0;
    std::uint64_t icrc_errors = 0;
    std::uint64_t malformed = 0;  // to the RoCEv2 port, or cut before it could be known
    std::uint64_t other = 0;      // not RoCEv2
    std::uint64_t tagged = 0;
    std::uint64_t notifications = 0;  // CNPs
    // Frames that carry no PSN of their own (acknowledgements, READ responses, UD) or came when
    // kFlowsMax flows were known.
    std::uint64_t untracked = 0;
    std::array<FramesAndBytes, 64> by_dscp{};
    std::array<std::uint64_t, 4> by_ecn{};
    std::array<std::uint64_t, 8> by_pcp{};  // of the tagged ones
    std::map<FlowKey, FlowCounters> flows{};

    OrderTotals order() const;
    bool damaged() const { return icrc_errors + malformed > 0; }

  private:
    void track(const roce::Frame& frame, std::size_t frame_bytes);
};

}  // namespace weir::gen

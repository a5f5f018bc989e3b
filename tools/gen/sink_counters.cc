// SPDX-License-Identifier: BSD-3-Clause
#include "tools/gen/sink_counters.h"

#include "tools/roce/wire.h"

namespace weir::gen {
namespace {

// SEND and WRITE of the reliable and unreliable connected services: each frame takes one PSN. A
// READ request takes as many as its response has frames, so order cannot be told from it alone.
bool takes_one_psn(roce::Opcode opcode) {
    const auto number = static_cast<std::uint8_t>(opcode);
    const std::uint8_t service = number & roce::kServiceMask;
    const auto operation = static_cast<roce::Opcode>(number & ~roce::kServiceMask & 0xff);
    return (service == roce::kServiceReliable || service == roce::kServiceUnreliable) &&
           operation <= roce::Opcode::WriteOnlyImmediate;
}

}  // namespace

void SinkCounters::count(std::span<const std::uint8_t> bytes,
                         std::optional<roce::VlanTag> stripped_tag) {
    roce::Reading reading;
    const roce::ReadError error = roce::read_frame(bytes, reading);
    if (error == roce::ReadError::NotRoce) {
        ++other;
        return;
    }
    if (error != roce::ReadError::None) {
        ++malformed;
        return;
    }
    if (!reading.icrc_right) {
        ++icrc_errors;
        return;
    }
    const roce::Frame& frame = reading.frame;
    const std::size_t frame_bytes = bytes.size() + (stripped_tag ? roce::kVlanTagBytes : 0);
    total.add(frame_bytes);
    payload_bytes += frame.payload.size();
    by_dscp[frame.dscp].add(frame_bytes);
    ++by_ecn[frame.ecn];
    // What was stripped was the outer tag.
    if (const auto tag = stripped_tag ? stripped_tag : frame.vlan) {
        ++tagged;
        ++by_pcp[tag->pcp];
    }
    if (frame.bth.opcode == roce::Opcode::CongestionNotification) ++notifications;
    track(frame, frame_bytes);
}

void SinkCounters::track(const roce::Frame& frame, std::size_t frame_bytes) {
    const FlowKey key{frame.source, frame.destination, frame.bth.destination_qp};
    if (!takes_one_psn(frame.bth.opcode) || (flows.size() >= kFlowsMax && !flows.contains(key))) {
        ++untracked;
        return;
    }
    FlowCounters& flow = flows[key];
    ++flow.frames;
    flow.bytes += frame_bytes;
    switch (flow.order.arrived(frame.bth.psn)) {
        case Arrival::InOrder:
        case Arrival::AfterGap:
            break;
        case Arrival::Late:
            ++flow.reordered;
            break;
        case Arrival::Duplicate:
            ++flow.duplicates;
            break;
        case Arrival::Stale:
            ++flow.stale;
            break;
    }
}

OrderTotals SinkCounters::order() const {
    OrderTotals totals;
    for (const auto& [key, flow] : flows) {
        totals.missing += flow.order.missing();
        totals.duplicates += flow.duplicates;
        totals.reordered += flow.reordered;
        totals.stale += flow.stale;
    }
    return totals;
}

}  // namespace weir::gen

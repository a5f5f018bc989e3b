// SPDX-License-Identifier: BSD-3-Clause
#include "tools/gen/sink_counters.h"

#include <array>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "tools/roce/address.h"
#include "tools/roce/frame_writer.h"

namespace weir::gen {
namespace {

roce::Frame sample(std::uint32_t qp, std::uint32_t psn) {
    return {.source = roce::parse_ip("192.0.2.1").value(),
            .destination = roce::parse_ip("192.0.2.2").value(),
            .dscp = 26,
            .ecn = roce::kEcnCapable0,
            .bth = {.destination_qp = qp, .psn = psn}};
}

std::vector<std::uint8_t> written(const roce::Frame& frame) {
    std::vector<std::uint8_t> bytes(roce::frame_bytes(frame));
    EXPECT_EQ(roce::write_frame(frame, bytes), bytes.size());
    return bytes;
}

TEST(SinkCounters, CountsFramesBytesAndPayload) {
    SinkCounters counters;
    const std::array<std::uint8_t, 10> payload{};
    roce::Frame frame = sample(1, 0);
    frame.payload = payload;
    // 58 + 12 = 70 bytes with 10 of payload.
    counters.count(written(frame), {});
    counters.count(written(sample(1, 1)), {});
    EXPECT_EQ(counters.total.frames, 2u);
    EXPECT_EQ(counters.total.bytes, 130u);
    EXPECT_EQ(counters.payload_bytes, 10u);
    EXPECT_FALSE(counters.damaged());
}

TEST(SinkCounters, SortsByDscpEcnAndPriority) {
    SinkCounters counters;
    roce::Frame frame = sample(1, 0);
    counters.count(written(frame), {});
    frame.dscp = 48;
    frame.ecn = roce::kEcnCongestion;
    frame.vlan = roce::VlanTag{.vid = 1, .pcp = 6};
    counters.count(written(frame), {});
    EXPECT_EQ(counters.by_dscp[26].frames, 1u);
    EXPECT_EQ(counters.by_dscp[26].bytes, 60u);
    EXPECT_EQ(counters.by_dscp[48].frames, 1u);
    EXPECT_EQ(counters.by_dscp[48].bytes, 62u);  // 58 + 4 of the tag
    EXPECT_EQ(counters.by_ecn, (std::array<std::uint64_t, 4>{0, 0, 1, 1}));
    EXPECT_EQ(counters.tagged, 1u);
    EXPECT_EQ(counters.by_pcp[6], 1u);
}

TEST(SinkCounters, ATagThatTheKernelTookAwayCounts) {
    SinkCounters counters;
    counters.count(written(sample(1, 0)), roce::VlanTag{.vid = 5, .pcp = 3});
    EXPECT_EQ(counters.total.bytes, 64u);
    EXPECT_EQ(counters.tagged, 1u);
    EXPECT_EQ(counters.by_pcp[3], 1u);
}

TEST(SinkCounters, FlowsAreSourceDestinationAndQp) {
    SinkCounters counters;
    counters.count(written(sample(1, 10)), {});
    counters.count(written(sample(2, 20)), {});
    roce::Frame other_source = sample(1, 30);
    other_source.source = roce::parse_ip("192.0.2.9").value();
    counters.count(written(other_source), {});
    counters.count(written(sample(1, 11)), {});
    EXPECT_EQ(counters.flows.size(), 3u);
    EXPECT_EQ(counters.order().missing, 0u);
}

TEST(SinkCounters, AddsUpTheOrderOfAllFlows) {
    SinkCounters counters;
    for (const std::uint32_t psn : {0u, 3u, 3u, 2u}) counters.count(written(sample(1, psn)), {});
    for (const std::uint32_t psn : {50u, 52u, 49u}) counters.count(written(sample(2, psn)), {});
    const OrderTotals order = counters.order();
    EXPECT_EQ(order.missing, 2u);  // 1 of the first flow, 51 of the second
    EXPECT_EQ(order.duplicates, 1u);
    EXPECT_EQ(order.reordered, 1u);
    EXPECT_EQ(order.stale, 1u);
    EXPECT_EQ(counters.total.frames, 7u);
}

TEST(SinkCounters, DamagedFramesAreCountedApartAndHaveNoOrder) {
    SinkCounters counters;
    std::vector<std::uint8_t> bytes = written(sample(1, 0));
    bytes[50] ^= 1;
    counters.count(bytes, {});
    bytes = written(sample(1, 0));
    bytes.resize(50);
    counters.count(bytes, {});
    EXPECT_EQ(counters.icrc_errors, 1u);
    EXPECT_EQ(counters.malformed, 1u);
    EXPECT_EQ(counters.total.frames, 0u);
    EXPECT_TRUE(counters.flows.empty());
    EXPECT_TRUE(counters.damaged());
}

TEST(SinkCounters, OtherTrafficIsNoDamage) {
    SinkCounters counters;
    std::vector<std::uint8_t> arp = written(sample(1, 0));
    arp[12] = 0x08;
    arp[13] = 0x06;
    counters.count(arp, {});
    EXPECT_EQ(counters.other, 1u);
    EXPECT_FALSE(counters.damaged());
}

TEST(SinkCounters, WhatHasNoPsnOfItsOwnIsNotTracked) {
    SinkCounters counters;
    for (const roce::Opcode opcode :
         {roce::Opcode::Acknowledge, roce::Opcode::ReadRequest, roce::Opcode::UdSendOnly,
          roce::Opcode::CongestionNotification}) {
        roce::Frame frame = sample(1, 7);
        frame.bth.opcode = opcode;
        counters.count(written(frame), {});
    }
    EXPECT_EQ(counters.untracked, 4u);
    EXPECT_EQ(counters.notifications, 1u);
    EXPECT_EQ(counters.total.frames, 4u);
    EXPECT_TRUE(counters.flows.empty());
    roce::Frame last = sample(1, 7);
    last.bth.opcode = roce::Opcode::WriteOnlyImmediate;
    counters.count(written(last), {});
    last.bth.opcode = static_cast<roce::Opcode>(0x2b);  // the same of the unreliable service
    last.bth.psn = 8;
    counters.count(written(last), {});
    EXPECT_EQ(counters.untracked, 4u);
    EXPECT_EQ(counters.flows.size(), 1u);
}

}  // namespace
}  // namespace weir::gen

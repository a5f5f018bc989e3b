// SPDX-License-Identifier: BSD-3-Clause
// The short way gives what the long way gives. One switch has been taught nothing when a frame
// comes, the other has seen its flow before; events between bursts void what was remembered.
#include "dataplane/core/fast_lane.h"

#include <gtest/gtest.h>

#include "dataplane/core/wire.h"
#include "tests/unit/core/switch_rig.h"

namespace weir {
namespace {

std::string router(bool use_qp, const char* mac) {
    return std::string(R"(
switch: { name: rig }
ports:
  - { name: p0, device: "net_null0", addresses: [10.1.0.1/24] }
  - { name: p1, device: "net_null1", addresses: [10.3.0.1/24] }
  - { name: p2, device: "net_null2", addresses: [10.4.0.1/24], frame_bytes_max: 1000 }
routes:
  - { prefix: 10.2.0.0/24, via: [10.3.0.2, 10.4.0.2] }
neighbors:
  - { address: 10.3.0.2, mac: ")") +
           mac + R"(" }
  - { address: 10.4.0.2, mac: "0a:00:00:00:04:02" }
hash: { seed: 3, dest_qp: )" +
           (use_qp ? "true" : "false") + " }\n";
}

constexpr const char* kMac = "0a:00:00:00:03:02";

UdpFrame flow(unsigned number) {
    return {.to = 0x0a02'0000u + 1 + number % 5,
            .source_port = static_cast<std::uint16_t>(50'000 + number % 7),
            .dest_qp = number % 11};
}

std::size_t long_way_frames(SwitchRig& rig, const Octets& frame) {
    // What the lane leaves over.
    rig.receive(0, {frame});
    return rig.sent(1).size() + rig.sent(2).size();
}

class FastLane : public ::testing::TestWithParam<bool> {};

TEST_P(FastLane, SendsWhatTheLongWaySends) {
    SwitchRig taught(router(GetParam(), kMac));
    for (unsigned i = 0; i < 400; ++i) {
        SwitchRig fresh(router(GetParam(), kMac));
        Octets frame = udp(flow(i));
        if (i % 4 == 3) frame[22] = static_cast<std::uint8_t>(i % 3);  // TTL, with a wrong checksum
        fresh.receive(0, {frame});
        taught.receive(0, {frame});
        for (PortId port = 1; port <= 2; ++port)
            ASSERT_EQ(taught.sent(port), fresh.sent(port)) << i;
    }
}
INSTANTIATE_TEST_SUITE_P(Hash, FastLane, ::testing::Bool());

TEST(FastLane, CountsAsTheLongWayCounts) {
    SwitchRig rig(router(false, kMac));
    const Octets frame = udp({});
    for (int i = 0; i < 10; ++i) EXPECT_EQ(long_way_frames(rig, frame), 1u);
    const PortCounters& in = rig.shard->counters(0);
    EXPECT_EQ(in.received_frames.read(), 10u);
    EXPECT_EQ(in.received_bytes.read(), 1'000u);
    EXPECT_EQ(in.received_roce_frames.read(), 10u);
    EXPECT_EQ(in.received_by_priority[3].read(), 10u);
    EXPECT_EQ(rig.group(0, 3).held(), 0u);
    EXPECT_EQ(rig.group(0, 3).shared_bytes_max, 100u);
}

TEST(FastLane, ALostPortIsNotUsedAnyMore) {
    SwitchRig rig(router(false, kMac));
    for (unsigned i = 0; i < 64; ++i) rig.receive(0, {udp(flow(i))});
    (void)rig.sent(1);
    (void)rig.sent(2);
    rig.set_up(1, false);
    for (unsigned i = 0; i < 64; ++i) rig.receive(0, {udp(flow(i))});
    EXPECT_TRUE(rig.sent(1).empty());
    EXPECT_EQ(rig.sent(2).size(), 64u);
}

TEST(FastLane, ANewMacIsUsedAtOnce) {
    SwitchRig rig(router(false, kMac));
    UdpFrame fields{};
    rig.receive(0, {udp(fields), udp(fields)});
    const PortId port = rig.sent(1).empty() ? 2 : 1;
    (void)rig.sent(port);
    // Look for a flow by port 1, whose neighbor changes.
    while (true) {
        ++fields.source_port;
        rig.receive(0, {udp(fields), udp(fields)});
        if (!rig.sent(1).empty()) break;
    }
    rig.reload(router(false, "0a:00:00:00:03:99"));
    rig.receive(0, {udp(fields)});
    const std::vector<Octets> frames = rig.sent(1);
    ASSERT_EQ(frames.size(), 1u);
    EXPECT_EQ(frames[0][5], 0x99);
}

// A frame that is too long for the egress port of a known flow.
TEST(FastLane, MindsTheEgressLimit) {
    SwitchRig rig(router(false, kMac));
    UdpFrame fields{};
    while (true) {
        ++fields.source_port;
        rig.receive(0, {udp(fields), udp(fields)});
        if (!rig.sent(2).empty()) break;
    }
    (void)rig.sent(1);
    fields.bytes = 1'000;
    rig.receive(0, {udp(fields)});
    EXPECT_EQ(rig.sent(2).size(), 1u);
    fields.bytes = 1'001;
    rig.receive(0, {udp(fields)});
    EXPECT_EQ(rig.drops(2, DropReason::FrameTooLongForPort), 1u);
}

// A burst that does not fit freely goes the long way, where frames are refused one by one:
// threshold 1,000 bytes.
TEST(FastLane, MindsTheBuffer) {
    SwitchRig rig(router(false, kMac), [](CompiledTables& tables) {
        tables.groups[group_of(0, 3)] = {.shared_limit_bytes = 1'000, .dynamic = false};
    });
    const Octets frame = udp({});
    rig.receive(0, {frame});
    rig.receive(0, std::vector<Octets>(32, frame));
    EXPECT_EQ(rig.drops(0, DropReason::SharedBufferFull), 23u);
    EXPECT_EQ(rig.sent(1).size() + rig.sent(2).size(), 10u);
}

// The queue is full of frames from port 1 when a known flow's frame comes from port 0: it is held
// before it is dropped, so that both accounts close.
TEST(FastLane, AFullQueueOfOthersDropsTheFrame) {
    SwitchRig rig(R"(
switch: { name: rig }
ports:
  - { name: p0, device: "net_null0", addresses: [10.1.0.1/24] }
  - { name: p1, device: "net_null1", addresses: [10.3.0.1/24] }
  - { name: p2, device: "net_null2", addresses: [10.4.0.1/24] }
routes:
  - { prefix: 10.2.0.0/24, via: [10.4.0.2] }
neighbors:
  - { address: 10.4.0.2, mac: "0a:00:00:00:04:02" }
)",
                  [](CompiledTables& tables) { tables.tables.queue_bytes_max = 1'000; });
    rig.receive(0, {udp({}), udp({})});
    (void)rig.sent(2);
    const Octets from_1 = udp({.destination = {kPortMacs.value + 1}, .from = 0x0a03'0002});
    rig.receive(1, std::vector<Octets>(10, from_1));
    rig.receive(0, std::vector<Octets>(3, udp({})));
    EXPECT_EQ(rig.drops(2, DropReason::QueueFull), 3u);
    EXPECT_EQ(rig.group(0, 3).held(), 0u);
    EXPECT_EQ(rig.shard->counters(0).received_frames.read(), 5u);
    EXPECT_EQ(rig.shard->counters(0).received_bytes.read(), 500u);
    EXPECT_EQ(rig.shard->counters(0).received_roce_frames.read(), 5u);
    EXPECT_EQ(rig.sent(2).size(), 10u);
    EXPECT_EQ(rig.group(1, 3).held(), 0u);
}

// More flows than the cache has entries: all of them arrive.
TEST(FastLane, MoreFlowsThanEntries) {
    SwitchRig rig(router(false, kMac));
    std::size_t arrived = 0;
    for (unsigned round = 0; round < 3; ++round) {
        for (unsigned first = 0; first < 6'400; first += 32) {
            std::vector<Octets> burst;
            for (unsigned i = first; i < first + 32; ++i) {
                burst.push_back(udp({.source_port = static_cast<std::uint16_t>(i)}));
            }
            rig.receive(0, burst);
            arrived += rig.sent(1).size() + rig.sent(2).size();
        }
    }
    EXPECT_EQ(arrived, 3u * 6'400u);
}

}  // namespace
}  // namespace weir

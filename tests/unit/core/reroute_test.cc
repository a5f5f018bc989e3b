// SPDX-License-Identifier: BSD-3-Clause
// Local reroute: what is queued for a lost link leaves by another, in order, and stays accounted.
#include <gtest/gtest.h>

#include "dataplane/core/wire.h"
#include "tests/unit/core/shards_rig.h"
#include "tests/unit/core/switch_rig.h"

namespace weir {
namespace {

constexpr const char* kTwoUplinks = R"(
switch: { name: rig }
ports:
  - { name: p0, device: "net_null0", addresses: [10.1.0.1/24] }
  - { name: p1, device: "net_null1", addresses: [10.3.0.1/24] }
  - { name: p2, device: "net_null2", addresses: [10.4.0.1/24] }
  - { name: p3, device: "net_null3", addresses: [10.6.0.1/24] }
routes:
  - { prefix: 10.2.0.0/24, via: [10.3.0.2, 10.4.0.2] }
  - { prefix: 10.5.0.0/24, via: [10.3.0.2] }
neighbors:
  - { address: 10.3.0.2, mac: "0a:00:00:00:03:02" }
  - { address: 10.4.0.2, mac: "0a:00:00:00:04:02" }
)";
constexpr MacAddress kHop2{0x0a00'0000'0402};

// `frames` of one flow, told apart by their length.
std::vector<Octets> flow(std::uint16_t source_port, unsigned frames,
                         std::uint32_t to = 0x0a02'0002) {
    std::vector<Octets> burst;
    for (unsigned i = 0; i < frames; ++i) {
        burst.push_back(udp(
            {.to = to, .source_port = source_port, .bytes = static_cast<std::uint16_t>(100 + i)}));
    }
    return burst;
}

// A source port whose flow leaves by p1 while both uplinks are usable.
std::uint16_t port_by_first_uplink() {
    for (std::uint16_t port = 49'152;; ++port) {
        SwitchRig rig(kTwoUplinks);
        rig.receive(0, flow(port, 1));
        if (!rig.sent(1).empty()) return port;
    }
}

std::vector<Octets> expected(std::uint16_t source_port, unsigned frames, MacAddress hop,
                             PortId port) {
    std::vector<Octets> burst = flow(source_port, frames);
    for (Octets& frame : burst) {
        const auto bytes = static_cast<std::uint16_t>(frame.size());
        frame = udp({.destination = hop,
                     .source = {kPortMacs.value + port},
                     .source_port = source_port,
                     .ttl = 63,
                     .bytes = bytes});
    }
    return burst;
}

// 200 frames stand in seven blocks of p1's queue; the link is cut and all leave by p2 as if they
// had been sent there at once: TTL counted down once, MACs of that link, in order.
TEST(Reroute, QueuedFramesLeaveByTheOtherPathInOrder) {
    const std::uint16_t source_port = port_by_first_uplink();
    SwitchRig rig(kTwoUplinks);
    rig.receive(0, flow(source_port, 200));
    const Bytes held = rig.group(0, 3).held();
    ASSERT_EQ(held, 200u * 100 + 199 * 200 / 2);
    rig.condition().set_link_usable(1, false);
    rig.reroute();
    EXPECT_EQ(rig.group(0, 3).held(), held) << "moved frames are held still";
    EXPECT_TRUE(rig.sent(1).empty());
    rig.receive(0, {udp({.source_port = source_port, .bytes = 1'000})});
    auto all = expected(source_port, 200, kHop2, 2);
    all.push_back(udp({.destination = kHop2,
                       .source = {kPortMacs.value + 2},
                       .source_port = source_port,
                       .ttl = 63,
                       .bytes = 1'000}));
    EXPECT_EQ(rig.sent(2), all);
    EXPECT_EQ(rig.shard->counters(1).rerouted_frames.read(), 200u);
    EXPECT_EQ(rig.group(0, 3).held(), 0u);
    EXPECT_EQ(rig.all_drops(), 0u);
    EXPECT_EQ(rig.frames_inside(), 0u);
}

// The same when the device itself is down.
TEST(Reroute, APortThatIsDownLosesNothingThatHasAnotherPath) {
    const std::uint16_t source_port = port_by_first_uplink();
    SwitchRig rig(kTwoUplinks);
    rig.receive(0, flow(source_port, 3));
    rig.set_up(1, false);
    rig.reroute();
    rig.tick();
    EXPECT_EQ(rig.sent(2), expected(source_port, 3, kHop2, 2));
    EXPECT_EQ(rig.all_drops(), 0u);
}

TEST(Reroute, FramesWithoutAnotherPathAreDropped) {
    SwitchRig rig(kTwoUplinks);
    rig.receive(0, flow(49'152, 40, 0x0a05'0002));
    rig.condition().set_link_usable(1, false);
    rig.reroute();
    EXPECT_EQ(rig.drops(1, DropReason::NoUsableNextHop), 40u);
    EXPECT_EQ(rig.group(0, 3).held(), 0u);
    EXPECT_EQ(rig.frames_inside(), 0u);
    // Those that come later are refused where they arrive, with an ICMP error to their source.
    rig.receive(0, flow(49'152, 1, 0x0a05'0002));
    EXPECT_EQ(rig.drops(0, DropReason::NoUsableNextHop), 1u);
}

// A link that is not usable is up: frames to the neighbor itself still leave by it.
TEST(Reroute, FramesForTheNeighborStay) {
    SwitchRig rig(kTwoUplinks);
    rig.receive(0, flow(49'152, 2, 0x0a03'0002));
    rig.condition().set_link_usable(1, false);
    rig.reroute();
    EXPECT_EQ(rig.sent(1).size(), 2u);
    EXPECT_EQ(rig.shard->counters(1).rerouted_frames.read(), 0u);
}

// TTL is counted down, up and down again through many checksums.
TEST(Reroute, EveryTtlAndChecksumIsRight) {
    for (unsigned ttl = 2; ttl < 256; ++ttl) {
        for (std::uint16_t source_port : {std::uint16_t{49'152}, std::uint16_t{50'001}}) {
            SwitchRig rig(kTwoUplinks);
            for (std::uint32_t from = 0; from < 40; ++from) {
                rig.receive(0, {udp({.from = 0x0a01'0000u + from * 251,
                                     .source_port = source_port,
                                     .ttl = static_cast<std::uint8_t>(ttl)})});
            }
            rig.condition().set_link_usable(1, false);
            rig.reroute();
            const std::vector<Octets> sent = rig.sent(2);
            ASSERT_EQ(sent.size(), 40u);
            for (const Octets& frame : sent) {
                ASSERT_EQ(frame[22], ttl - 1);
                ASSERT_TRUE(ipv4_checksum_is_right(frame));
            }
        }
    }
}

// A peer has lost the prefix: only its flows change, and back again.
TEST(Reroute, ALostDestinationIsReachedByTheOtherPort) {
    const std::uint16_t source_port = port_by_first_uplink();
    SwitchRig rig(kTwoUplinks, [](CompiledTables& tables) {
        for (Route& route : tables.routes) {
            if (route.kind == RouteKind::NextHops && route.count == 2) route.group = 7;
        }
    });
    const auto leaves_by = [&]() -> PortId {
        rig.receive(0, flow(source_port, 1));
        const bool first = !rig.sent(1).empty();
        return first ? PortId{1} : rig.sent(2).empty() ? kNoPort : PortId{2};
    };
    EXPECT_EQ(leaves_by(), 1);
    EXPECT_TRUE(rig.condition().lost.set(7, 1, true));
    rig.condition().tell_lost_change();
    EXPECT_EQ(leaves_by(), 2);
    rig.receive(0, flow(49'152, 1, 0x0a05'0002));
    EXPECT_EQ(rig.sent(1).size(), 1u) << "another destination group";
    EXPECT_FALSE(rig.condition().lost.set(7, 1, true)) << "known already";
    EXPECT_TRUE(rig.condition().lost.set(7, 2, true));
    rig.condition().tell_lost_change();
    EXPECT_EQ(leaves_by(), kNoPort);
    EXPECT_TRUE(rig.condition().lost.set(7, 1, false));
    rig.condition().tell_lost_change();
    EXPECT_EQ(leaves_by(), 1);
}

// p1 is shard 1's, p2 shard 0's. 100 frames move from one to the other: each call hands over at
// most a burst of 32, so four calls, and shard 0 sends them in order.
TEST(Reroute, FramesMoveToAnotherShardsPort) {
    const std::uint16_t source_port = port_by_first_uplink();
    ShardsRig rig(
        2, [](CompiledTables&) {}, kTwoUplinks);
    for (unsigned i = 0; i < 4; ++i) {
        rig.receive(0, flow(source_port, 25));
        ASSERT_EQ(rig.hand_over(1, 32), 25u);
    }
    const Bytes held = rig.group(0, 3).held();
    rig.condition().set_link_usable(1, false);
    EXPECT_EQ(rig.reroute(1), 4u);
    for (unsigned left = 100; left > 0;) {
        const std::size_t some = rig.hand_over(0, 32);
        ASSERT_GT(some, 0u);
        left -= static_cast<unsigned>(some);
    }
    EXPECT_EQ(rig.group(0, 3).held(), held);
    std::size_t sent = 0;
    while (const std::size_t some = rig.send(2, 32)) sent += some;
    EXPECT_EQ(sent, 100u);
    rig.settle(0);
    EXPECT_EQ(rig.group(0, 3).held(), 0u);
    EXPECT_EQ(rig.frames_inside(), 0u);
}

// The link was lost while the frames were in the ring to its shard, which sends them elsewhere.
TEST(Reroute, HandedOverFramesFindAnotherPath) {
    const std::uint16_t source_port = port_by_first_uplink();
    ShardsRig rig(
        2, [](CompiledTables&) {}, kTwoUplinks);
    rig.receive(0, flow(source_port, 5));
    rig.condition().set_link_usable(1, false);
    EXPECT_EQ(rig.hand_over(1, 32), 5u);
    EXPECT_EQ(rig.send(1, 32), 0u);
    EXPECT_EQ(rig.hand_over(0, 32), 5u);
    EXPECT_EQ(rig.send(2, 32), 5u);
    EXPECT_EQ(rig.frames_inside(), 0u);
}

}  // namespace
}  // namespace weir

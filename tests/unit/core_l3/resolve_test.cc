// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/core/resolve.h"

#include <gtest/gtest.h>

#include "dataplane/core/hold.h"
#include "tests/unit/core_l3/l3_rig.h"

namespace weir {
namespace {

constexpr Interval kPs = Interval::picoseconds(1);
constexpr Interval kSecond = Interval::seconds(1);
constexpr Time kStart{5'000'000'000'000};

// From 198.51.100.9, behind port 1, to 192.0.2.50: UDP, TTL 64.
constexpr std::string_view kFrame =
    "02 00 00 00 00 a1  02 00 00 00 00 c9  08 00"
    "45 00 00 1c  00 00 40 00  40 11 4e 62  c6 33 64 09  c0 00 02 32"
    "04 d2 16 2e  00 08 00 00";

class ResolveTest : public testing::Test {
  protected:
    // A frame for kHost as the router leaves it, held by the buffer.
    Frame& routed_frame() {
        Frame& frame = rig_.frame(octets(kFrame), 1);
        static_cast<void>(parse(frame));
        frame.out_port = 0;
        frame.gateway = kGatewayIsDestination;
        EXPECT_TRUE(hold(rig_.state, frame, 1, rig_.out));
        return frame;
    }
    std::uint32_t slot() {
        const std::uint32_t slot = rig_.state.neighbors.find_or_add(0, kHost);
        EXPECT_NE(slot, kNoNeighbor);
        return slot;
    }
    Neighbor& neighbor() { return rig_.state.neighbors.at(slot()); }
    void wait(Time now) { wait_for_neighbor(rig_.state, now, slot(), routed_frame(), rig_.out); }
    void hear(Time now, MacAddress mac = kHostMac) {
        neighbor_heard(rig_.state, now, slot(), mac, rig_.out);
    }
    // Ticks at `now`; the number of requests that this sends.
    std::size_t requests(Time now) {
        rig_.clear();
        tick_neighbors(rig_.state, now, rig_.out);
        std::size_t count = 0;
        for (const OwnFrame& own : rig_.out.own.all()) count += own.bytes[13] == 0x06 ? 1 : 0;
        return count;
    }
    void adopt(Time now) {
        rig_.refresh_tables();
        adopt_neighbors(rig_.state, now, rig_.out);
    }
    Time deadline() { return rig_.state.neighbors.deadline(slot()).value(); }

    L3Rig rig_;
};

// Requests at 0, 1 and 2 s; at 3 s the frame is dropped and its source told.
TEST_F(ResolveTest, AsksThreeTimesThenDropsWhatWaits) {
    wait(kStart);
    EXPECT_EQ(rig_.out.own.size(), 1u) << "at once";
    EXPECT_EQ(requests(kStart), 0u);
    EXPECT_EQ(requests(kStart + kSecond - kPs), 0u);
    EXPECT_EQ(requests(kStart + kSecond), 1u);
    EXPECT_EQ(requests(kStart + kSecond * 2 - kPs), 0u);
    EXPECT_EQ(requests(kStart + kSecond * 2), 1u);
    EXPECT_EQ(requests(kStart + kSecond * 3 - kPs), 0u);
    EXPECT_EQ(rig_.out.freed.size(), 0u);
    EXPECT_EQ(requests(kStart + kSecond * 3), 0u);
    EXPECT_EQ(rig_.out.freed.size(), 1u);
    EXPECT_EQ(rig_.drops(0, DropReason::NeighborUnresolved), 1u);
    EXPECT_EQ(rig_.held_bytes(), 0u);
    EXPECT_EQ(rig_.slot_of(kHost), kNoNeighbor);
    EXPECT_FALSE(rig_.state.neighbors.next_deadline().has_value());
    ASSERT_EQ(rig_.out.own.size(), 1u);
    EXPECT_EQ(rig_.out.own.all()[0].out_port, 1) << "ICMP goes where the frame came from";
    EXPECT_EQ(rig_.out.own.all()[0].bytes[34], 3) << "destination unreachable";
    EXPECT_EQ(rig_.out.own.all()[0].bytes[35], 1) << "host";
}

TEST_F(ResolveTest, AsksOnceForManyFramesAndLetsFourWait) {
    for (unsigned i = 0; i < 4; ++i) wait(kStart);
    EXPECT_EQ(rig_.out.own.size(), 1u);
    EXPECT_EQ(rig_.out.freed.size(), 0u);
    wait(kStart);
    EXPECT_EQ(rig_.out.freed.size(), 1u);
    EXPECT_EQ(rig_.drops(0, DropReason::NeighborQueueFull), 1u);
    EXPECT_EQ(rig_.held_bytes(), 4u * 42) << "each of the four is 42 B long";
}

TEST_F(ResolveTest, SendsWhatWaitedWithTtlCountedDownWhenTheNeighborIsHeard) {
    wait(kStart);
    hear(kStart + kSecond);
    // TTL 64 -> 63, so the checksum 4e62 becomes 4f62.
    EXPECT_EQ(rig_.sent(0), octets("02 00 00 00 00 b1  02 00 00 00 00 a0  08 00"
                                   "45 00 00 1c  00 00 40 00  3f 11 4f 62  c6 33 64 09  c0 00 02 32"
                                   "04 d2 16 2e  00 08 00 00"));
    EXPECT_EQ(neighbor().state, NeighborState::Reachable);
    ASSERT_EQ(rig_.out.events.size(), 1u);
    EXPECT_EQ(rig_.out.events.all()[0].kind, EventKind::NeighborResolved);
}

TEST_F(ResolveTest, StaysReachableForHalfToOneAndAHalfTimesTheBase) {
    Interval least = Interval::seconds(1000);
    Interval most{};
    for (unsigned i = 0; i < 2000; ++i) {
        const Time now = kStart + kSecond * i;
        hear(now);
        const Interval span = deadline() - now;
        least = std::min(least, span);
        most = std::max(most, span);
    }
    EXPECT_GE(least, Interval::seconds(15));
    EXPECT_LT(least, Interval::milliseconds(15'200));
    EXPECT_LT(most, Interval::seconds(45));
    EXPECT_GT(most, Interval::milliseconds(44'800));
}

TEST_F(ResolveTest, ForgetsAnUnusedNeighborAtItsDeadline) {
    hear(kStart);
    const Time end = deadline();
    EXPECT_EQ(requests(end - kPs), 0u);
    EXPECT_EQ(rig_.state_of(kHost), NeighborState::Reachable);
    EXPECT_EQ(requests(end), 0u);
    EXPECT_EQ(rig_.slot_of(kHost), kNoNeighbor);
    EXPECT_EQ(rig_.out.events.size(), 0u);
}

// Unicast requests at the deadline, and 1 and 2 s later; lost 3 s later.
TEST_F(ResolveTest, ProbesAUsedNeighborThreeTimesWhileItForwards) {
    hear(kStart);
    neighbor().used = true;
    const Time end = deadline();
    EXPECT_EQ(requests(end - kPs), 0u);
    for (unsigned i = 0; i < 3; ++i) {
        EXPECT_EQ(requests(end + kSecond * i), 1u);
        EXPECT_EQ(rig_.out.own.all()[0].bytes[5], 0xb1) << "asked itself";
        EXPECT_TRUE(neighbor().resolved());
        EXPECT_EQ(requests(end + kSecond * (i + 1) - kPs), 0u);
    }
    EXPECT_EQ(requests(end + kSecond * 3), 0u);
    EXPECT_EQ(rig_.slot_of(kHost), kNoNeighbor);
    ASSERT_EQ(rig_.out.events.size(), 1u);
    EXPECT_EQ(rig_.out.events.all()[0].kind, EventKind::NeighborLost);
    EXPECT_EQ(rig_.out.events.all()[0].mac, kHostMac);
}

TEST_F(ResolveTest, IsReachableAgainWhenAProbeIsAnswered) {
    hear(kStart);
    neighbor().used = true;
    const Time end = deadline();
    EXPECT_EQ(requests(end), 1u);
    rig_.clear();
    hear(end + kSecond);
    EXPECT_EQ(neighbor().state, NeighborState::Reachable);
    EXPECT_EQ(rig_.out.events.size(), 0u) << "nothing new";
    EXPECT_GE(deadline(), end + kSecond + Interval::seconds(15));
    EXPECT_FALSE(neighbor().used);
    // All three probes are due again.
    neighbor().used = true;
    const Time second_end = deadline();
    for (unsigned i = 0; i < 3; ++i) EXPECT_EQ(requests(second_end + kSecond * i), 1u);
    EXPECT_EQ(requests(second_end + kSecond * 3), 0u);
    EXPECT_EQ(rig_.slot_of(kHost), kNoNeighbor);
}

TEST_F(ResolveTest, IgnoresMacsThatCannotBeANeighbors) {
    hear(kStart, MacAddress{});
    hear(kStart, kBroadcastMac);
    hear(kStart, kPort0Mac);
    EXPECT_EQ(neighbor().state, NeighborState::Incomplete);
}

// Cached decisions are void when the MACs they hold change or their neighbor goes, and only then.
TEST_F(ResolveTest, VoidsCachedDecisionsOnlyWhenAKnownMacChangesOrGoes) {
    const std::uint64_t first = rig_.state.epoch;
    wait(kStart);
    for (unsigned i = 1; i <= 3; ++i) static_cast<void>(requests(kStart + kSecond * i));
    EXPECT_EQ(rig_.slot_of(kHost), kNoNeighbor);
    EXPECT_EQ(rig_.state.epoch, first) << "asked for in vain";
    hear(kStart);
    hear(kStart + kSecond);
    EXPECT_EQ(rig_.state.epoch, first) << "found, confirmed";
    hear(kStart + kSecond, kOtherMac);
    EXPECT_EQ(rig_.state.epoch, first + 1) << "another MAC";
    static_cast<void>(requests(deadline()));
    EXPECT_EQ(rig_.slot_of(kHost), kNoNeighbor);
    EXPECT_EQ(rig_.state.epoch, first + 2) << "expired";
}

TEST_F(ResolveTest, VoidsCachedDecisionsWhenAGatewayIsLost) {
    rig_.add_gateway(kHost);
    adopt(kStart);
    hear(kStart);
    const std::uint64_t before = rig_.state.epoch;
    const Time end = deadline();
    for (unsigned i = 0; i < 3; ++i) static_cast<void>(requests(end + kSecond * i));
    EXPECT_EQ(rig_.state.epoch, before) << "probed, still in use";
    static_cast<void>(requests(end + kSecond * 3));
    EXPECT_EQ(rig_.state.epoch, before + 1);
}

TEST_F(ResolveTest, AsksForGatewaysAtOnceAndForEver) {
    rig_.add_gateway(kHost);
    adopt(kStart);
    ASSERT_EQ(rig_.state.gateway_neighbors[0], rig_.slot_of(kHost));
    EXPECT_EQ(rig_.state.gateway_neighbors[1], kNoNeighbor);
    for (unsigned i = 0; i < 10; ++i) {
        EXPECT_EQ(requests(kStart + kSecond * i), 1u) << i;
        EXPECT_EQ(requests(kStart + kSecond * (i + 1) - kPs), 0u) << i;
    }
    // Nobody waits for more than a second in vain, however long it has been asked for.
    for (unsigned i = 10; i < 300; ++i) {
        wait(kStart + kSecond * i - kPs);
        EXPECT_EQ(requests(kStart + kSecond * i), 1u) << i;
        EXPECT_EQ(rig_.out.freed.size(), 1u) << i;
    }
    EXPECT_EQ(rig_.drops(0, DropReason::NeighborUnresolved), 290u);
}

TEST_F(ResolveTest, GivesUpWhatIsNoGatewayAnyMore) {
    rig_.add_gateway(kHost);
    adopt(kStart);
    for (unsigned i = 0; i < 5; ++i) EXPECT_EQ(requests(kStart + kSecond * i), 1u);
    rig_.gateways.clear();
    adopt(kStart + kSecond * 4);
    EXPECT_EQ(requests(kStart + kSecond * 5), 0u);
    EXPECT_EQ(rig_.slot_of(kHost), kNoNeighbor);
}

TEST_F(ResolveTest, GoesBackToAskingForALostGateway) {
    rig_.add_gateway(kHost);
    adopt(kStart);
    hear(kStart);
    const Time end = deadline();
    for (unsigned i = 0; i < 3; ++i) EXPECT_EQ(requests(end + kSecond * i), 1u);
    EXPECT_EQ(requests(end + kSecond * 3), 1u);
    EXPECT_EQ(rig_.out.own.all()[0].bytes[0], 0xff) << "everybody is asked";
    EXPECT_EQ(neighbor().state, NeighborState::Incomplete);
    ASSERT_EQ(rig_.out.events.size(), 1u);
    EXPECT_EQ(rig_.out.events.all()[0].kind, EventKind::NeighborLost);
    // It has three requests' time again before what waits is dropped.
    wait(end + kSecond * 3);
    for (const unsigned i : {4u, 5u}) {
        EXPECT_EQ(requests(end + kSecond * i), 1u);
        EXPECT_EQ(rig_.out.freed.size(), 0u);
    }
    EXPECT_EQ(requests(end + kSecond * 6), 1u);
    EXPECT_EQ(rig_.out.freed.size(), 1u);
}

TEST_F(ResolveTest, DoesNotAskOnAPortThatIsDownButAsAtOnceWhenItIsUp) {
    rig_.add_gateway(kHost);
    adopt(kStart);
    rig_.state.ports_up.remove(0);
    EXPECT_EQ(requests(kStart), 0u);
    EXPECT_EQ(requests(kStart + kSecond), 0u);
    rig_.state.ports_up.add(0);
    const Time up = kStart + kSecond + kSecond / 2;
    EXPECT_EQ(requests(up), 0u);
    probe_neighbors(rig_.state, up, 1);
    EXPECT_EQ(requests(up), 0u) << "another port";
    probe_neighbors(rig_.state, up, 0);
    EXPECT_EQ(requests(up), 1u);
}

TEST_F(ResolveTest, ProbesWhomItKnowsWhenAPortComesUp) {
    hear(kStart);
    probe_neighbors(rig_.state, kStart + kSecond, 0);
    EXPECT_EQ(requests(kStart + kSecond), 1u);
    EXPECT_EQ(neighbor().state, NeighborState::Probing);
    EXPECT_TRUE(neighbor().resolved());
}

TEST_F(ResolveTest, ForwardsToAStaticNeighborForEver) {
    wait(kStart);
    rig_.static_neighbors.push_back({kHost, kOtherMac, 0});
    adopt(kStart);
    EXPECT_EQ(neighbor().state, NeighborState::Static);
    EXPECT_EQ(requests(kStart), 0u);
    EXPECT_EQ(Octets(rig_.sent(0)).at(5), 0xb2) << "what waited goes with the next tick";
    EXPECT_FALSE(rig_.state.neighbors.next_deadline().has_value());
    hear(kStart);
    EXPECT_EQ(neighbor().rewrite[5], 0xb2);
}

// It was asked for three times in vain before it became static: that does not count any more.
TEST_F(ResolveTest, ProbesANeighborThatIsNotStaticAnyMore) {
    rig_.add_gateway(kHost);
    adopt(kStart);
    for (unsigned i = 0; i < 3; ++i) EXPECT_EQ(requests(kStart + kSecond * i), 1u);
    rig_.static_neighbors.push_back({kHost, kOtherMac, 0});
    adopt(kStart + kSecond * 2);
    rig_.static_neighbors.clear();
    adopt(kStart + kSecond * 3);
    EXPECT_TRUE(neighbor().resolved());
    EXPECT_EQ(requests(kStart + kSecond * 3), 1u);
    EXPECT_EQ(neighbor().state, NeighborState::Probing);
}

TEST_F(ResolveTest, KeepsWhatItKnowsOverNewTablesWithThePortsNewMac) {
    rig_.add_gateway(kHost);
    adopt(kStart);
    hear(kStart);
    const Time end = deadline();
    rig_.ports[0].mac = {0x0200'0000'00aa};
    rig_.gateways = {{IpAddress::v4(0xc000'0233), 0}, {kHost, 0}};
    adopt(kStart + kSecond);
    EXPECT_EQ(rig_.state.gateway_neighbors[1], rig_.slot_of(kHost));
    EXPECT_EQ(deadline(), end);
    EXPECT_EQ(neighbor().state, NeighborState::Reachable);
    EXPECT_EQ(neighbor().rewrite[11], 0xaa);
}

TEST_F(ResolveTest, LetsGoWhatIsNotOnARoutedPortOrInASubnetAnyMore) {
    wait(kStart);
    ASSERT_NE(rig_.state.neighbors.find_or_add(1, IpAddress::v4(0xc633'6432)), kNoNeighbor);
    rig_.addresses[0].prefix_length = 96 + 28;  // 192.0.2.0/28
    rig_.ports[1].mode = PortMode::Bridged;
    adopt(kStart);
    EXPECT_EQ(rig_.state.neighbors.size(), 0u);
    EXPECT_EQ(rig_.out.freed.size(), 1u);
    EXPECT_EQ(rig_.drops(0, DropReason::PortRemoved), 1u);
}

TEST_F(ResolveTest, LetsGoLaterWhatCannotBeFreedNow) {
    wait(kStart);
    while (rig_.out.freed.room() > 0) rig_.out.freed.push(nullptr);
    rig_.addresses[0].prefix_length = 96 + 28;
    adopt(kStart);
    EXPECT_EQ(rig_.state.neighbors.size(), 1u);
    rig_.clear();
    wait_for_neighbor(rig_.state, kStart, rig_.slot_of(kHost), routed_frame(), rig_.out);
    EXPECT_EQ(rig_.out.freed.size(), 1u) << "nothing more may wait for it";
    hear(kStart);
    EXPECT_TRUE(rig_.sent(0).empty());
    rig_.clear();
    tick_neighbors(rig_.state, kStart, rig_.out);
    EXPECT_EQ(rig_.out.freed.size(), 1u);
    EXPECT_EQ(rig_.state.neighbors.size(), 0u);
}

TEST_F(ResolveTest, DoesNotBindGatewaysOfAnotherShard) {
    rig_.add_gateway(IpAddress::v4(0xcb00'7132), 2);
    rig_.add_gateway({}, kNoPort);
    adopt(kStart);
    EXPECT_EQ(rig_.state.gateway_neighbors[0], kNoNeighbor);
    EXPECT_EQ(rig_.state.gateway_neighbors[1], kNoNeighbor);
    EXPECT_EQ(rig_.state.neighbors.size(), 0u);
}

// 32 slots: a known gateway, a host for whom a frame waits, 30 others. Three more gateways take the
// place of hosts for whom nothing waits.
TEST_F(ResolveTest, MakesRoomForGatewaysInAFullTable) {
    const auto host = [](std::uint32_t i) { return IpAddress::v4(0xc000'0264 + i); };
    hear(kStart);
    for (std::uint32_t i = 0; i < 31; ++i) {
        const std::uint32_t slot = rig_.state.neighbors.find_or_add(0, host(i));
        ASSERT_NE(slot, kNoNeighbor);
        if (i == 0) wait_for_neighbor(rig_.state, kStart, slot, routed_frame(), rig_.out);
    }
    for (const std::uint32_t gateway : {0xc000'020au, 0xc000'020bu, 0xc000'020cu, 0xc000'0232u}) {
        rig_.add_gateway(IpAddress::v4(gateway));
    }
    adopt(kStart);
    for (unsigned i = 0; i < 4; ++i) EXPECT_NE(rig_.state.gateway_neighbors[i], kNoNeighbor);
    EXPECT_EQ(rig_.state_of(kHost), NeighborState::Reachable);
    EXPECT_EQ(rig_.state.neighbors.size(), 32u);
    EXPECT_NE(rig_.slot_of(host(0)), kNoNeighbor);
    for (const unsigned i : {1u, 2u, 3u}) EXPECT_EQ(rig_.slot_of(host(i)), kNoNeighbor);
    EXPECT_NE(rig_.slot_of(host(4)), kNoNeighbor);
}

TEST_F(ResolveTest, SaysOnceWhenAGatewayHasNoPlace) {
    for (std::uint32_t i = 0; i < 33; ++i) rig_.add_gateway(IpAddress::v4(0xc000'0264 + i));
    adopt(kStart);
    EXPECT_EQ(rig_.state.gateway_neighbors[32], kNoNeighbor);
    ASSERT_EQ(rig_.out.events.size(), 1u);
    EXPECT_EQ(rig_.out.events.all()[0].kind, EventKind::NeighborTableFull);
}

TEST_F(ResolveTest, DealsWithEightNeighborsPerTick) {
    for (std::uint32_t i = 0; i < 20; ++i) rig_.add_gateway(IpAddress::v4(0xc000'0264 + i));
    adopt(kStart);
    EXPECT_EQ(requests(kStart), 8u);
    EXPECT_EQ(requests(kStart), 8u);
    EXPECT_EQ(requests(kStart), 4u);
    EXPECT_EQ(requests(kStart), 0u);
}

TEST_F(ResolveTest, LeavesWhatThereIsNoRoomForToTheNextTick) {
    wait(kStart);
    rig_.clear();
    while (rig_.out.own.room() > 4) rig_.out.own.push({});
    tick_neighbors(rig_.state, kStart + kSecond, rig_.out);
    EXPECT_EQ(rig_.out.own.room(), 4u) << "up to 4 ICMP errors and a request need 5";
    rig_.clear();
    while (rig_.out.freed.room() > 3) rig_.out.freed.push(nullptr);
    tick_neighbors(rig_.state, kStart + kSecond, rig_.out);
    EXPECT_EQ(rig_.out.own.size(), 0u) << "up to 4 frames may have to be freed";
    EXPECT_EQ(requests(kStart + kSecond), 1u);
}

TEST_F(ResolveTest, AsksWithTheNextTickWhenThereWasNoRoomAtOnce) {
    while (rig_.out.own.room() > 0) rig_.out.own.push({});
    wait(kStart);
    EXPECT_EQ(neighbor().probes, 0u);
    EXPECT_EQ(requests(kStart), 1u);
    EXPECT_EQ(neighbor().probes, 1u);
}

TEST_F(ResolveTest, VerifiesAClaimAfterFiveSeconds) {
    neighbor_claimed(rig_.state, kStart, slot(), kHostMac, rig_.out);
    EXPECT_EQ(neighbor().state, NeighborState::Reachable);
    EXPECT_EQ(deadline(), kStart + Interval::seconds(5));
    EXPECT_EQ(requests(kStart + Interval::seconds(5)), 1u);
}

}  // namespace
}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
// Real workers and shards on ring ports; mbufs in use must come back to where they were.
#include "dataplane/run/worker.h"

#include <thread>

#include <gtest/gtest.h>

#include "dataplane/core/wire.h"
#include "tests/unit/run/ring_ports.h"

namespace weir {
namespace {

// Sends `frames` numbered ones into one port and takes them out of another, on the calling thread.
struct Stream {
    RingPort* from = nullptr;
    RingPort* to = nullptr;
    std::uint8_t source = 0;
    std::uint8_t destination = 0;
    std::uint32_t frames = 0;
    std::uint32_t sent = 0;
    std::uint32_t arrived = 0;
    std::uint32_t wrong = 0;  // out of order, lost or doubled

    [[nodiscard]] bool done() const { return arrived == frames; }
    // True if a frame moved.
    bool step(Rig& rig) {
        bool moved = false;
        // No more on the way than the ring ports hold, so that nothing is ever dropped.
        if (sent < frames && sent - arrived < 200) {
            rte_mbuf* mbuf = rig.frame(source, destination, sent);
            EXPECT_NE(mbuf, nullptr);
            EXPECT_TRUE(from->deliver(mbuf));
            ++sent;
            moved = true;
        }
        if (rte_mbuf* mbuf = to->collect()) {
            if (Rig::number_of(mbuf) != arrived) ++wrong;
            ++arrived;
            gave_away(mbuf);
            rte_pktmbuf_free(mbuf);
            moved = true;
        }
        return moved;
    }
};

// 20,000 frames each way between two ports of two shards on two threads.
TEST(Workers, CarryFramesBetweenShardsInOrder) {
    Rig rig({.ports = 2, .shards = 2});
    Stream there{.from = &rig.port(0), .to = &rig.port(1), .source = 1, .destination = 2};
    Stream back{.from = &rig.port(1), .to = &rig.port(0), .source = 2, .destination = 1};
    there.frames = 20'000;
    back.frames = 20'000;
    rig.start();
    while (!there.done() || !back.done()) {
        const bool moved = there.step(rig);
        if (!back.step(rig) && !moved) std::this_thread::yield();
    }
    rig.stop();
    EXPECT_EQ(there.wrong, 0u);
    EXPECT_EQ(back.wrong, 0u);
    EXPECT_EQ(rig.shard(0).counters(0).received_frames.read(), 20'000u);
    EXPECT_EQ(rig.shard(1).counters(1).sent_frames.read(), 20'000u);
    EXPECT_EQ(rig.worker(0).counters().received_frames.read(), 20'000u);
    EXPECT_GT(rig.worker(0).counters().longest_turn_ps.load(), 0u);
    rig.release();
    EXPECT_EQ(rig.pool().in_use(), 0u);
}

// The ring takes 7 (8 slots); of a burst of 32 the other 25 are dropped, by name.
TEST(Workers, CountWhatAFullHandOffRingRefuses) {
    Rig rig({.ports = 2, .shards = 2, .hand_off_frames = 7});
    for (std::uint32_t i = 0; i < 32; ++i) {
        ASSERT_TRUE(rig.port(0).deliver(rig.frame(1, 2, i)));
    }
    rig.worker(0).turn(rig.clock().now());
    EXPECT_EQ(rig.drops(0, DropReason::HandOffFull), 25u);
    EXPECT_EQ(rig.pool().in_use(), 7u);
    rig.worker(1).turn(rig.clock().now());  // takes up tables, then the seven
    for (std::uint32_t i = 0; i < 7; ++i) {
        rte_mbuf* mbuf = rig.port(1).collect();
        ASSERT_NE(mbuf, nullptr);
        EXPECT_EQ(Rig::number_of(mbuf), i);
        rte_pktmbuf_free(mbuf);
    }
    EXPECT_EQ(rig.port(1).collect(), nullptr);
    rig.release();
    EXPECT_EQ(rig.pool().in_use(), 0u);
}

// Four ports on two shards: three copies of each broadcast, one handle used by none twice.
TEST(Workers, FloodToEveryOtherPort) {
    Rig rig({.ports = 4, .shards = 2});
    for (std::uint32_t i = 0; i < 40; ++i) {
        ASSERT_TRUE(rig.port(0).deliver(rig.frame(1, kBroadcastHost, i, 1000)));
    }
    for (int turn = 0; turn < 4; ++turn) rig.turn();
    EXPECT_EQ(rig.port(0).collect(), nullptr);
    EXPECT_EQ(rig.pool().in_use(), 3u * 40u);
    for (PortId port = 1; port < 4; ++port) {
        for (std::uint32_t i = 0; i < 40; ++i) {
            rte_mbuf* mbuf = rig.port(port).collect();
            ASSERT_NE(mbuf, nullptr) << port;
            EXPECT_EQ(Rig::number_of(mbuf), i);
            EXPECT_EQ(mbuf->pkt_len, 1000u);
            rte_pktmbuf_free(mbuf);
        }
        EXPECT_EQ(rig.port(port).collect(), nullptr);
    }
    EXPECT_EQ(rig.pool().in_use(), 0u);
}

// 3 ports, a broadcast: one copy is needed besides the original, and there is no buffer left.
TEST(Workers, CountCopiesThatFindNoBuffer) {
    Rig rig({.ports = 3, .shards = 1, .frames = 63});
    ASSERT_TRUE(rig.port(0).deliver(rig.frame(1, kBroadcastHost, 7)));
    std::vector<rte_mbuf*> hoard;
    for (rte_mbuf* mbuf = nullptr; take_mbufs(rig.pool().pool(), {&mbuf, 1});) {
        hoard.push_back(mbuf);
    }
    EXPECT_EQ(hoard.size(), 62u);
    rig.turn();
    EXPECT_EQ(rig.drops(0, DropReason::FrameMemoryExhausted), 1u);
    EXPECT_EQ(rig.port(1).collect(), nullptr);
    rte_mbuf* original = rig.port(2).collect();
    ASSERT_NE(original, nullptr);
    EXPECT_EQ(Rig::number_of(original), 7u);
    rte_pktmbuf_free(original);
    for (rte_mbuf* mbuf : hoard) rte_pktmbuf_free(mbuf);
    EXPECT_EQ(rig.pool().in_use(), 0u);
}

// The device takes 10 frames; 32 are offered, so 22 stay the switch's and leave later, in order.
TEST(Workers, KeepWhatADeviceDoesNotTake) {
    Rig rig({.ports = 2, .shards = 1, .device_frames = 32});
    for (std::uint32_t i = 0; i < 22; ++i) ASSERT_TRUE(rig.port(0).deliver(rig.frame(1, 2, i)));
    rig.turn();
    for (std::uint32_t i = 22; i < 54; ++i) ASSERT_TRUE(rig.port(0).deliver(rig.frame(1, 2, i)));
    rig.turn();
    EXPECT_EQ(rig.shard(0).counters(1).sent_frames.read(), 32u);
    EXPECT_EQ(rig.shard(0).counters(1).refused_frames.read(), 22u);
    for (std::uint32_t i = 0; i < 54; ++i) {
        rte_mbuf* mbuf = rig.port(1).collect();
        ASSERT_NE(mbuf, nullptr) << i;
        EXPECT_EQ(Rig::number_of(mbuf), i);
        rte_pktmbuf_free(mbuf);
        rig.turn();
    }
    EXPECT_EQ(rig.pool().in_use(), 0u);
}

TEST(Workers, DropWhatArrivesOnAStoppedPortAndGoOnWhenItStarts) {
    Rig rig({.ports = 2, .shards = 1});
    rig.turn();
    rig.worker(0).set_port_stopped(0, 0, true);
    for (std::uint32_t i = 0; i < 5; ++i) ASSERT_TRUE(rig.port(0).deliver(rig.frame(1, 2, i)));
    rig.turn();
    EXPECT_EQ(rig.drops(0, DropReason::PortDown), 5u);
    EXPECT_EQ(rig.pool().in_use(), 0u);
    rig.worker(0).set_port_stopped(0, 0, false);
    ASSERT_TRUE(rig.port(0).deliver(rig.frame(1, 2, 5)));
    rig.turn();
    rte_mbuf* mbuf = rig.port(1).collect();
    ASSERT_NE(mbuf, nullptr);
    EXPECT_EQ(Rig::number_of(mbuf), 5u);
    rte_pktmbuf_free(mbuf);
}

// A frame in two segments is made whole when it fits into one mbuf, and dropped by name when not.
TEST(Workers, MakeFramesOfSeveralSegmentsWhole) {
    Rig rig({.ports = 2, .shards = 1});
    for (const std::uint16_t tail_length : {std::uint16_t{500}, std::uint16_t{5000}}) {
        rte_mbuf* head = rig.frame(1, 2, tail_length, 1000);
        rte_mbuf* tail = nullptr;
        ASSERT_TRUE(take_mbufs(rig.pool().pool(), {&tail, 1}));
        ASSERT_NE(rte_pktmbuf_append(tail, tail_length), nullptr);
        ASSERT_EQ(rte_pktmbuf_chain(head, tail), 0);
        ASSERT_TRUE(rig.port(0).deliver(head));
    }
    rig.turn();
    rte_mbuf* whole = rig.port(1).collect();
    ASSERT_NE(whole, nullptr);
    EXPECT_EQ(whole->nb_segs, 1u);
    EXPECT_EQ(whole->pkt_len, 1500u);
    EXPECT_EQ(Rig::number_of(whole), 500u);
    rte_pktmbuf_free(whole);
    EXPECT_EQ(rig.port(1).collect(), nullptr);
    EXPECT_EQ(rig.drops(0, DropReason::FrameTooLong), 1u);
    EXPECT_EQ(rig.pool().in_use(), 0u);
}

// Both shards hear of it, the one that owns the port reports it.
TEST(Workers, ReportALinkChangeOnce) {
    Rig rig({.ports = 2, .shards = 2});
    rig.turn();
    std::array<EventRecord, 8> events;
    EXPECT_EQ(rig.worker(0).take_events(events), 1u);  // tables taken up
    EXPECT_EQ(rig.worker(1).take_events(events), 1u);
    EXPECT_EQ(events[0].event.kind, EventKind::TablesAdopted);
    rig.condition().set_port_up(1, false);
    const Time now = rig.clock().now();
    rig.worker(0).link_changed(now, 0, 1, false);
    rig.worker(1).link_changed(now, 0, 1, false);
    EXPECT_EQ(rig.worker(0).take_events(events), 0u);
    ASSERT_EQ(rig.worker(1).take_events(events), 1u);
    EXPECT_EQ(events[0].event.kind, EventKind::LinkDown);
    EXPECT_EQ(events[0].event.port, 1);
    EXPECT_EQ(events[0].shard, 1);
}

// Queued frames for a port whose device takes nothing are given back at the end.
TEST(Workers, ReleaseEverythingTheyHold) {
    Rig rig({.ports = 2, .shards = 2, .device_frames = 16});
    for (int round = 0; round < 10; ++round) {
        for (std::uint32_t i = 0; i < 16; ++i) {
            ASSERT_TRUE(rig.port(0).deliver(rig.frame(1, 2, i)));
        }
        rig.turn();
    }
    for (std::uint32_t i = 0; i < 16; ++i) ASSERT_TRUE(rig.port(0).deliver(rig.frame(1, 2, i)));
    rig.worker(0).turn(rig.clock().now());
    EXPECT_EQ(rig.pool().in_use(), 176u);
    rig.release();
    EXPECT_EQ(rig.pool().in_use(), 16u);  // in the device
    while (rte_mbuf* mbuf = rig.port(1).collect()) rte_pktmbuf_free(mbuf);
    EXPECT_EQ(rig.pool().in_use(), 0u);
}

// Of 131 frames a turn takes 32, and 99 wait: one fewer than the limit. With one more the peer is
// paused in the same turn, and resumed when 50 wait: after two more turns of 32 (68, 36).
TEST(Workers, GuardTheirRxRings) {
    Rig rig({.rx_guard_frames = 100});
    for (std::uint32_t i = 0; i < 131; ++i) {
        ASSERT_TRUE(rig.port(0).deliver(rig.frame(1, 1, i)));
    }
    rig.turn();
    EXPECT_EQ(rig.port(0).collect(), nullptr);
    for (std::uint32_t i = 0; i < 33; ++i) {
        ASSERT_TRUE(rig.port(0).deliver(rig.frame(1, 1, i)));
    }
    const auto quanta = [&]() -> int {
        rte_mbuf* mbuf = rig.port(0).collect();
        if (mbuf == nullptr) return -1;
        const auto* bytes = rte_pktmbuf_mtod(mbuf, const std::uint8_t*);
        EXPECT_EQ(read_be16(bytes + 12), 0x8808);
        EXPECT_EQ(read_be16(bytes + 16), 0x08);
        const int time = read_be16(bytes + 18 + 2 * 3);
        rte_pktmbuf_free(mbuf);
        return time;
    };
    rig.turn();  // 132 - 32 wait
    EXPECT_EQ(quanta(), 0xffff);
    rig.turn();
    EXPECT_EQ(quanta(), -1);
    rig.turn();
    EXPECT_EQ(quanta(), 0);
    rig.release();
}

TEST(Workers, PassFramesThroughAFault) {
    Rig rig({});
    auto fault = std::make_unique<PortFault>(PortFaultSettings{.loss_ppm = kFaultShares});
    rig.worker(0).set_fault(0, 0, fault);
    EXPECT_EQ(fault, nullptr);
    ASSERT_TRUE(rig.port(0).deliver(rig.frame(1, 2, 0)));
    rig.turn();
    EXPECT_EQ(rig.drops(0, DropReason::FaultInjected), 1u);
    EXPECT_EQ(rig.port(1).collect(), nullptr);
    // Without one the port is as it was, and its memory is the caller's.
    fault = std::make_unique<PortFault>(PortFaultSettings{});
    rig.worker(0).set_fault(0, 0, fault);
    EXPECT_NE(fault, nullptr);
    EXPECT_EQ(rig.worker(0).seat(0).ports[0].fault, nullptr);
    ASSERT_TRUE(rig.port(0).deliver(rig.frame(1, 2, 1)));
    rig.turn();
    rte_mbuf* mbuf = rig.port(1).collect();
    ASSERT_NE(mbuf, nullptr);
    rte_pktmbuf_free(mbuf);
    rig.release();
    EXPECT_EQ(rig.pool().in_use(), 0u);
}

}  // namespace
}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/run/rendezvous.h"

#include <thread>

#include <gtest/gtest.h>

#include "dataplane/core/hold.h"
#include "tests/unit/run/ring_ports.h"

namespace weir {
namespace {

// The threads of a test share few cores: only a test that hangs waits for so long.
constexpr Interval kLong = Interval::seconds(60);

void count(void* argument, Time /*now*/) {
    ++*static_cast<int*>(argument);
}

TEST(Rendezvous, OneAloneReadsAtOnce) {
    const Clock clock;
    Rendezvous rendezvous(1, clock, Interval{0});
    int readings = 0;
    rendezvous.come(count, &readings, Time{1});
    EXPECT_EQ(readings, 1);
    EXPECT_TRUE(rendezvous.met());
}

// What both have written before they came, not atomic, is there for the reading; nobody goes on
// before it is done.
TEST(Rendezvous, TheLastToComeReadsWhileTheOthersStand) {
    const Clock clock;
    for (int round = 0; round < 200; ++round) {
        Rendezvous rendezvous(3, clock, kLong);
        struct Work {
            std::array<int, 3> done{};
            int sum = 0;
        } work;
        std::array<std::thread, 3> workers;
        for (std::size_t i = 0; i < workers.size(); ++i) {
            workers[i] = std::thread([&, i] {
                work.done[i] = round;
                rendezvous.come(
                    [](void* argument, Time) {
                        auto* all = static_cast<Work*>(argument);
                        for (const int one : all->done) all->sum += one;
                    },
                    &work, Time{1});
                work.done[i] = -1;
            });
        }
        for (std::thread& worker : workers) worker.join();
        ASSERT_TRUE(rendezvous.met());
        ASSERT_EQ(work.sum, 3 * round);
    }
}

TEST(Rendezvous, IsGivenUpWhenSomebodyIsMissing) {
    const Clock clock;
    Rendezvous rendezvous(2, clock, Interval::microseconds(20));
    int readings = 0;
    rendezvous.come(count, &readings, Time{1});
    EXPECT_FALSE(rendezvous.met());
    rendezvous.come(count, &readings, Time{1});  // too late: it reads nothing
    EXPECT_FALSE(rendezvous.met());
    EXPECT_EQ(readings, 0);
}

struct Balance {
    Rig* rig = nullptr;
    std::uint64_t received = 0;
    std::uint64_t sent = 0;
    std::uint64_t dropped = 0;
    std::uint64_t held = 0;
};

void read_balance(void* argument, Time /*now*/) {
    auto* balance = static_cast<Balance*>(argument);
    for (ShardId id = 0; id < 2; ++id) {
        const Shard& shard = balance->rig->shard(id);
        for (PortId port = 0; port < 2; ++port) {
            balance->received += shard.counters(port).received_frames.read();
            balance->sent += shard.counters(port).sent_frames.read();
            for (const Counter& reason : shard.counters(port).drops) {
                balance->dropped += reason.read();
            }
        }
        balance->held += held_now(shard.state()).frames;
    }
}

struct Meeting {
    Rendezvous* rendezvous;
    Balance* balance;
};

// True if the two workers met.
bool meet(Rig& rig, Balance& balance) {
    balance = {.rig = &rig};
    Rendezvous rendezvous(2, rig.clock(), kLong);
    Meeting meeting{&rendezvous, &balance};
    for (unsigned i = 0; i < 2; ++i) {
        rig.worker(i).requests().post(
            [](void* argument, Time now) {
                const auto* asked = static_cast<const Meeting*>(argument);
                asked->rendezvous->come(read_balance, asked->balance, now);
            },
            &meeting);
    }
    bool all = true;
    for (unsigned i = 0; i < 2; ++i) all &= rig.worker(i).requests().collect(kLong);
    return all && rendezvous.met();
}

unsigned collect_all(RingPort& port) {
    unsigned frames = 0;
    while (rte_mbuf* mbuf = port.collect()) {
        gave_away(mbuf);
        rte_pktmbuf_free(mbuf);
        ++frames;
    }
    return frames;
}

// Two shards on two threads, each with frames for the other's port, more than the ports' devices
// take. Whenever the workers meet, in = out + dropped + held, with frames in the hand-off rings and
// releases that nobody has taken yet.
TEST(Rendezvous, InIsOutAndHeldWheneverWorkersMeet) {
    Rig rig({.ports = 2, .shards = 2});
    rig.start();
    std::uint32_t delivered = 0;
    std::uint64_t collected = 0;
    bool some_held = false;
    for (int meeting = 0; meeting < 100; ++meeting) {
        for (int i = 0; i < 200 && delivered - collected < 2'000; ++i) {
            const auto way = static_cast<std::uint8_t>(i % 2);
            rte_mbuf* mbuf = rig.frame(1 + way, 2 - way, delivered);
            ASSERT_NE(mbuf, nullptr);
            gave_away(mbuf);
            if (!rig.port(way).deliver(mbuf)) {
                rte_pktmbuf_free(mbuf);
                break;
            }
            ++delivered;
        }
        Balance balance;
        ASSERT_TRUE(meet(rig, balance));
        ASSERT_EQ(balance.received, balance.sent + balance.dropped + balance.held);
        some_held |= balance.held != 0;
        if (meeting % 4 == 3) {
            for (PortId port = 0; port < 2; ++port) collected += collect_all(rig.port(port));
        }
    }
    EXPECT_TRUE(some_held);
    while (collected < delivered) {
        for (PortId port = 0; port < 2; ++port) collected += collect_all(rig.port(port));
        std::this_thread::yield();
    }
    rig.stop();
    EXPECT_EQ(rig.shard(0).counters(0).received_frames.read() +
                  rig.shard(1).counters(1).received_frames.read(),
              delivered);
    rig.release();
    EXPECT_EQ(rig.pool().in_use(), 0u);
}

}  // namespace
}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
// Lossless priorities end to end, in virtual time: whole switches and hosts, links with rate and
// delay. What must come out is worked out by hand beside each test.
#include <numeric>

#include <gtest/gtest.h>

#include "dataplane/core/wire.h"
#include "tests/unit/core/fabric.h"

namespace weir {
namespace {

constexpr std::uint64_t kFast = 100'000'000'000;
constexpr std::uint64_t kSlow = 10'000'000'000;
constexpr Interval kCable = Interval::nanoseconds(500);  // 100 m at 0.66 c
constexpr std::uint16_t kFrame = 1'000;
// Of a frame of 1,000 bytes at 100 Gb/s: 1,024 * 80 ps.
constexpr Interval kFrameTime = Interval::picoseconds(81'920);
// XOFF to standstill at 100 Gb/s takes the pause behind a frame (82 ns), its own 84 bytes (7 ns),
// the cable both ways (1 us), and a frame of the sender's that has begun (82 ns): 1.2 us are 15
// frames.
constexpr Bytes kHeadroom = 20 * Bytes{kFrame};

std::string ports(unsigned count) {
    std::string yaml = "switch: { name: rig }\nports:\n";
    for (unsigned i = 0; i < count; ++i) {
        const std::string number = std::to_string(i);
        yaml += "  - { name: p" + number + ", device: \"net_null" + number + "\" }\n";
    }
    return yaml;
}

// Port n has host 0a:00:00:00:01:n behind it.
MacAddress host_mac(unsigned port) {
    return {0x0a00'0000'0100u + port};
}

// Priority 3 (and those in `lossless`) without loss on `count` ports at `speed`; all DWRR by 2,000
// bytes a round.
void make_lossless(CompiledTables& tables, unsigned count, Bytes pool, std::uint8_t lossless = 8) {
    for (PortId port = 0; port < count; ++port) {
        tables.ports[port].speed_bps = kFast;
        tables.ports[port].pfc_priorities = lossless;
        tables.egress[port].strict = 0;
        tables.egress[port].quantum_bytes.fill(2'000);
        for_each_priority(lossless, [&](Priority priority) {
            tables.groups[group_of(port, priority)] = {
                .headroom_bytes = kHeadroom, .xon_offset_bytes = 3'000, .lossless = true};
        });
    }
    tables.tables.shared_pool_bytes = pool;
    tables.tables.queue_bytes_max = 100'000;
}

// Frame i of a stream to the host behind `port`; the two bytes of the source port are i.
std::function<Octets(std::uint64_t)> stream_to(unsigned port, unsigned from, Priority priority,
                                               std::uint8_t ecn = 0) {
    return [=](std::uint64_t i) {
        return udp({.destination = host_mac(port),
                    .source = host_mac(from),
                    .from = 0x0a01'0000 + from,
                    .source_port = static_cast<std::uint16_t>(i),
                    .dscp = static_cast<std::uint8_t>(priority << 3),
                    .ecn = ecn,
                    .bytes = kFrame});
    };
}

// What a sink hears, by source host and priority; each stream must come in order.
struct Sink {
    std::array<std::array<std::uint64_t, kPriorities>, 16> frames{};
    std::array<std::uint16_t, 16 * kPriorities> last{};
    std::uint64_t reordered = 0;
    std::uint64_t marked = 0;

    void attach(Host& host) {
        host.heard = [this](const Octets& frame) {
            const unsigned from = frame[29];
            const unsigned priority = frame[15] >> 5;
            const std::uint16_t number = read_be16(frame.data() + 34);
            std::uint16_t& before = last[from * kPriorities + priority];
            if (frames[from][priority]++ != 0 && static_cast<std::int16_t>(number - before) <= 0) {
                ++reordered;
            }
            before = number;
            marked += (frame[15] & 3) == 3 ? 1 : 0;
        };
    }
    [[nodiscard]] std::uint64_t of(Priority priority) const {
        return std::accumulate(frames.begin(), frames.end(), std::uint64_t{0},
                               [&](std::uint64_t sum, const auto& f) { return sum + f[priority]; });
    }
    [[nodiscard]] std::uint64_t total() const {
        std::uint64_t sum = 0;
        for (Priority p = 0; p < kPriorities; ++p) sum += of(p);
        return sum;
    }
};

// The switch learns where the hosts are.
void learn(Fabric& fabric, unsigned node, unsigned hosts) {
    SwitchRig& rig = fabric.rig(node);
    for (PortId port = 0; port < hosts; ++port) {
        rig.receive(port, {udp({.destination = host_mac(port), .source = host_mac(port)})});
    }
    for (PortId port = 0; port < hosts; ++port) (void)rig.sent(port);
}

// A13: 10,000 frames of 1,000 bytes at 100 Gb/s through two switches with a pool of 1 MB less the
// headrooms of two ports each, to a host of 10 Gb/s, which needs 10,000 * 1,024 * 0.8 ns = 8.2 ms.
TEST(Lossless, ABurstOfTenMegabytesArrivesWhole) {
    Fabric fabric;
    const auto adjust = [](CompiledTables& tables) {
        make_lossless(tables, 2, 1'000'000 - 2 * kHeadroom);
    };
    const unsigned sender = fabric.add_host();
    const unsigned first = fabric.add(ports(2), adjust);
    const unsigned second = fabric.add(ports(2), adjust);
    const unsigned receiver = fabric.add_host();
    fabric.connect({sender, 0}, {first, 0}, kFast, kCable);
    fabric.connect({first, 1}, {second, 0}, kFast, kCable);
    fabric.connect({second, 1}, {receiver, 0}, kSlow, kCable);
    Sink sink;
    sink.attach(fabric.host(receiver));
    fabric.host(sender).streams[3] = {.frame = stream_to(1, 0, 3), .left = 10'000};
    fabric.run(Interval::milliseconds(9));
    EXPECT_EQ(sink.of(3), 10'000u);
    EXPECT_EQ(sink.reordered, 0u);
    for (const unsigned node : {first, second}) {
        const SwitchRig& rig = fabric.rig(node);
        EXPECT_EQ(rig.all_drops(), 0u);
        EXPECT_GT(rig.shard->counters(0).pauses_sent[3].read(), 0u);
        EXPECT_EQ(rig.group(0, 3).held(), 0u);
        EXPECT_FALSE(rig.group(0, 3).paused);
        // alpha = 1: a group alone stops at half of the pool, 480,000 bytes.
        EXPECT_EQ(rig.group(0, 3).shared_bytes_max, 480'000u);
        EXPECT_GT(rig.group(0, 3).headroom_bytes_max, 0u);
    }
    EXPECT_GT(fabric.host(sender).pauses_heard, 0u);
}

// A4 with everything that headroom is for. A host sends frames back to back at 100 Gb/s, T = 81.92
// ns each, over 100 m (d = 500 ns); the threshold is five frames and nothing leaves. Frame k is
// whole at the switch at kT + d, so the pause is sent at 5T + d, takes 84 bytes (6.72 ns) and d to
// the host, which obeys 1 us later: at 5T + 2d + 1,006.72 ns = 2,416.32 ns = 29.5T. Frame 30 has
// begun by then: 25 come after the fifth. 25,000 bytes of headroom hold them; one byte or one frame
// less lose one.
class Headroom : public ::testing::TestWithParam<Bytes> {};

TEST_P(Headroom, IsExactWithCableAndResponse) {
    Fabric fabric;
    const unsigned node = fabric.add(ports(3), [](CompiledTables& tables) {
        make_lossless(tables, 2, 1'000'000);
        tables.groups[group_of(0, 3)] = {.headroom_bytes = GetParam(),
                                         .xon_offset_bytes = 3'000,
                                         .shared_limit_bytes = 5 * Bytes{kFrame},
                                         .dynamic = false,
                                         .lossless = true};
    });
    learn(fabric, node, 3);
    const unsigned sender = fabric.add_host();
    fabric.connect({sender, 0}, {node, 0}, kFast, kCable);
    fabric.host(sender).response = Interval::microseconds(1);
    fabric.host(sender).streams[3] = {.frame = stream_to(1, 0, 3), .left = 1'000};
    fabric.run(Interval::microseconds(500));  // longer than a pause: it is refreshed
    EXPECT_EQ(fabric.host(sender).streams[3].sent, 30u);
    EXPECT_EQ(fabric.rig(node).group(0, 3).held(), GetParam() < 25'000 ? 29'000u : 30'000u);
    EXPECT_EQ(fabric.rig(node).drops(0, DropReason::HeadroomFull), GetParam() < 25'000 ? 1u : 0u);
}
INSTANTIATE_TEST_SUITE_P(Bytes, Headroom, ::testing::Values(25'000, 24'999, 24'000));

// Hosts 0..3 send to host 4, all links of 100 Gb/s.
class Incast : public ::testing::Test {
  protected:
    void build(std::uint8_t lossless) {
        node = fabric.add(ports(5), [=](CompiledTables& tables) {
            make_lossless(tables, 5, 1'000'000, lossless);
            tables.egress[4].ecn_priorities = 1u << 3;
            tables.egress[4].ecn[3] = {100'000, 400'000, 3'277, true};
        });
        for (PortId port = 0; port < 5; ++port) {
            hosts[port] = fabric.add_host();
            fabric.connect({hosts[port], 0}, {node, port}, kFast, kCable);
        }
        learn(fabric, node, 5);
        drops_before = fabric.rig(node).all_drops();
        sink.attach(fabric.host(hosts[4]));
    }
    // Host `from` sends at `percent` of a link.
    void send(unsigned from, Priority priority, double percent, std::uint8_t ecn = 0) {
        const auto gap =
            static_cast<std::int64_t>(static_cast<double>(kFrameTime.ps) * 100 / percent);
        fabric.host(hosts[from]).streams[priority] = {
            .frame = stream_to(4, from, priority, ecn), .left = ~std::uint64_t{0}, .gap = {gap}};
    }
    // Shares of the link in percent over 5 ms, after 1 ms to fill the queues.
    void measure() {
        fabric.run(Interval::milliseconds(1));
        const Sink before = sink;
        fabric.run(Interval::milliseconds(5));
        // 5 ms are 61,035 frames of 81.92 ns.
        for (unsigned from = 0; from < 4; ++from) {
            for (Priority p = 0; p < kPriorities; ++p) {
                share[from][p] =
                    static_cast<double>(sink.frames[from][p] - before.frames[from][p]) / 610.35;
                total += share[from][p];
            }
        }
    }
    std::uint64_t drops() { return fabric.rig(node).all_drops() - drops_before; }
    std::uint64_t pauses(PortId port, Priority priority) {
        return fabric.rig(node).shard->counters(port).pauses_sent[priority].read();
    }

    Fabric fabric;
    unsigned node = 0;
    std::array<unsigned, 5> hosts{};
    Sink sink;
    std::uint64_t drops_before = 0;
    std::array<std::array<double, kPriorities>, 4> share{};
    double total = 0;
};

// A14: four hosts, each as fast as it can in priority 3 and, while that is paused, in lossy 0: both
// queues are never empty and have the same weight.
TEST_F(Incast, LosslessLosesNothingAndWeightsHold) {
    build(1u << 3);
    for (unsigned from = 0; from < 4; ++from) {
        send(from, 3, 100);
        send(from, 0, 100);
    }
    measure();
    double lossless = 0;
    for (unsigned from = 0; from < 4; ++from) lossless += share[from][3];
    EXPECT_NEAR(lossless, 50, 2.5);
    EXPECT_NEAR(total, 100, 0.5);
    EXPECT_EQ(fabric.rig(node).drops(0, DropReason::HeadroomFull), 0u);
    EXPECT_EQ(sink.reordered, 0u);
    std::uint64_t lost = 0;
    for (PortId port = 0; port < 5; ++port) {
        lost += fabric.rig(node).drops(port, DropReason::HeadroomFull);
        EXPECT_GT(port == 4 ? 1 : pauses(port, 3), 0u);
    }
    EXPECT_EQ(lost, 0u);
    EXPECT_GT(drops(), 0u) << "lossy frames are dropped";
}

// A15: 90 % of the link in two streams that never meet for long: nobody is paused, nothing marked.
TEST_F(Incast, WithoutCongestionNoPauseAndNoMark) {
    build(1u << 3);
    send(0, 3, 45, 2);
    send(1, 3, 45, 2);
    measure();
    EXPECT_NEAR(total, 90, 0.1);
    EXPECT_EQ(drops(), 0u);
    EXPECT_EQ(sink.marked, 0u);
    for (PortId port = 0; port < 5; ++port) {
        EXPECT_EQ(fabric.rig(node).shard->counters(port).pfc_frames_sent.read(), 0u);
    }
}

// Lossless 3 and 4 at 28 %, lossy 0 and 1 at 25 %: 106 %. The fair share is a quarter each: who
// asks for it gets it, the two that ask for more are paused down to it; nothing is lost.
TEST_F(Incast, LosslessAboveItsShareIsPausedToIt) {
    build(1u << 3 | 1u << 4);
    send(0, 3, 28);
    send(1, 4, 28);
    send(2, 0, 25);
    send(3, 1, 25);
    measure();
    EXPECT_NEAR(share[0][3], 25, 0.5);
    EXPECT_NEAR(share[1][4], 25, 0.5);
    EXPECT_NEAR(share[2][0], 25, 0.5);
    EXPECT_NEAR(share[3][1], 25, 0.5);
    EXPECT_EQ(drops(), 0u);
    EXPECT_EQ(sink.reordered, 0u);
    EXPECT_GT(pauses(0, 3), 0u);
    EXPECT_GT(pauses(1, 4), 0u);
    EXPECT_EQ(pauses(2, 0) + pauses(3, 1), 0u);
}

// Lossless at 24 %, lossy at 28 %: the lossless ones are below the share and lose nothing and are
// not paused; the lossy ones share the other 52 % and lose the rest.
TEST_F(Incast, LossyAboveItsShareLoses) {
    build(1u << 3 | 1u << 4);
    send(0, 3, 24);
    send(1, 4, 24);
    send(2, 0, 28);
    send(3, 1, 28);
    measure();
    EXPECT_NEAR(share[0][3], 24, 0.3);
    EXPECT_NEAR(share[1][4], 24, 0.3);
    EXPECT_NEAR(share[2][0], 26, 0.5);
    EXPECT_NEAR(share[3][1], 26, 0.5);
    EXPECT_NEAR(total, 100, 0.3);
    EXPECT_GT(drops(), 0u);
    EXPECT_EQ(fabric.rig(node).drops(4, DropReason::QueueFull), drops());
    EXPECT_EQ(pauses(0, 3) + pauses(1, 4), 0u);
}

// Six queues: lossy 0, 1, 2, 5 at 20 %, lossless 3 at 20 % and 4 at 10 %. Priority 4 asks for less
// than a sixth and gets its 10 %; the other five share 90 %: 18 % each. Lossless loses nothing.
TEST_F(Incast, SixQueuesShareAsMaxMinFairnessSays) {
    build(1u << 3 | 1u << 4);
    send(0, 3, 20);
    send(1, 4, 10);
    for (const Priority lossy : {Priority{0}, Priority{1}}) {
        send(2, lossy, 20);
        send(3, lossy == 0 ? 2 : 5, 20);
    }
    measure();
    EXPECT_NEAR(share[0][3], 18, 0.5);
    EXPECT_NEAR(share[1][4], 10, 0.3);
    EXPECT_NEAR(share[2][0], 18, 0.5);
    EXPECT_NEAR(share[2][1], 18, 0.5);
    EXPECT_NEAR(share[3][2], 18, 0.5);
    EXPECT_NEAR(share[3][5], 18, 0.5);
    EXPECT_NEAR(total, 100, 0.3);
    EXPECT_GT(pauses(0, 3), 0u);
    EXPECT_EQ(pauses(1, 4), 0u);
    EXPECT_EQ(fabric.rig(node).drops(4, DropReason::QueueFull), drops());
}

}  // namespace
}  // namespace weir

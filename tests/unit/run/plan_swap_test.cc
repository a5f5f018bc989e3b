// SPDX-License-Identifier: BSD-3-Clause
// A plan of 1,000 rules is swapped in every 10 ms under traffic, in real time: the control thread
// reads, validates, compiles and publishes as a reload does, two workers forward. Nothing lossless
// is lost, and flows whose path stays the same are in order on that path.
// WEIR_PLAN_SWAP_SECONDS: how long (2).
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include <gtest/gtest.h>

#include "config/load.h"
#include "dataplane/core/checksum.h"
#include "dataplane/core/protocols.h"
#include "dataplane/core/wire.h"
#include "tests/unit/run/ring_ports.h"

namespace weir {
namespace {

constexpr unsigned kFlows = 64;
constexpr unsigned kRules = 1'000;
constexpr PortId kUplinks = 4;
constexpr std::uint32_t kOnTheWayMax = 200;  // no more than the ring ports hold: no drop there
constexpr std::uint16_t kFrameBytes = 200;
constexpr MacAddress kPortMac{0x0200'0000'aa00};

// Flows with even numbers stay where they are, the others move with every plan.
PortId uplink_of(unsigned flow, unsigned plan) {
    return static_cast<PortId>(1 + (flow + (flow % 2 == 0 ? 0 : plan)) % kUplinks);
}

std::string file_with(unsigned plan) {
    std::string text =
        "switch: {name: rig}\npfc: [3]\nports:\n"
        "  - {name: p0, device: net_null0, mac: '02:00:00:00:aa:00', addresses: [10.1.0.1/24]}\n";
    std::string via;
    std::string neighbors;
    for (PortId port = 1; port <= kUplinks; ++port) {
        const std::string n = std::to_string(port);
        text +=
            "  - {name: p" + n + ", device: net_null" + n + ", addresses: [10.3." + n + ".1/24]}\n";
        via += (port == 1 ? "10.3." : ", 10.3.") + n + ".2";
        neighbors += "  - {address: 10.3." + n + ".2, mac: '0a:00:00:00:03:0" + n + "'}\n";
    }
    text += "routes: [{prefix: 10.2.0.0/16, via: [" + via + "]}]\nneighbors:\n" + neighbors +
            "plan: {move: gap, gap: 100us}\npaths:\n";
    for (unsigned flow = 0; flow < kRules; ++flow) {
        text += "  - {source: 10.1.0.2, destination: 10.2.0.2, dest_qp: " + std::to_string(flow) +
                ", via: [{port: p" + std::to_string(uplink_of(flow, plan)) + "}]}\n";
    }
    return text;
}

// `previous` is the last one, which the publisher holds.
void publish(Rig& rig, unsigned plan, const CompiledTables*& previous) {
    Problems problems;
    const auto loaded = load_text("rig.yaml", file_with(plan), problems);
    ASSERT_NE(loaded, nullptr) << problems.text();
    PortFacts facts;
    facts.shards = 2;
    auto compiled = compile(loaded->settings, facts, previous);
    previous = compiled.get();
    const Tables& tables = compiled->tables;
    rig.publisher().publish(std::move(compiled), tables);
    (void)rig.publisher().reclaim();
}

rte_mbuf* make_frame(Rig& rig, unsigned flow, std::uint32_t number) {
    rte_mbuf* mbuf = rig.frame(1, 2, 0, kFrameBytes);
    if (mbuf == nullptr) return nullptr;
    auto* at = rte_pktmbuf_mtod(mbuf, std::uint8_t*);
    std::memset(at, 0, kFrameBytes);
    write_mac(at, kPortMac);
    write_mac(at + 6, MacAddress{0x0a00'0000'0001});
    write_be16(at + 12, kEtherTypeIpv4);
    std::uint8_t* ip = at + 14;
    ip[0] = 0x45;
    ip[1] = 26 << 2 | 2;
    write_be16(ip + 2, kFrameBytes - 14);
    ip[8] = 64;
    ip[9] = kProtocolUdp;
    write_be32(ip + 12, 0x0a01'0002);
    write_be32(ip + 16, 0x0a02'0002);
    write_be16(ip + 10, checksum_of(checksum_sum(ip, 20)));
    write_be16(ip + 20, 49'152);
    write_be16(ip + 22, kRoceUdpPort);
    write_be16(ip + 24, kFrameBytes - 34);
    ip[28] = 0x0a;
    write_be16(ip + 34, static_cast<std::uint16_t>(flow));  // destination QP
    write_be32(ip + 36, number);                            // in the place of the PSN
    return mbuf;
}

struct Arrivals {
    std::array<std::uint32_t, kFlows> sent{};
    std::array<std::uint32_t, kFlows> arrived{};
    std::uint64_t on_the_way = 0;
    std::uint64_t wrong = 0;      // of flows that stay: out of order, lost, doubled, another port
    std::uint64_t reordered = 0;  // of those that move: not the next number
    std::uint64_t moves = 0;
    unsigned next = 0;  // flow
    std::array<PortId, kFlows> last_port{};
};

bool collect(Rig& rig, Arrivals& arrivals) {
    bool any = false;
    for (PortId port = 1; port <= kUplinks; ++port) {
        while (rte_mbuf* mbuf = rig.port(port).collect()) {
            const auto* at = rte_pktmbuf_mtod(mbuf, const std::uint8_t*);
            const unsigned flow = read_be16(at + 48);
            const bool next = read_be32(at + 50) == arrivals.arrived.at(flow);
            const bool stays = flow % 2 == 0;
            if (stays && (!next || port != uplink_of(flow, 0))) ++arrivals.wrong;
            if (!stays && !next) ++arrivals.reordered;
            if (arrivals.last_port[flow] != port) ++arrivals.moves;
            arrivals.last_port[flow] = port;
            ++arrivals.arrived[flow];
            --arrivals.on_the_way;
            gave_away(mbuf);
            rte_pktmbuf_free(mbuf);
            any = true;
        }
    }
    return any;
}

// As much as the ring ports hold, all flows in turn.
bool feed(Rig& rig, Arrivals& arrivals) {
    bool any = false;
    for (; arrivals.on_the_way < kOnTheWayMax; arrivals.next = (arrivals.next + 1) % kFlows) {
        rte_mbuf* mbuf = make_frame(rig, arrivals.next, arrivals.sent[arrivals.next]);
        if (mbuf == nullptr) return any;
        if (!rig.port(0).deliver(mbuf)) {
            took_over(mbuf);
            rte_pktmbuf_free(mbuf);
            return any;
        }
        ++arrivals.sent[arrivals.next];
        ++arrivals.on_the_way;
        any = true;
    }
    return any;
}

// What is still inside comes out; a frame that was lost would be missed here for ever.
void collect_the_rest(Rig& rig, Arrivals& arrivals) {
    for (unsigned idle = 0; arrivals.on_the_way > 0 && idle < 1'000'000; ++idle) {
        if (collect(rig, arrivals)) idle = 0;
        std::this_thread::yield();
    }
}

double seconds_to_run() {
    const char* said = std::getenv("WEIR_PLAN_SWAP_SECONDS");
    return said == nullptr ? 2.0 : std::strtod(said, nullptr);
}

TEST(PlanSwap, EveryTenMillisecondsUnderTrafficLosesAndReordersNothing) {
    using std::chrono::steady_clock;
    Rig rig({.ports = 1 + kUplinks, .shards = 2});
    const CompiledTables* previous = nullptr;
    publish(rig, 0, previous);
    rig.start();
    std::atomic<bool> ended{false};
    std::atomic<unsigned> plans{1};
    std::thread control([&] {
        auto next = steady_clock::now();
        while (!ended.load()) {
            next += std::chrono::milliseconds(10);
            std::this_thread::sleep_until(next);
            publish(rig, plans.fetch_add(1), previous);
        }
    });
    Arrivals arrivals;
    const auto end = steady_clock::now() + std::chrono::duration<double>(seconds_to_run());
    while (steady_clock::now() < end) {
        const bool collected = collect(rig, arrivals);
        if (!feed(rig, arrivals) && !collected) std::this_thread::yield();
    }
    ended = true;
    control.join();
    collect_the_rest(rig, arrivals);
    rig.stop();
    std::uint64_t frames = 0;
    for (const std::uint32_t sent : arrivals.sent) frames += sent;
    std::printf(
        "    %.1f s: %u plans of %u rules, %llu frames, %llu moves of %u flows, of these "
        "%llu frames seen out of order\n",
        seconds_to_run(), plans.load(), kRules, static_cast<unsigned long long>(frames),
        static_cast<unsigned long long>(arrivals.moves), kFlows / 2,
        static_cast<unsigned long long>(arrivals.reordered));
    EXPECT_EQ(arrivals.wrong, 0u);
    EXPECT_EQ(arrivals.on_the_way, 0u);
    EXPECT_EQ(arrivals.arrived, arrivals.sent);
    EXPECT_GT(plans.load(), 2u);
    for (PortId port = 0; port <= kUplinks; ++port) {
        for (unsigned i = 0; i < kDropReasons; ++i) {
            EXPECT_EQ(rig.drops(port, static_cast<DropReason>(i)), 0u)
                << drop_reason_text(static_cast<DropReason>(i));
        }
    }
    // Every frame was counted for its rule, through all the plans.
    for (unsigned flow = 0; flow < kFlows; ++flow) {
        EXPECT_EQ(rig.shard(0).state().path_counts[flow].frames.read(), arrivals.sent[flow]);
    }
    rig.release();
    EXPECT_EQ(rig.pool().in_use(), 0u);
}

}  // namespace
}  // namespace weir

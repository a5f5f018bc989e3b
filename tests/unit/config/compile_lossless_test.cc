// SPDX-License-Identifier: BSD-3-Clause
// From the keys about buffer, PFC, ECN and scheduler to what the core reads.
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "config/buffer_plan.h"
#include "config/compile.h"
#include "tests/unit/config/sample.h"

namespace weir {
namespace {

// `port`: what is added to the first port's map. 25 Gb/s, frames of 4,200 bytes, 5 m.
std::unique_ptr<const CompiledTables> tables_of(const std::string& added,
                                                const std::string& port = {},
                                                const PortFacts& facts = {}) {
    const auto loaded = load_good(
        "switch: {name: s}\n"
        "ports:\n"
        "  - {name: a, device: net_null0, speed: 25G" +
        port +
        "}\n"
        "  - {name: b, device: net_null1, speed: 25G}\n" +
        added);
    return loaded == nullptr ? nullptr : compile(loaded->settings, facts, nullptr);
}

const BufferProfile& group(const CompiledTables& tables, PortId port, Priority priority) {
    return tables.groups[group_of(port, priority)];
}

TEST(CompileBuffer, WithoutPfcEveryPriorityIsLossy) {
    const auto c = tables_of("");
    EXPECT_EQ(c->tables.shared_pool_bytes, 32u << 20);
    for (const BufferProfile& profile : c->groups) {
        EXPECT_FALSE(profile.lossless);
        EXPECT_EQ(profile.reserve_bytes + profile.headroom_bytes, 0u);
        EXPECT_TRUE(profile.dynamic);
        EXPECT_EQ(profile.alpha_log2, 0);
    }
    EXPECT_EQ(c->ports[0].pfc_priorities, 0);
    EXPECT_EQ(c->egress[0].strict, 0xff);
    EXPECT_EQ(c->egress[0].ecn_priorities, 0);
}

// Headroom: 2 * 4,200 + 157.8 (5 m) + 819.2 + 80 * 64 + 312,500 (100 us at 25 Gb/s) = 326,997.0,
// rounded up: 320 KiB.
TEST(CompileBuffer, PfcAloneIsLosslessWithAutoHeadroom) {
    const auto c = tables_of("pfc: {priorities: [3]}\n");
    EXPECT_EQ(c->ports[0].pfc_priorities, 1u << 3);
    EXPECT_EQ(c->ports[1].pfc_priorities, 1u << 3);
    const BufferProfile& profile = group(*c, 1, 3);
    EXPECT_TRUE(profile.lossless);
    EXPECT_EQ(profile.headroom_bytes, 327'680u);
    EXPECT_EQ(profile.reserve_bytes, 8'400u);
    EXPECT_EQ(profile.xon_offset_bytes, 3'000u);
    EXPECT_TRUE(profile.dynamic);
    EXPECT_EQ(profile.alpha_log2, 0);
    EXPECT_FALSE(group(*c, 0, 2).lossless);
    EXPECT_EQ(group(*c, 0, 2).headroom_bytes, 0u);
    EXPECT_EQ(c->tables.shared_pool_bytes, 16u << 20);
    EXPECT_EQ(c->reaction, Interval::microseconds(100));
}

TEST(CompileBuffer, PfcIsAListOrAMapAndAPortHasItsOwn) {
    EXPECT_EQ(tables_of("pfc: [3, 4]\n")->ports[1].pfc_priorities, 0x18);
    EXPECT_EQ(tables_of("pfc: {priorities: [0, 7]}\n")->ports[1].pfc_priorities, 0x81);
    const auto own = tables_of("pfc: [3, 4]\n", ", pfc: [5]");
    EXPECT_EQ(own->ports[0].pfc_priorities, 0x20);
    EXPECT_EQ(own->ports[1].pfc_priorities, 0x18);
    EXPECT_EQ(tables_of("pfc: [3, 4]\n", ", pfc: []")->ports[0].pfc_priorities, 0);
    EXPECT_EQ(tables_of("", ", pfc: {priorities: [3]}")->ports[0].pfc_priorities, 0x08);
}

TEST(CompileBuffer, TakesWhatIsWritten) {
    const auto c = tables_of(
        "pfc: [3]\n"
        "buffer:\n"
        "  shared: 4MiB\n"
        "  lossless: {reserve: 10KB, alpha: -3, headroom: 64KB, xon_offset: 5KB}\n"
        "  lossy: {reserve: 2KB, limit: 100KB}\n");
    EXPECT_EQ(c->tables.shared_pool_bytes, 4u << 20);
    const BufferProfile& lossless = group(*c, 0, 3);
    EXPECT_EQ(lossless.reserve_bytes, 10'000u);
    EXPECT_TRUE(lossless.dynamic);
    EXPECT_EQ(lossless.alpha_log2, -3);
    EXPECT_EQ(lossless.headroom_bytes, 64'000u);
    EXPECT_EQ(lossless.xon_offset_bytes, 5'000u);
    const BufferProfile& lossy = group(*c, 0, 0);
    EXPECT_EQ(lossy.reserve_bytes, 2'000u);
    EXPECT_FALSE(lossy.dynamic);
    EXPECT_EQ(lossy.shared_limit_bytes, 100'000u);
    EXPECT_EQ(lossy.headroom_bytes, 0u);
    EXPECT_EQ(lossy.xon_offset_bytes, 0u);
}

// Each value from the narrowest place: the port's priority, the port's kind, the switch's priority,
// the switch's kind. A threshold of either form hides a wider one of the other.
TEST(CompileBuffer, TheNarrowestPlaceCounts) {
    const std::string common =
        "pfc: [3, 4]\n"
        "buffer:\n"
        "  lossless: {reserve: 1KB, alpha: 1, headroom: 11KB, xon_offset: 1KB}\n"
        "  priorities: {4: {reserve: 2KB, limit: 20KB}, 0: {reserve: 7KB}}\n";
    const auto c = tables_of(
        common,
        ", buffer: {lossless: {reserve: 3KB, headroom: auto}, priorities: {4: {xon_offset: 4KB}}}");
    EXPECT_EQ(group(*c, 1, 3).reserve_bytes, 1'000u);
    EXPECT_EQ(group(*c, 1, 4).reserve_bytes, 2'000u);
    EXPECT_FALSE(group(*c, 1, 4).dynamic);
    EXPECT_EQ(group(*c, 1, 4).shared_limit_bytes, 20'000u);
    EXPECT_EQ(group(*c, 1, 4).headroom_bytes, 11'000u);
    EXPECT_EQ(group(*c, 1, 0).reserve_bytes, 7'000u);
    EXPECT_EQ(group(*c, 1, 1).reserve_bytes, 0u);
    EXPECT_EQ(group(*c, 0, 4).reserve_bytes, 3'000u);
    EXPECT_EQ(group(*c, 0, 4).headroom_bytes, 327'680u);
    EXPECT_EQ(group(*c, 0, 4).xon_offset_bytes, 4'000u);
    EXPECT_EQ(group(*c, 0, 4).shared_limit_bytes, 20'000u);
    EXPECT_EQ(group(*c, 0, 3).xon_offset_bytes, 1'000u);
    EXPECT_EQ(group(*c, 0, 3).alpha_log2, 1);
    EXPECT_TRUE(group(*c, 0, 3).dynamic);
    const auto alpha = tables_of(common, ", buffer: {lossless: {alpha: -1}}");
    EXPECT_TRUE(group(*alpha, 0, 4).dynamic);
    EXPECT_EQ(group(*alpha, 0, 4).alpha_log2, -1);
}

// 2 * 1,500 + 819.2 + 31,566 (1 km: 1e6 mm * 25e9 / 792e9 = 31,565.7) + 2,000 + 31,250 (10 us)
// = 68,634.9 -> 68 KiB (69,632).
TEST(CompileBuffer, HeadroomFollowsThePort) {
    const auto c = tables_of("pfc: [3]\nbuffer: {reaction: 10us}\n",
                             ", cable: 1km, peer_response: 2KB, frame_bytes_max: 1500");
    EXPECT_EQ(group(*c, 0, 3).headroom_bytes, 68u * 1'024);
    EXPECT_EQ(group(*c, 0, 3).reserve_bytes, 3'000u);
    EXPECT_EQ(c->reaction, Interval::microseconds(10));
}

// Measured: 20 us are 62,500 bytes. 8,400 + 157.8 + 819.2 + 5,120 + 62,500 = 76,997.0 -> 76 KiB.
TEST(CompileBuffer, ReactionIsGivenMeasuredOrTheDefault) {
    PortFacts facts;
    facts.reaction = Interval::microseconds(20);
    EXPECT_EQ(group(*tables_of("pfc: [3]\n", "", facts), 0, 3).headroom_bytes, 76u * 1'024);
    const auto given = tables_of("pfc: [3]\nbuffer: {reaction: 100us}\n", "", facts);
    EXPECT_EQ(group(*given, 0, 3).headroom_bytes, 320u * 1'024);
}

// Reserve 8,400 and headroom 327,680 on two ports are 672,160 bytes. 4,096 frames of 1,024 bytes
// are 4,194,304: 3,522,144 are left for the pool. 20,000 frames would leave more than 16 MiB. With
// 1,024 frames less than 1 MiB would be left, and that is refused before.
TEST(CompileBuffer, ThePoolIsWhatTheGroupsLeaveOfTheFrames) {
    PortFacts facts;
    facts.queued_frames = 4'096;
    EXPECT_EQ(tables_of("pfc: [3]\n", "", facts)->tables.shared_pool_bytes, 3'522'144u);
    facts.queued_frames = 20'000;
    EXPECT_EQ(tables_of("pfc: [3]\n", "", facts)->tables.shared_pool_bytes, 16u << 20);
    EXPECT_EQ(tables_of("", "", facts)->tables.shared_pool_bytes, 32u << 20);
}

TEST(CompileBuffer, FramesCoverPoolReservesAndHeadrooms) {
    const auto plan = [](const std::string& added) {
        const auto loaded =
            load_good("switch: {name: s}\nports: [{name: a, device: net_null0}]\n" + added);
        return plan_buffer(loaded->settings, {});
    };
    EXPECT_EQ(plan("").frames(), 0u) << "nobody relies on it";
    // 10,240 + 0 + 1,024 = 11 frames; a byte more is one more.
    const std::string groups = "lossless: {reserve: 0B, headroom: 1KiB}";
    EXPECT_EQ(plan("pfc: [3]\nbuffer: {shared: 10KiB, " + groups + "}\n").frames(), 11u);
    EXPECT_EQ(plan("pfc: [3]\nbuffer: {shared: 10241B, " + groups + "}\n").frames(), 12u);
    EXPECT_EQ(plan("buffer: {shared: 10KiB}\n").frames(), 10u);
    // 16 MiB, 8,400 and a headroom at 10 Gb/s: 8,400 + 63.1 + 819.2 + 67 * 64 + 125,000 =
    // 138,570.3 -> 136 KiB (139,264). 16,777,216 + 147,664 = 16,924,880 -> 16,528.2 frames.
    EXPECT_EQ(plan("pfc: [3]\n").frames(), 16'529u);
}

// 5 % of 65,536 is 3,276.8.
TEST(CompileEcn, IsPerPriorityAndPort) {
    const auto c = tables_of("ecn: {3: {kmin: 100KB, kmax: 400KB, pmax: 5%}}\n",
                             ", ecn: {3: {kmin: 1KB, kmax: 1KB, pmax: 100%}, "
                             "0: {kmin: 0B, kmax: 2KB, pmax: 0.01%}}");
    EXPECT_EQ(c->egress[1].ecn_priorities, 0x08);
    EXPECT_EQ(c->egress[1].ecn[3].kmin_bytes, 100'000u);
    EXPECT_EQ(c->egress[1].ecn[3].kmax_bytes, 400'000u);
    EXPECT_EQ(c->egress[1].ecn[3].pmax_per_64k, 3'277u);
    EXPECT_TRUE(c->egress[1].ecn[3].enabled);
    EXPECT_EQ(c->egress[0].ecn_priorities, 0x09);
    EXPECT_EQ(c->egress[0].ecn[3].kmin_bytes, 1'000u);
    EXPECT_EQ(c->egress[0].ecn[3].pmax_per_64k, 65'536u);
    EXPECT_EQ(c->egress[0].ecn[0].pmax_per_64k, 7u) << "6.55 of 65,536";
}

TEST(CompileScheduler, StrictAheadOfWeights) {
    const auto c = tables_of("scheduler: {strict: [7, 6], weights: {0: 1, 3: 4}}\n");
    const EgressTable& table = c->egress[0];
    EXPECT_EQ(table.strict, 0xc0);
    EXPECT_EQ(table.quantum_bytes[0], 4'200u);
    EXPECT_EQ(table.quantum_bytes[1], 4'200u) << "1 by default";
    EXPECT_EQ(table.quantum_bytes[3], 16'800u);
    EXPECT_EQ(tables_of("scheduler: {weights: {3: 4}}\n")->egress[0].strict, 0xc0);
    EXPECT_EQ(tables_of("scheduler: {strict: []}\n")->egress[0].strict, 0);
    EXPECT_EQ(tables_of("scheduler: {strict: [7, 6, 5, 4, 3, 2, 1, 0]}\n")->egress[0].strict, 0xff);
}

// 20 : 30 : 50. The least, 20, has to carry 4,200 bytes: 210 for each unit.
TEST(CompileScheduler, TheLeastWeightSendsAWholeFrameInEachRound) {
    const auto c =
        tables_of("scheduler: {strict: [7, 6, 5, 4, 3], weights: {0: 20, 1: 30, 2: 50}}\n",
                  ", scheduler: {strict: [1]}");
    EXPECT_EQ(c->egress[1].quantum_bytes[0], 4'200u);
    EXPECT_EQ(c->egress[1].quantum_bytes[1], 6'300u);
    EXPECT_EQ(c->egress[1].quantum_bytes[2], 10'500u);
    EXPECT_EQ(c->egress[0].strict, 0x02);
    EXPECT_EQ(c->egress[0].quantum_bytes[0], 4'200u);
    for (const std::uint32_t quantum : c->egress[1].quantum_bytes) EXPECT_GT(quantum, 0u);
}

TEST(CompileGuards, WatchdogIsOffUntilItIsWritten) {
    EXPECT_FALSE(tables_of("")->tables.watchdog.enabled);
    const auto defaults = tables_of("watchdog:\n");
    EXPECT_TRUE(defaults->tables.watchdog.enabled);
    EXPECT_EQ(defaults->tables.watchdog.detection, Interval::milliseconds(200));
    EXPECT_EQ(defaults->tables.watchdog.restoration, Interval::milliseconds(200));
    EXPECT_EQ(defaults->tables.watchdog.poll, Interval::milliseconds(100));
    EXPECT_EQ(defaults->tables.watchdog.action, WatchdogAction::Drop);
    const auto c =
        tables_of("watchdog: {detection: 400ms, restoration: 2s, poll: 50ms, action: forward}\n");
    EXPECT_EQ(c->tables.watchdog.detection, Interval::milliseconds(400));
    EXPECT_EQ(c->tables.watchdog.restoration, Interval::seconds(2));
    EXPECT_EQ(c->tables.watchdog.poll, Interval::milliseconds(50));
    EXPECT_EQ(c->tables.watchdog.action, WatchdogAction::Forward);
}

TEST(CompileGuards, HooksMoveTwice) {
    const auto c = tables_of(
        "pfc: [3, 4]\n"
        "hooks:\n"
        "  uplinks: [a]\n"
        "  moves: {3: {first: {priority: 4, dscp: 34}, second: {priority: 0, dscp: 2}}}\n",
        ", addresses: [10.0.0.1/24]");
    const HookTable& hooks = c->tables.hooks;
    EXPECT_TRUE(hooks.uplinks.has(0));
    EXPECT_EQ(hooks.uplinks.size(), 1u);
    EXPECT_TRUE(hooks.first[3].moves);
    EXPECT_EQ(hooks.first[3].priority, 4);
    EXPECT_EQ(hooks.first[3].dscp, 34);
    EXPECT_FALSE(hooks.first[4].moves);
    EXPECT_TRUE(hooks.second[34].moves);
    EXPECT_EQ(hooks.second[34].priority, 0);
    EXPECT_EQ(hooks.second[34].dscp, 2);
    EXPECT_TRUE(tables_of("")->tables.hooks.uplinks.empty());
}

TEST(CompileGuards, RxGuardCountsFramesOfTheShortestRing) {
    EXPECT_EQ(tables_of("")->tables.rx_guard_frames, 0u);
    EXPECT_EQ(tables_of("rx_guard: 50%\n")->tables.rx_guard_frames, 128u);
    PortFacts facts;
    facts.ports.resize(2);
    facts.ports[0].rx_ring_frames = 1'024;
    facts.ports[1].rx_ring_frames = 512;
    EXPECT_EQ(tables_of("rx_guard: 25%\n", "", facts)->tables.rx_guard_frames, 128u);
    facts.ports[1].rx_ring_frames = 64;
    EXPECT_EQ(tables_of("rx_guard: 1%\n", "", facts)->tables.rx_guard_frames, 1u) << "0 is off";
}

}  // namespace
}  // namespace weir

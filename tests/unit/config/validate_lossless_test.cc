// SPDX-License-Identifier: BSD-3-Clause
// Buffer, PFC, ECN and scheduler that make no sense: each with its exact line.
#include <string>

#include <gtest/gtest.h>

#include "config/validate.h"
#include "tests/unit/config/sample.h"

namespace weir {
namespace {

// The problem at line 6, without where it is: "13: ecn.3.kmin: ...".
std::string problem(const std::string& line) {
    const std::string text = problems_with_three_ports(line + "\n");
    const std::string start = "f.yaml:6:";
    EXPECT_TRUE(text.empty() || text.starts_with(start)) << text;
    return text.empty() ? text : text.substr(start.size());
}

std::string problem_of_port(const std::string& keys) {
    const std::string text = problems_of(
        "switch: {name: s}\n"
        "ports:\n"
        "  - {name: p0, device: net_null0, " +
        keys + "}\n");
    const std::string start = "f.yaml:3:";
    EXPECT_TRUE(text.empty() || text.starts_with(start)) << text;
    return text.empty() ? text : text.substr(start.size());
}

TEST(ValidatePfc, PrioritiesAreZeroToSevenAndListedOnce) {
    EXPECT_EQ(problem("pfc: [0, 7]"), "");
    EXPECT_EQ(problem("pfc: [8]"), "7: pfc[0]: '8' is out of range; write 0 to 7\n");
    EXPECT_EQ(problem("pfc: {priorities: [3, 4, 3]}"),
              "26: pfc.priorities[2]: priority 3 is listed twice\n");
    EXPECT_EQ(problem("pfc: {}"),
              "6: pfc: the key 'priorities' is missing; write priorities: [3]\n");
    EXPECT_EQ(problem("pfc: 3"),
              "6: pfc: is a single value; write a map: {key: value}, or lines of key: value\n");
    EXPECT_EQ(problem("pcf: [3]"), "1: unknown key 'pcf'; did you mean 'pfc'?\n");
    EXPECT_EQ(problem("pfc: {priority: [3]}"),
              "7: pfc: unknown key 'priority'; did you mean 'priorities'?\n");
}

TEST(ValidateBuffer, AlphaIsAPowerOfTwo) {
    EXPECT_EQ(problem("buffer: {lossy: {alpha: -8}}"), "");
    EXPECT_EQ(problem("buffer: {lossy: {alpha: 7}}"), "");
    const std::string write = "is no alpha; write the n of 2^n, -8 (1/256) to 7 (128)\n";
    EXPECT_EQ(problem("buffer: {lossy: {alpha: 8}}"), "25: buffer.lossy.alpha: '8' " + write);
    EXPECT_EQ(problem("buffer: {lossy: {alpha: -9}}"), "25: buffer.lossy.alpha: '-9' " + write);
    EXPECT_EQ(problem("buffer: {lossy: {alpha: 1/8}}"), "25: buffer.lossy.alpha: '1/8' " + write);
    EXPECT_EQ(problem("buffer: {lossy: {alpha: 0.5}}"), "25: buffer.lossy.alpha: '0.5' " + write);
}

TEST(ValidateBuffer, AThresholdHasOneKind) {
    EXPECT_EQ(problem("buffer: {lossy: {alpha: 1, limit: 10KB}}"),
              "35: buffer.lossy.limit: alpha moves the threshold with the free pool, limit fixes "
              "it; keep one\n");
    EXPECT_EQ(problem("buffer: {shared: 1MB, lossy: {limit: 1MB}}"), "");
    EXPECT_EQ(problem("buffer: {shared: 1MB, lossy: {limit: 1000001B}}"),
              "38: buffer.lossy.limit: 1000001B is more than the whole pool; write at most 1MB\n");
}

TEST(ValidateBuffer, HeadroomIsBytesOrAuto) {
    EXPECT_EQ(problem("pfc: [3]\nbuffer: {lossless: {headroom: auto}}"), "");
    EXPECT_EQ(problem("pfc: []\nbuffer: {lossless: {headroom: 64KB}}"), "");
    EXPECT_EQ(
        problem("buffer: {lossless: {headroom: automatic}}"),
        "31: buffer.lossless.headroom: 'automatic' is no size; write one like 400KB or 16MiB, "
        "or auto\n");
}

TEST(ValidateBuffer, LossyPrioritiesAreNeverPaused) {
    const std::string why = "a lossy priority is never paused; write it under lossless\n";
    EXPECT_EQ(problem("buffer: {lossy: {headroom: 1KB}}"), "28: buffer.lossy.headroom: " + why);
    EXPECT_EQ(problem("buffer: {lossy: {xon_offset: 1KB}}"), "30: buffer.lossy.xon_offset: " + why);
    EXPECT_EQ(problem("buffer: {priorities: {3: {headroom: 1KB}}}"),
              "37: buffer.priorities.3.headroom: priority 3 is lossy and never paused; add it to "
              "pfc, or leave this out\n");
    EXPECT_EQ(problem_of_port("pfc: [3], buffer: {priorities: {3: {headroom: 1KB}}}"), "");
    EXPECT_EQ(problem_of_port("pfc: [4], buffer: {priorities: {3: {headroom: 1KB}}}"),
              "81: ports[0].buffer.priorities.3.headroom: priority 3 is lossy and never paused; "
              "add it to pfc, or leave this out\n");
}

TEST(ValidateBuffer, LosslessNeedsPfc) {
    EXPECT_EQ(problem("buffer: {lossless: {alpha: 1}}"),
              "20: buffer.lossless: no priority is lossless; write pfc: {priorities: [3]} as "
              "well\n");
    EXPECT_EQ(problem("pfc: []\nbuffer: {lossless: {alpha: 1}}"), "");
    EXPECT_EQ(problem_of_port("buffer: {lossless: {alpha: 1}}"),
              "54: ports[0].buffer.lossless: no priority is lossless; write pfc: {priorities: "
              "[3]} as well\n");
}

TEST(ValidateBuffer, ThePoolHoldsAFrame) {
    EXPECT_EQ(problem("buffer: {shared: 4200B}"), "");
    EXPECT_EQ(problem("buffer: {shared: 4199B}"),
              "18: buffer.shared: 4199B is less than the longest frame; write at least 4200B\n");
}

// 2^22 frames of 1,024 bytes.
TEST(ValidateBuffer, ValuesStayBelowWhatMemoryEverHolds) {
    EXPECT_EQ(problem("buffer: {shared: 4GiB}"), "");
    EXPECT_EQ(problem("buffer: {shared: 4294967297B}"),
              "18: buffer.shared: 4294967297B is out of range; write at most 4GiB\n");
    EXPECT_EQ(problem("buffer: {lossy: {reserve: 5GiB}}"),
              "27: buffer.lossy.reserve: 5GiB is out of range; write at most 4GiB\n");
    EXPECT_EQ(problem("buffer: {reaction: 100ms}"), "");
    EXPECT_EQ(problem("buffer: {reaction: 101ms}"),
              "20: buffer.reaction: 101ms is out of range; write at most 100ms\n");
    EXPECT_EQ(problem_of_port("cable: 100km"), "");
    EXPECT_EQ(problem_of_port("cable: 100.001km"),
              "42: ports[0].cable: 100001m is out of range; write 0m to 100km\n");
    EXPECT_EQ(problem_of_port("cable: 5"), "42: ports[0].cable: '5' has no unit; write 5m\n");
    EXPECT_EQ(problem_of_port("peer_response: 5GiB"),
              "50: ports[0].peer_response: 5GiB is out of range; write at most 4GiB\n");
}

TEST(ValidateEcn, KminIsAtMostKmax) {
    EXPECT_EQ(problem("ecn: {3: {kmin: 400KB, kmax: 400KB, pmax: 5%}}"), "");
    EXPECT_EQ(problem("ecn: {3: {kmin: 400001B, kmax: 400KB, pmax: 5%}}"),
              "17: ecn.3.kmin: 400001B is more than kmax, 400KB; swap the two\n");
    EXPECT_EQ(problem_of_port("ecn: {3: {kmin: 2B, kmax: 1B, pmax: 5%}}"),
              "51: ports[0].ecn.3.kmin: 2B is more than kmax, 1B; swap the two\n");
}

TEST(ValidateEcn, AllThreeAreWritten) {
    EXPECT_EQ(problem("ecn: {3: {kmin: 1KB, pmax: 5%}}"),
              "10: ecn.3: the key 'kmax' is missing; write kmax: 400KB\n");
    EXPECT_EQ(problem("ecn: {3: {kmin: 1KB, kmax: 2KB, pmax: 100%}}"), "");
    EXPECT_EQ(problem("ecn: {3: {kmin: 1KB, kmax: 2KB, pmax: 100.1%}}"),
              "39: ecn.3.pmax: '100.1%' has too many digits or is too large\n");
    EXPECT_EQ(problem("ecn: {3: {kmin: 1KB, kmax: 2KB, pmax: 0.05}}"),
              "39: ecn.3.pmax: '0.05' has no unit; write 0.05%\n");
    EXPECT_EQ(problem("ecn: {8: {kmin: 1KB, kmax: 2KB, pmax: 5%}}"),
              "7: ecn: '8' is out of range; write 0 to 7\n");
    EXPECT_EQ(problem("ecn: {3: {kmin: 1KB, kmax: 2KB, pmax: 5%}, 3: {}}"),
              "44: ecn: the key '3' is already in line 6; keep one of the two\n");
}

TEST(ValidateScheduler, StrictPrioritiesHaveNoWeight) {
    EXPECT_EQ(problem("scheduler: {strict: [7], weights: {6: 1, 0: 100}}"), "");
    EXPECT_EQ(problem("scheduler: {weights: {6: 1}}"),
              "26: scheduler.weights.6: priority 6 is strict and has no weight; leave it out, or "
              "write strict: [7]\n");
    EXPECT_EQ(problem("scheduler: {strict: [3], weights: {3: 1}}"),
              "39: scheduler.weights.3: priority 3 is strict and has no weight; leave it out, or "
              "write strict: []\n");
    EXPECT_EQ(problem("scheduler: {strict: [3, 3]}"),
              "25: scheduler.strict[1]: priority 3 is listed twice\n");
    EXPECT_EQ(problem("scheduler: {weights: {0: 0}}"),
              "26: scheduler.weights.0: '0' is out of range; write 1 to 100\n");
    EXPECT_EQ(problem("scheduler: {weights: {0: 101}}"),
              "26: scheduler.weights.0: '101' is out of range; write 1 to 100\n");
}

// 8 MiB pool; 3 ports with 8,400 + 139,264 (10 Gb/s) = 442,992 bytes: 8,831,600 in all, 8,624.6
// frames of 1,024.
TEST(ValidateMemory, TheBufferFitsIntoTheFrames) {
    const std::string buffer = "pfc: [3]\nbuffer: {shared: 8MiB}\nframes: ";
    EXPECT_EQ(problems_with_three_ports(buffer + "8625\n"), "");
    // Rings and caches at most: 3 * 1,280 + 2 * 416 = 4,672.
    EXPECT_EQ(problems_with_three_ports(buffer + "8624\n"),
              "f.yaml:8:9: frames: the buffer (shared 8MiB, reserves 25200B, headrooms 408KiB) "
              "needs 8625 frames of 1024 bytes, the queues have 8624; write frames: 13297, or a "
              "smaller buffer\n");
    EXPECT_EQ(problems_with_three_ports("frames: 1024\n"), "") << "nothing is promised";
}

// The default pool takes what is left, but not less than 1 MiB: 1,048,576 + 442,992 are 1,456.6
// frames.
TEST(ValidateMemory, TheDefaultPoolGivesWay) {
    EXPECT_EQ(problems_with_three_ports("pfc: [3]\nframes: 1457\n"), "");
    EXPECT_NE(problems_with_three_ports("pfc: [3]\nframes: 1456\n"), "");
}

TEST(ValidateMemory, KnowsTheFramesThatThereReallyAre) {
    const auto loaded = load_with_three_ports("pfc: [3]\nbuffer: {shared: 8MiB}\n");
    PortFacts facts;
    facts.device_frames = 1'000;
    facts.queued_frames = 8'625;
    Problems none;
    validate_facts(*loaded, facts, none);
    EXPECT_EQ(none.text(), "");
    facts.queued_frames = 8'624;
    Problems problems;
    validate_facts(*loaded, facts, problems);
    EXPECT_EQ(problems.text(),
              "f.yaml:7:18: buffer.shared: the buffer (shared 8MiB, reserves 25200B, headrooms "
              "408KiB) needs 8625 frames of 1024 bytes, the queues have 8624; write frames: 9625, "
              "or a smaller buffer\n");
}

}  // namespace
}  // namespace weir

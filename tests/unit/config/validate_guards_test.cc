// SPDX-License-Identifier: BSD-3-Clause
// Watchdog, hooks and rx_guard: each problem with its exact line.
#include <string>

#include <gtest/gtest.h>

#include "tests/unit/config/sample.h"

namespace weir {
namespace {

// The problems of what is added, without file and line.
std::string problem(const std::string& added) {
    const std::string text = problems_with_three_ports(added + "\n");
    const std::size_t at = text.find(' ');
    return text.empty() ? text : text.substr(at + 1);
}

TEST(ValidateWatchdog, TimesAreThoseOfPfcwd) {
    EXPECT_EQ(problem("watchdog: {detection: 100ms, restoration: 100ms, poll: 1ms}"), "");
    EXPECT_EQ(problem("watchdog: {detection: 5s, restoration: 60s, poll: 5s}"), "");
    EXPECT_EQ(problem("watchdog: {detection: 99ms, poll: 10ms}"),
              "watchdog.detection: 99ms is out of range; write 100ms to 5s\n");
    EXPECT_EQ(problem("watchdog: {detection: 5001ms}"),
              "watchdog.detection: 5001ms is out of range; write 100ms to 5s\n");
    EXPECT_EQ(problem("watchdog: {restoration: 99ms}"),
              "watchdog.restoration: 99ms is out of range; write 100ms to 60s\n");
    EXPECT_EQ(problem("watchdog: {restoration: 60001ms}"),
              "watchdog.restoration: 60001ms is out of range; write 100ms to 60s\n");
    EXPECT_EQ(problem("watchdog: {poll: 201ms}"),
              "watchdog.poll: 201ms is out of range; write 1ms to 200ms\n");
    EXPECT_EQ(problem("watchdog: {action: ignore}"),
              "watchdog.action: 'ignore' is no action; write drop, forward or alert\n");
    EXPECT_EQ(problem("watchdog: {detect: 1s}"),
              "watchdog: unknown key 'detect'; did you mean 'detection'?\n");
}

TEST(ValidateRxGuard, IsAShareOfTheRing) {
    EXPECT_EQ(problem("rx_guard: 1%"), "");
    EXPECT_EQ(problem("rx_guard: 99%"), "");
    EXPECT_EQ(problem("rx_guard: 0.9999%"),
              "rx_guard: 0.9999% is out of range; write 1% to 99%, or leave it out\n");
    EXPECT_EQ(problem("rx_guard: 100%"),
              "rx_guard: 100% is out of range; write 1% to 99%, or leave it out\n");
    EXPECT_EQ(problem("rx_guard: 50"), "rx_guard: '50' has no unit; write 50%\n");
}

std::string hooks(const std::string& uplinks, const std::string& moves) {
    return problem("pfc: [3, 4]\nhooks: {uplinks: [" + uplinks + "], moves: {" + moves + "}}");
}

// DSCP 34 is priority 4 (34 / 8), 26 is 3, 8 is 1.
TEST(ValidateHooks, FirstToLosslessThenToLossy) {
    const auto moves = [](const std::string& first, const std::string& second) {
        return hooks("p0, p1", "3: {first: {" + first + "}, second: {" + second + "}}");
    };
    EXPECT_EQ(moves("priority: 4, dscp: 34", "priority: 1, dscp: 8"), "");
    const std::string first =
        "hooks.moves.3.first.priority: the first move is to another priority that is lossless on "
        "every uplink; add one to pfc\n";
    EXPECT_EQ(moves("priority: 3, dscp: 26", "priority: 1, dscp: 8"), first);
    EXPECT_EQ(moves("priority: 2, dscp: 16", "priority: 1, dscp: 8"), first);
    EXPECT_EQ(moves("priority: 4, dscp: 34", "priority: 3, dscp: 24"),
              "hooks.moves.3.second.priority: priority 3 is lossless; the second move is to a "
              "lossy one\n");
    EXPECT_EQ(moves("priority: 4, dscp: 26", "priority: 1, dscp: 8"),
              "hooks.moves.3.first.dscp: DSCP 26 is priority 3; write maps: {dscp_to_priority: "
              "{26: 4}}, or another DSCP\n");
    EXPECT_EQ(moves("priority: 4, dscp: 34", "priority: 1, dscp: 0"),
              "hooks.moves.3.second.dscp: DSCP 0 is priority 0; write maps: {dscp_to_priority: "
              "{0: 1}}, or another DSCP\n");
}

TEST(ValidateHooks, LossyPrioritiesNeedNone) {
    EXPECT_EQ(hooks("p0", "0: {first: {priority: 4, dscp: 34}, second: {priority: 1, dscp: 8}}"),
              "hooks.moves.0: priority 0 is lossy on the uplinks and cannot deadlock; leave it "
              "out\n");
}

TEST(ValidateHooks, FirstMovesCanBeToldApart) {
    EXPECT_EQ(problem("pfc: [2, 3, 4]\n"
                      "hooks: {uplinks: [p0], moves: {"
                      "2: {first: {priority: 4, dscp: 34}, second: {priority: 1, dscp: 8}},\n"
                      "3: {first: {priority: 4, dscp: 34}, second: {priority: 0, dscp: 0}}}}"),
              "hooks.moves.3.first.dscp: DSCP 34 is that of another first move; each has its "
              "own\n");
}

TEST(ValidateHooks, UplinksAreRoutedPorts) {
    const std::string moves = "3: {first: {priority: 4, dscp: 34}, second: {priority: 1, dscp: 8}}";
    EXPECT_EQ(hooks("p0, p7", moves),
              "hooks.uplinks[1]: there is no port 'p7'; did you mean 'p0'?\n");
    EXPECT_EQ(hooks("p0, p0", moves), "hooks.uplinks[1]: port p0 is listed twice\n");
    EXPECT_EQ(hooks("p2", moves),
              "hooks.uplinks[0]: port p2 is bridged; only routed frames are hooks: give it "
              "addresses\n");
    EXPECT_EQ(hooks("nowhere", moves),
              "hooks.uplinks[0]: there is no port 'nowhere'; write one of those under ports\n");
    EXPECT_EQ(hooks("", moves),
              "hooks.uplinks: there are none; write uplinks: [up1, up2], or no hooks\n");
    EXPECT_EQ(hooks("p0", ""),
              "hooks.moves: there are none; write moves: {3: {first: {priority: 4, dscp: 34}, "
              "second: {priority: 0, dscp: 0}}}, or no hooks\n");
    EXPECT_EQ(problem("hooks: {uplinks: [p0]}"),
              "hooks: the key 'moves' is missing; write moves: {3: {first: {priority: 4, dscp: "
              "34}, second: {priority: 0, dscp: 0}}}\n");
}

}  // namespace
}  // namespace weir

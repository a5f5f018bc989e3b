// SPDX-License-Identifier: BSD-3-Clause
// What the commands about path tables print, to the letter.
#include <gtest/gtest.h>

#include "tools/weir/console/command_table.h"

namespace weir {
namespace {

PathView path(std::uint32_t number, std::uint8_t place, PathMatch match, std::uint32_t detail) {
    PathView view;
    view.number = number;
    view.rule.match = match;
    view.rule.detail = detail;
    view.rule.source = *parse_ip("10.0.0.1");
    view.rule.destination = *parse_ip("10.2.0.0");
    if (match == PathMatch::Ingress) view.rule.prefix_length = 96 + 24;
    view.ways = {{.port = 1, .gateway = *parse_ip("10.3.1.2"), .usable = place == 0},
                 {.port = 2, .gateway = *parse_ip("10.3.2.2"), .usable = place == 1}};
    view.place = place;
    view.totals = {.born = 1, .frames = 10 * number, .bytes = 1'000 * number};
    return view;
}

Snapshot four_rules() {
    Snapshot snapshot;
    for (PortId id = 0; id < 3; ++id) {
        PortView port;
        port.id = id;
        port.name = id == 0 ? "down" : "up" + std::to_string(id);
        snapshot.ports.push_back(port);
    }
    snapshot.paths = {path(0, 0, PathMatch::Flow, 0), path(1, 1, PathMatch::DestQp, 77),
                      path(2, kNoPlace, PathMatch::SourcePort, 50'000),
                      path(3, kNoPlace, PathMatch::Ingress, 0)};
    snapshot.paths[3].reachable = false;
    snapshot.plan.generated_by = "weir-plan";
    return snapshot;
}

std::string answer(const Snapshot& snapshot, const std::string& line) {
    const auto match = weir_commands().match(line, snapshot.names());
    if (match.command == nullptr) return "not understood: " + match.problem;
    return match.command->run(match.arguments, snapshot).text;
}

TEST(ShowPaths, TheSummaryListsWhatIsNotOnItsPrimaryWay) {
    EXPECT_EQ(answer(four_rules(), "show paths"),
              "rules: 4; on primary: 1, backup: 1, hash: 1, no way: 1; frames: 60, bytes: 6000\n"
              "plan: moves at gaps of 100us, by weir-plan; other flows: hash\n"
              "  rule  for                                   state     by                     "
              "frames  bytes\n"
              "     1  10.0.0.1 -> 10.2.0.0, queue pair 77   backup 1  10.3.2.2 port 2 (up2)  "
              "    10   1000\n"
              "     2  10.0.0.1 -> 10.2.0.0, UDP from 50000  hash      -                      "
              "    20   2000\n"
              "     3  from port 0 (down) to 10.2.0.0/24     no way    -                      "
              "    30   3000\n");
    EXPECT_EQ(answer({}, "show paths"), "no rule; all flows by hash\n");
}

TEST(ShowPaths, AllAndOne) {
    EXPECT_NE(
        answer(four_rules(), "show paths all")
            .find("     0  10.0.0.1 -> 10.2.0.0                  primary   10.3.1.2 port 1 (up1) "),
        std::string::npos)
        << answer(four_rules(), "show paths all");
    EXPECT_EQ(answer(four_rules(), "show paths rule 1"),
              "rule 1: 10.0.0.1 -> 10.2.0.0, queue pair 77\n"
              "  state  backup 1\n"
              "  sent   10 frames, 1000 bytes\n"
              "  primary   10.3.1.2 port 1 (up1) (not usable)\n"
              "  backup 1  10.3.2.2 port 2 (up2)\n");
    EXPECT_EQ(answer(four_rules(), "show paths rule 9"), "error: there is no rule 9\n");
}

}  // namespace
}  // namespace weir

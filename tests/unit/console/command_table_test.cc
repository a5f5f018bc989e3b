// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/console/command_table.h"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Reply nothing(const Arguments& /*arguments*/, const Snapshot& /*snapshot*/) {
    return {};
}

constexpr std::array kCommands = {
    Command{"show port stats all|PORT", "port counters", Needs::Ports, nothing},
    Command{"show port info all|PORT", "port set-up", Needs::Ports, nothing},
    Command{"show queue [port PORT]", "queues", Needs::Queues, nothing},
    Command{"flow in PORT src IP [dport UDP] [qp QP]", "a flow", Needs::Ports, nothing},
    Command{"routes [PREFIX]", "routes", Needs::Routes, nothing},
    Command{"mac MAC vlan VLAN", "a MAC", Needs::Ports, nothing},
    Command{"load FILE", "a file", Needs::Ports, nothing},
    Command{"use SWITCH", "a switch", Needs::Ports, nothing},
};

class CommandTableTest : public testing::Test {
  protected:
    [[nodiscard]] CommandTable::Match match(std::string_view line) const {
        return table_.match(line, names_);
    }
    [[nodiscard]] std::string problem(std::string_view line) const {
        const auto result = match(line);
        EXPECT_EQ(result.command, nullptr) << line;
        return result.problem;
    }
    [[nodiscard]] std::vector<std::string> completions(std::string_view line) const {
        std::vector<std::string> words;
        for (const auto& completion : table_.complete(line, names_)) {
            words.push_back(completion.word);
        }
        return words;
    }

    CommandTable table_{kCommands};
    Names names_{{{0, "leaf0"}, {3, "leaf1"}, {9, "3"}}, {"a", "b"}};
};

TEST_F(CommandTableTest, FindsAPortByNumberAndByName) {
    EXPECT_EQ(match("show port stats 0").arguments.find("stats")->port, 0);
    EXPECT_EQ(match("show port stats leaf1").arguments.find("stats")->port, 3);
    EXPECT_EQ(match("show port info 0x9").arguments.find("info")->port, 9);
}

TEST_F(CommandTableTest, ANameGoesBeforeTheSameNumber) {
    EXPECT_EQ(match("show port stats 3").arguments.find("stats")->port, 9);
}

TEST_F(CommandTableTest, AKeywordAmongChoicesIsAValue) {
    const auto result = match("show port stats all");
    ASSERT_NE(result.command, nullptr);
    EXPECT_EQ(result.command->help, "port counters");
    EXPECT_EQ(result.arguments.find("stats")->kind, ValueKind::Keyword);
    EXPECT_EQ(result.arguments.find("port"), nullptr);
}

TEST_F(CommandTableTest, GroupsMayBeLeftOutAndComeInAnyOrder) {
    EXPECT_NE(match("flow in 0 src 10.0.0.1").command, nullptr);
    const auto result = match("flow in 0 src fd00::1 qp 0x11 dport 4791");
    ASSERT_NE(result.command, nullptr);
    EXPECT_EQ(result.arguments.number("qp", 0), 17u);
    EXPECT_EQ(result.arguments.number("dport", 0), 4791u);
    EXPECT_EQ(result.arguments.number("sport", 5), 5u);
    EXPECT_EQ(problem("flow in 0 src 10.0.0.1 qp 1 qp 2"),
              "flow in 0 src 10.0.0.1 qp 1: no qp; next comes dport");
}

TEST_F(CommandTableTest, ReadsAddressesPrefixesAndMacs) {
    const auto route = match("routes 10.1.2.3/8");
    ASSERT_NE(route.command, nullptr);
    EXPECT_EQ(route.arguments.find("routes")->prefix,
              (IpPrefix{IpAddress::v4(0x0a00'0000), 96 + 8}));
    EXPECT_EQ(match("routes 10.1.2.3").arguments.find("routes")->prefix,
              (IpPrefix{IpAddress::v4(0x0a01'0203), 128}));
    EXPECT_EQ(match("mac 02:00:00:00:00:0a vlan 5").arguments.find("mac")->mac,
              MacAddress{0x0200'0000'000a});
}

TEST_F(CommandTableTest, NumbersHaveExactRanges) {
    // 802.1Q: VLAN 0 and 4095 are not to be used.
    EXPECT_EQ(problem("mac 02:00:00:00:00:01 vlan 0"), "'0' is no VLAN, 1 to 4094");
    EXPECT_NE(match("mac 02:00:00:00:00:01 vlan 1").command, nullptr);
    EXPECT_NE(match("mac 02:00:00:00:00:01 vlan 4094").command, nullptr);
    EXPECT_EQ(problem("mac 02:00:00:00:00:01 vlan 4095"), "'4095' is no VLAN, 1 to 4094");
    // A destination queue pair has 24 bits: 16,777,215 is the last.
    EXPECT_NE(match("flow in 0 src 10.0.0.1 qp 16777215").command, nullptr);
    EXPECT_EQ(problem("flow in 0 src 10.0.0.1 qp 16777216"),
              "'16777216' is no destination queue pair, 0 to 16777215");
    EXPECT_EQ(problem("flow in 0 src 10.0.0.1 qp -1"),
              "'-1' is no destination queue pair, 0 to 16777215");
    EXPECT_EQ(problem("flow in 0 src 10.0.0.1 qp 99999999999999999999"),
              "'99999999999999999999' is no destination queue pair, 0 to 16777215");
}

TEST_F(CommandTableTest, ABlankLineOrACommentIsNoProblem) {
    EXPECT_EQ(problem(""), "");
    EXPECT_EQ(problem("   # all of them"), "");
}

TEST_F(CommandTableTest, SaysWhatToWriteInstead) {
    EXPECT_EQ(problem("shwo port"), "no command shwo; did you mean show? (try help)");
    EXPECT_EQ(problem("banana"), "no command banana (try help)");
    EXPECT_EQ(problem("show prt"), "show: no prt; did you mean port?");
    EXPECT_EQ(problem("show banana"), "show: no banana; next comes port, queue");
    EXPECT_EQ(problem("show port"), "show port: not complete; next comes stats, info");
    EXPECT_EQ(problem("show port stats"), "show port stats: not complete; next comes all, PORT");
    EXPECT_EQ(problem("show port stats all now"),
              "show port stats all: nothing may follow, remove now");
    EXPECT_EQ(problem("show port stats 7"), "no port 7; ports are 0 (leaf0), 3 (leaf1), 9 (3)");
    EXPECT_EQ(problem("show queue port"), "show queue port: not complete; next comes PORT");
    EXPECT_EQ(problem("use c"), "no switch c; switches are a, b");
    EXPECT_EQ(problem("load \"a b"), "the quotes are not closed: end them with \"");
}

TEST_F(CommandTableTest, CompletesKeywordsAndNames) {
    EXPECT_THAT(completions(""), ElementsAre("show", "flow", "routes", "mac", "load", "use"));
    EXPECT_THAT(completions("sh"), ElementsAre("show"));
    EXPECT_THAT(completions("show "), ElementsAre("port", "queue"));
    EXPECT_THAT(completions("show port s"), ElementsAre("stats"));
    EXPECT_THAT(completions("show port stats "), ElementsAre("all", "leaf0", "leaf1", "3"));
    EXPECT_THAT(completions("show port stats leaf"), ElementsAre("leaf0", "leaf1"));
    EXPECT_THAT(completions("show banana "), IsEmpty());
    EXPECT_THAT(completions("flow in 0 src 10.0.0.1 "), ElementsAre("dport", "qp"));
    EXPECT_THAT(completions("flow in 0 src 10.0.0.1 qp 3 "), ElementsAre("dport"));
    EXPECT_THAT(completions("flow in 0 src 10.0.0.1 qp 3 d"), ElementsAre("dport"));
    EXPECT_THAT(completions("use "), ElementsAre("a", "b"));
    EXPECT_THAT(completions("load \"a "), IsEmpty());
}

TEST_F(CommandTableTest, APlaceholderIsNamedButNotTyped) {
    const auto result = table_.complete("load ", names_);
    ASSERT_EQ(result.size(), 1u);
    EXPECT_EQ(result[0].word, "FILE");
    EXPECT_EQ(result[0].help, "name of a file");
    EXPECT_FALSE(result[0].literal);
}

TEST_F(CommandTableTest, AWordThatSeveralCommandsShareHasTheHelpOfNone) {
    const auto first = table_.complete("", names_);
    ASSERT_EQ(first.size(), 6u);
    EXPECT_EQ(first[0].word, "show");
    EXPECT_EQ(first[0].help, "");
    EXPECT_EQ(first[1].word, "flow");
    EXPECT_EQ(first[1].help, "a flow");
    const auto port = table_.complete("show port ", names_);
    ASSERT_EQ(port.size(), 2u);
    EXPECT_EQ(port[0].help, "port counters");
    EXPECT_EQ(port[1].help, "port set-up");
    const auto ports = table_.complete("show port stats l", names_);
    ASSERT_EQ(ports.size(), 2u);
    EXPECT_EQ(ports[0].help, "port 0");
}

TEST_F(CommandTableTest, AFinishedLineHasNoCompletion) {
    EXPECT_THAT(completions("show port stats all "), IsEmpty());
}

TEST(WeirCommands, NoLineIsUnderstoodInTwoWays) {
    // Goal: the order of the table decides nothing. Method: each command's own grammar, optional
    // groups left out and values filled in, must be matched by that command alone.
    Names names{{{0, "leaf0"}}, {"a"}};
    const auto commands = weir_commands().commands();
    for (std::size_t i = 0; i < commands.size(); ++i) {
        std::vector<std::string> words;
        for (const Element& element : compile_pattern(commands[i].grammar).required) {
            const Choice& choice = element.back();
            std::string word(choice.word);
            if (word == "IP") word = "10.0.0.1";
            if (word == "MAC") word = "02:00:00:00:00:01";
            if (word == "PORT") word = "0";
            if (word == "SWITCH") word = "a";
            if (word == "PRIORITY" || word == "WEIGHT" || word == "RULE") word = "3";
            if (word == "SIZE") word = "1KB";
            if (word == "RATE") word = "1G";
            if (word == "SHARE") word = "1%";
            words.push_back(word);
        }
        unsigned matches = 0;
        for (const Command& other : commands) {
            const Walk walk = walk_pattern(compile_pattern(other.grammar), words, names);
            if (walk.complete && walk.words == words.size()) ++matches;
        }
        EXPECT_EQ(matches, 1u) << commands[i].grammar;
        EXPECT_FALSE(commands[i].help.empty()) << commands[i].grammar;
    }
}

TEST(WeirCommands, HelpListsEveryCommandOrThoseOfAWord) {
    const auto match = weir_commands().match("help", {});
    ASSERT_NE(match.command, nullptr);
    const std::string all = match.command->run(match.arguments, {}).text;
    for (const Command& command : weir_commands().commands()) {
        EXPECT_NE(all.find(command.grammar), std::string::npos) << command.grammar;
    }
    const auto about = weir_commands().match("help port", {});
    EXPECT_EQ(about.command->run(about.arguments, {}).text,
              "  port start PORT\n      let a stopped port carry frames again\n"
              "  port stop PORT\n      take a port out of service until `port start`\n");
    const auto none = weir_commands().match("help me", {});
    EXPECT_EQ(none.command->run(none.arguments, {}).text, "error: no command begins with me\n");
}

}  // namespace
}  // namespace weir

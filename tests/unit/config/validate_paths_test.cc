// SPDX-License-Identifier: BSD-3-Clause
// Plans that are refused, each with its one line; and files that a file names.
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "config/compile.h"
#include "config/validate.h"
#include "tests/unit/config/sample.h"

namespace weir {
namespace {

// One line: what a test adds begins in line 7.
constexpr const char* kRoutes =
    "routes: [{prefix: 10.2.0.0/16, via: [10.0.0.2, 10.0.1.2]}, {prefix: 10.3.0.0/16, "
    "blackhole: true}, {prefix: 10.4.0.0/24, via: [10.0.1.2, 10.0.1.3]}]\n";

std::string problems_of_rule(const std::string& rule) {
    return problems_with_three_ports(std::string(kRoutes) + "paths:\n- {" + rule + "}\n");
}

std::string rule_at(const std::string& text) {
    return "f.yaml:8:3: paths[0]: " + text + "\n";
}

constexpr const char* kGood = "source: 10.0.0.9, destination: 10.2.0.5, ";

TEST(ValidatePaths, AFlowOrWhatComesByAPort) {
    const std::string via = "via: [{port: p0}]";
    EXPECT_EQ(problems_of_rule(kGood + via), "");
    EXPECT_EQ(problems_of_rule(kGood + ("source_port: 7, " + via)), "");
    EXPECT_EQ(problems_of_rule(kGood + ("dest_qp: 16777215, " + via)), "");
    EXPECT_EQ(problems_of_rule("ingress: p1, destination: 10.2.0.0/24, " + via), "");
    EXPECT_EQ(problems_of_rule("ingress: p1, destination: 10.0.0.0/8, " + via), "");
    EXPECT_EQ(problems_of_rule("ingress: p1, " + std::string(kGood) + via),
              rule_at("has both source and ingress; keep one"));
    EXPECT_EQ(problems_of_rule("destination: 10.2.0.5, " + via),
              rule_at("has neither source nor ingress; write source: ADDRESS or ingress: PORT"));
    EXPECT_EQ(problems_of_rule(kGood + ("source_port: 7, dest_qp: 7, " + via)),
              rule_at("has source_port and dest_qp; keep one"));
    EXPECT_EQ(problems_of_rule("ingress: p1, destination: 10.2.0.0/24, dest_qp: 7, " + via),
              rule_at("has ingress, which takes no source_port or dest_qp"));
    EXPECT_EQ(problems_of_rule("source: 10.0.0.9, destination: 10.2.0.0/24, " + via),
              rule_at("10.2.0.0/24 is a prefix; a rule with a source is for one address"));
    EXPECT_EQ(problems_of_rule(kGood + ("dest_qp: 16777216, " + via)),
              "f.yaml:8:54: paths[0].dest_qp: '16777216' is out of range; write 0 to 16777215\n");
}

TEST(ValidatePaths, UnknownPorts) {
    EXPECT_EQ(problems_of_rule("ingress: p7, destination: 10.2.0.0/24, via: [{port: p0}]"),
              rule_at("there is no port p7"));
    EXPECT_EQ(problems_of_rule("ingress: p2, destination: 10.2.0.0/24, via: [{port: p0}]"),
              rule_at("port p2 is not routed"));
    EXPECT_EQ(problems_of_rule(kGood + std::string("via: [{port: p0}, {port: p7}]")),
              "f.yaml:8:63: paths[0].via[1]: there is no port p7\n");
}

TEST(ValidatePaths, GatewaysThatAreNotThere) {
    const auto via = [](const std::string& hop) {
        return problems_of_rule(kGood + ("via: [{" + hop + "}]"));
    };
    const std::string at = "f.yaml:8:51: paths[0].via[0]: ";
    EXPECT_EQ(via("gateway: 10.0.1.2"), "");
    EXPECT_EQ(via("gateway: 10.0.1.77, port: p1"), "") << "a way that the route does not have";
    EXPECT_EQ(via("port: p2"), at + "the route 10.2.0.0/16 has no gateway on port p2\n");
    EXPECT_EQ(via("gateway: 10.0.1.2, port: p0"), at + "10.0.1.2 is on port p1, not on p0\n");
    EXPECT_EQ(via("gateway: 10.9.1.2"), at + "10.9.1.2 is in no connected subnet\n");
    EXPECT_EQ(via("gateway: 10.0.1.1"), at + "gateway 10.0.1.1 is the switch's own, on port p1\n");
    EXPECT_EQ(via("gateway: 'fd00::2'"),
              at + "fd00::2 is of another family than the destination\n");
    EXPECT_EQ(problems_of_rule("source: 10.0.0.9, destination: 10.4.0.5, via: [{port: p1}]"),
              at + "the route 10.4.0.0/24 has several gateways on port p1; write {gateway: "
                   "ADDRESS}\n");
    EXPECT_EQ(problems_of_rule(kGood + std::string("via: [{port: p1}, {gateway: 10.0.1.2}]")),
              "f.yaml:8:63: paths[0].via[1]: 10.0.1.2 on port p1 is listed twice\n");
    EXPECT_EQ(problems_of_rule(kGood + std::string("via: []")),
              "f.yaml:8:50: paths[0].via: 0 ways; write 1 to 16\n");
}

TEST(ValidatePaths, RulesForNobody) {
    const auto of = [](const std::string& source, const std::string& destination) {
        return problems_of_rule("source: " + source + ", destination: " + destination +
                                ", via: [{port: p0}]");
    };
    EXPECT_EQ(of("10.0.0.1", "10.2.0.5"),
              rule_at("source 10.0.0.1 is the switch's own, on port p0"));
    EXPECT_EQ(of("10.0.0.255", "10.2.0.5"), rule_at("source 10.0.0.255 is no host of 10.0.0.0/24"));
    EXPECT_EQ(of("224.0.0.5", "10.2.0.5"),
              rule_at("source 224.0.0.5 is multicast, which is not routed"));
    EXPECT_EQ(of("127.0.0.1", "10.2.0.5"), rule_at("source 127.0.0.1 is no host's"));
    EXPECT_EQ(of("10.0.0.9", "0.0.0.0"), rule_at("destination 0.0.0.0 is no host's"));
    EXPECT_EQ(of("10.0.0.9", "10.0.1.9"),
              rule_at("10.0.1.9 is next to us, on port p1: there is no path to choose"));
    EXPECT_EQ(of("10.0.0.9", "10.9.0.9"), rule_at("there is no route to 10.9.0.9"));
    EXPECT_EQ(of("10.0.0.9", "10.3.0.9"), rule_at("the route to 10.3.0.9 is a blackhole"));
    EXPECT_EQ(of("'fd00::9'", "10.2.0.9"), rule_at("source and destination are not of one family"));
    EXPECT_EQ(problems_of_rule("ingress: p1, destination: 10.2.0.1/24, via: [{port: p0}]"),
              rule_at("10.2.0.1/24 has bits behind its length; write 10.2.0.0/24"));
}

TEST(ValidatePaths, TwoRulesForOneFlow) {
    const std::string rule = "- {source: 10.0.0.9, destination: 10.2.0.5, ";
    const std::string via = "via: [{port: p0}]}\n";
    EXPECT_EQ(problems_with_three_ports(kRoutes + ("paths:\n" + rule + via + rule +
                                                   "source_port: 5, " + via + rule + via)),
              "f.yaml:10:3: paths[2]: is for the same frames as paths[0]\n");
}

TEST(ValidatePaths, PlansAndSelectors) {
    const auto with = [](const std::string& more) {
        return problems_with_three_ports(kRoutes + more + "\n");
    };
    EXPECT_EQ(with("plan: {switch: t}"), "f.yaml:7:7: plan: the plan is for switch t, this is s\n");
    EXPECT_EQ(with("plan: {version: 2}"),
              "f.yaml:7:17: plan.version: '2' is out of range; write 1 to 1\n");
    EXPECT_EQ(with("plan: {move: later}"),
              "f.yaml:7:14: plan.move: 'later' is no move; write now or gap\n");
    EXPECT_EQ(with("plan: {gap: 999ns}"),
              "f.yaml:7:7: plan: gap 999ns is out of range; write 1us to 10s\n");
    EXPECT_EQ(with("plan: {gap: 1us}"), "");
    EXPECT_EQ(with("flowlet: {gap: 10001ms}"),
              "f.yaml:7:16: flowlet.gap: 10001ms is out of range; write 1us to 10s\n");
    EXPECT_EQ(with("selector: flow"),
              "f.yaml:7:11: selector: 'flow' is no selector; write hash, flowlet, spray, adaptive "
              "or paths\n");
    EXPECT_EQ(with("selector: paths"),
              "f.yaml:7:11: selector: there are no paths; write paths or paths_file\n");
    EXPECT_EQ(with("selector: adaptive"), "");
}

class PathsFile : public ::testing::Test {
  protected:
    PathsFile() {
        folder_ = std::filesystem::temp_directory_path() /
                  ("weir_paths_" + std::to_string(getpid()) + "_" +
                   ::testing::UnitTest::GetInstance()->current_test_info()->name());
        std::filesystem::create_directory(folder_);
    }
    ~PathsFile() override { std::filesystem::remove_all(folder_); }

    // The problems of loading a switch with this plan; its folder is left out.
    std::string problems_of_plan(const std::string& plan, const std::string& more = "") {
        std::ofstream(folder_ / "s.yaml") << kThreePorts << kRoutes << "paths_file: plan.yaml\n"
                                          << more;
        std::ofstream(folder_ / "plan.yaml") << plan;
        Problems problems;
        loaded_ = load(folder_ / "s.yaml", problems);
        std::string text = problems.text();
        const std::string name = folder_.string() + "/";
        for (std::size_t at = 0; (at = text.find(name)) != std::string::npos;) {
            text.erase(at, name.size());
        }
        return text;
    }

    std::filesystem::path folder_;
    std::unique_ptr<const Loaded> loaded_;
};

constexpr const char* kPlan =
    "plan: {version: 1, switch: s, generated_by: weir-plan, move: now}\n"
    "paths:\n"
    "  - {source: 10.0.0.9, destination: 10.2.0.6, via: [{port: p1}]}\n"
    "  - {ingress: p1, destination: 10.2.0.0/24, via: [{port: p0}]}\n";

TEST_F(PathsFile, IsReadBesideTheFile) {
    ASSERT_EQ(problems_of_plan(kPlan,
                               "paths: [{source: 10.0.0.9, destination: 10.2.0.5, via: "
                               "[{port: p0}]}]\n"),
              "");
    const Settings& settings = loaded_->settings;
    EXPECT_EQ(settings.path_count(), 3u);
    EXPECT_EQ(settings.path(0).destination.address, *parse_ip("10.2.0.5"));
    EXPECT_EQ(settings.path(2).ingress, "p1");
    EXPECT_EQ(settings.plan_in_use().generated_by, "weir-plan");
    const auto compiled = compile(settings, {}, nullptr);
    EXPECT_EQ(compiled->tables.move_gap, Interval{});
    EXPECT_EQ(compiled->path_rules.size(), 3u);
}

TEST_F(PathsFile, ProblemsStandWhereTheyAre) {
    EXPECT_EQ(problems_of_plan("paths:\n  - {source: 10.0.0.9, destination: 10.2.0.6, via: "
                               "[{port: p0}, {port: p9}]}\n"),
              "plan.yaml:2:65: paths[0].via[1]: there is no port p9\n");
    EXPECT_EQ(problems_of_plan("pathz: []\n"),
              "plan.yaml:1:1: unknown key 'pathz'; did you mean 'paths'?\n");
    EXPECT_EQ(problems_of_plan("plan: {switch: t}\npaths: []\n"),
              "plan.yaml:1:7: plan: the plan is for switch t, this is s\n");
    EXPECT_EQ(problems_of_plan(kPlan, "plan: {move: now}\n"),
              "s.yaml:8:7: plan: plan.yaml has a plan as well; keep one\n");
    EXPECT_EQ(problems_of_plan(kPlan,
                               "paths: [{source: 10.0.0.9, destination: 10.2.0.6, via: "
                               "[{port: p0}]}]\n"),
              "plan.yaml:3:5: paths[0]: is for the same frames as paths[0]\n");
    EXPECT_EQ(problems_of_plan(""), "plan.yaml:1:1: the file says nothing; write paths: []\n");
    std::filesystem::remove(folder_ / "plan.yaml");
    Problems problems;
    EXPECT_EQ(load(folder_ / "s.yaml", problems), nullptr);
    EXPECT_NE(problems.text().find("plan.yaml cannot be read: No such file"), std::string::npos)
        << problems.text();
}

}  // namespace
}  // namespace weir

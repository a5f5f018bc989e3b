// SPDX-License-Identifier: BSD-3-Clause
// What weir-plan check refuses: one line each.
#include "tests/unit/plan/plan_rig.h"

namespace weir::plan {
namespace {

// Two leaves with a host each, h0 and h1; leaf: port 0 host, 1 and 2 spines; spine: port = leaf.
struct Checked {
    Checked() : rig(lab::make_leaf_spine({2, 2, 1, 1}, {})) {
        rig.tiers = std::make_unique<Tiers>(rig.input.topology);
    }
    std::string check(const std::vector<std::string>& files) {
        Problems problems;
        PathTables tables(rig.input);
        for (const std::string& text : files) {
            const PlanFile plan = read_plan("plan.yaml", text, problems);
            if (problems.empty()) tables.add("plan.yaml", plan, problems);
        }
        check_tables(rig.input, *rig.tiers, tables, problems);
        return problems.text();
    }
    PlanRig rig;
};

std::string file(const std::string& name, const std::string& rules) {
    return "plan: {version: 1, switch: " + name + "}\npaths:\n" + rules;
}

TEST(PlanCheck, TakesAGoodPlan) {
    EXPECT_EQ(Checked().check({file("leaf0",
                                    "  - {source: 10.1.1.2, destination: 10.2.1.2, "
                                    "via: [{port: p1}, {port: p2}]}\n"
                                    "  - {ingress: p0, destination: 10.2.0.0/16, "
                                    "via: [{port: p2}]}\n")}),
              "");
}

TEST(PlanCheck, RefusesAnUnknownPort) {
    EXPECT_EQ(Checked().check({file("leaf0",
                                    "  - {source: 10.1.1.2, destination: 10.2.1.2, "
                                    "via: [{port: p9}]}\n")}),
              "plan.yaml:3:5: 10.1.1.2 > 10.2.1.2: unknown port 'p9'; leaf0 has p0 to p2\n");
}

TEST(PlanCheck, RefusesAnUnknownSwitch) {
    EXPECT_EQ(Checked().check({file("leaf7", "")}),
              "plan.yaml:1:1: plan.switch: no switch 'leaf7'\n");
}

TEST(PlanCheck, RefusesARuleForNobody) {
    EXPECT_EQ(Checked().check({file("leaf0",
                                    "  - {source: 10.1.1.2, destination: 10.9.1.2, "
                                    "via: [{port: p1}]}\n")}),
              "plan.yaml:3:5: 10.1.1.2 > 10.9.1.2: rule for nobody: no host has 10.9.1.2\n");
    // h1's flow does not come by its destination's other neighbors.
    EXPECT_EQ(Checked().check({file("leaf0",
                                    "  - {source: 10.1.1.2, destination: 10.2.1.2, "
                                    "via: [{port: p1}]}\n"
                                    "  - {ingress: p0, destination: 10.7.0.0/16, "
                                    "via: [{port: p1}]}\n")}),
              "plan.yaml:4:5: p0 > 10.7.0.0/16: rule for nobody: no host has an address in "
              "10.7.0.0/16\n");
}

TEST(PlanCheck, RefusesTwoRulesForOneFlow) {
    EXPECT_EQ(Checked().check({file("leaf0",
                                    "  - {source: 10.1.1.2, destination: 10.2.1.2, "
                                    "via: [{port: p1}]}\n"
                                    "  - {source: 10.1.1.2, destination: 10.2.1.2, "
                                    "via: [{port: p2}]}\n")}),
              "plan.yaml:4:5: 10.1.1.2 > 10.2.1.2: two rules for one flow; the first is in line "
              "3\n");
}

TEST(PlanCheck, RefusesALoop) {
    EXPECT_EQ(Checked().check({file("spine0",
                                    "  - {source: 10.1.1.2, destination: 10.2.1.2, "
                                    "via: [{port: p0}]}\n")}),
              "plan.yaml:3:5: 10.1.1.2 > 10.2.1.2: loop: h0 to h1 goes leaf0 > spine0 > leaf0\n");
}

TEST(PlanCheck, RefusesARuleThatLeadsToAnotherHost) {
    Checked checked;
    checked.rig = PlanRig(lab::make_leaf_spine({2, 2, 2, 1}, {}));
    checked.rig.tiers = std::make_unique<Tiers>(checked.rig.input.topology);
    EXPECT_EQ(checked.check({file("leaf1",
                                  "  - {source: 10.1.1.2, destination: 10.2.1.2, "
                                  "via: [{port: p1}]}\n")}),
              "plan.yaml:3:5: 10.1.1.2 > 10.2.1.2: leads to h3, which is another host\n");
}

// Three leaves in a ring with spines between them: every flow goes the long way, by a leaf that it
// enters from above and leaves upwards.
struct Ring : Checked {
    Ring() {
        lab::Topology topology;
        for (const char* name : {"leaf0", "leaf1", "leaf2", "spine0", "spine1", "spine2"}) {
            topology.add_switch(name);
        }
        for (unsigned leaf = 0; leaf < 3; ++leaf) {
            topology.add_host("h" + std::to_string(leaf), leaf, {});
        }
        for (unsigned leaf = 0; leaf < 3; ++leaf) {  // leaf: p1 to its spine, p2 to the one before
            topology.add_link(leaf, 3 + leaf, {});
            topology.add_link((leaf + 1) % 3, 3 + leaf, {});
        }
        rig.input.topology = topology;
        // A spine sends what is not for its own leaves on to the second of them.
        for (unsigned spine = 0; spine < 3; ++spine) {
            rig.input.fabric.routes.push_back({"spine" + std::to_string(spine),
                                               "leaf" + std::to_string((spine + 2) % 3),
                                               {"leaf" + std::to_string((spine + 1) % 3)}});
        }
        rig.tiers = std::make_unique<Tiers>(rig.input.topology);
    }

    // h0 > h2 by leaf1, h1 > h0 by leaf2, h2 > h1 by leaf0: each first to its spine and then on.
    std::vector<std::string> long_ways() {
        std::vector<std::string> files;
        for (unsigned leaf = 0; leaf < 3; ++leaf) {
            const auto rule = [&](unsigned from, const std::string& port) {
                const unsigned to = (from + 2) % 3;
                return "  - {source: 10." + std::to_string(from + 1) + ".1.2, destination: 10." +
                       std::to_string(to + 1) + ".1.2, via: [{port: " + port + "}]}\n";
            };
            const auto name = [&](NodeId next) {
                const auto& topology = rig.input.topology;
                for (PortId port = 0; port < 3; ++port) {
                    if (topology.far_end(leaf, port).node == next)
                        return "p" + std::to_string(port);
                }
                return std::string();
            };
            const unsigned before = (leaf + 2) % 3;
            files.push_back(file("leaf" + std::to_string(leaf),
                                 rule(leaf, name(3 + leaf)) + rule(before, name(3 + leaf))));
        }
        return files;
    }
};

TEST(PlanCheck, RefusesACircleOfBuffers) {
    Ring ring;
    const std::string text = ring.check(ring.long_ways());
    EXPECT_NE(text.find("deadlock: buffers wait in a circle: "), std::string::npos) << text;
    EXPECT_NE(text.find("(priority 3)"), std::string::npos) << text;
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
}

// With the hooks of every leaf moved to another priority the circle is open.
TEST(PlanCheck, TakesACircleThatHookMovesBreak) {
    Ring ring;
    for (unsigned leaf = 0; leaf < 3; ++leaf) {
        ring.rig.input.fabric.uplinks.push_back(
            {"leaf" + std::to_string(leaf),
             {"spine" + std::to_string(leaf), "spine" + std::to_string((leaf + 2) % 3)}});
    }
    ring.rig.input.lossless = {3, 4};
    ring.rig.input.hook_moves[3] = {{4, 34}, {0, 0}};
    ring.rig.input.hook_moves[4] = {{0, 0}, {0, 0}};
    EXPECT_EQ(ring.check(ring.long_ways()), "");
    // Without the second move of priority 4 its own flows stay in a circle.
    ring.rig.input.hook_moves.erase(4);
    EXPECT_NE(ring.check(ring.long_ways()).find("(priority 4)"), std::string::npos);
}

}  // namespace
}  // namespace weir::plan

// SPDX-License-Identifier: BSD-3-Clause
#include "tools/plan/report.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "tools/lab/json_writer.h"
#include "tools/plan/names.h"

namespace weir::plan {

namespace {

constexpr double kEqual = 1e-9;
constexpr std::size_t kWorstShown = 10;

std::string decimal(double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.3f", value);
    return text.data();
}

std::string count(std::size_t number, const char* noun) {
    const std::string text = std::to_string(number) + " " + noun;
    return number == 1 ? text : text + (text.back() == 'h' ? "es" : "s");
}

const char* kind_text(const Tiers& tiers) {
    switch (tiers.kind()) {
        case Tiers::Kind::Two:
            return "two tiers";
        case Tiers::Kind::Three:
            return "three tiers";
        case Tiers::Kind::Other:
            return "no tiers";
    }
    return "";
}

std::string hop_text(const Input& input, Hop hop) {
    const Topology& topology = input.topology;
    const NodeId from = from_of(topology, hop);
    return topology.name(from) + " " + Names(input).port(from, port_of(topology, hop)) + " to " +
           topology.name(to_of(topology, hop));
}

std::string failure_text(const Input& input, const Failure& failure) {
    return failure.link == kNone ? input.topology.name(failure.node)
                                 : hop_text(input, 2 * failure.link);
}

// The failures of one kind; `worst` is the one with the fullest link.
struct Failures {
    const Failure* worst = nullptr;
    double bound = 0;
    std::size_t all = 0;
    std::size_t at_bound = 0;
    std::size_t stranded = 0;
};

Failures failures_of(const Plan& plan, bool links) {
    Failures out;
    for (const Failure& failure : plan.failures) {
        if ((failure.link != kNone) != links) continue;
        ++out.all;
        out.at_bound += failure.reached <= failure.bound + kEqual ? 1 : 0;
        out.stranded += failure.stranded;
        out.bound = std::max(out.bound, failure.bound);
        if (out.worst == nullptr || failure.reached > out.worst->reached) out.worst = &failure;
    }
    return out;
}

struct Rules {
    std::size_t all = 0;
    std::size_t switches = 0;
    const PlanFile* most = nullptr;
};

Rules rules_of(const Plan& plan) {
    Rules out;
    for (const PlanFile& file : plan.files) {
        if (file.rules.empty()) continue;
        out.all += file.rules.size();
        ++out.switches;
        if (out.most == nullptr || file.rules.size() > out.most->rules.size()) out.most = &file;
    }
    return out;
}

std::string verdict(double reached, double bound) {
    if (bound >= kUnreachable) return "some hosts cannot be reached at all";
    return reached <= bound + kEqual ? "the best there is"
                                     : "above the bound, which may not be reachable";
}

std::string failure_line(const Input& input, const Plan& plan, bool links) {
    const Failures failures = failures_of(plan, links);
    if (failures.worst == nullptr) return {};
    std::string text = links ? "after a link fails    " : "after a switch fails  ";
    text += "fullest " + decimal(failures.worst->reached) + " (" +
            failure_text(input, *failures.worst) + "), lower bound " + decimal(failures.bound) +
            "; " + std::to_string(failures.at_bound) + " of " + std::to_string(failures.all) +
            " at their bound";
    if (failures.stranded != 0) {
        text += "; " + std::to_string(failures.stranded) + " times a flow is left to the hash";
    }
    return text + "\n";
}

}  // namespace

std::string summary_text(const Input& input, const Tiers& tiers, const Plan& plan) {
    const Rules rules = rules_of(plan);
    std::string text = (input.name.empty() ? std::string("plan") : input.name) + ": " +
                       count(plan.flows.size(), "flow") + " of " + count(input.jobs.size(), "job") +
                       " over " + count(tiers.leaves().lower.size(), "leaf switch") + ", " +
                       kind_text(tiers) + "\n";
    text += count(rules.all, "rule") + " in " + count(rules.switches, "switch");
    if (rules.most != nullptr) {
        text += ", at most " + std::to_string(rules.most->rules.size()) + " (" +
                rules.most->switch_name + ")";
    }
    text += "\nwithout failure       fullest " + decimal(plan.summary.fullest);
    if (plan.summary.fullest_hop != kNone) {
        text += " (" + hop_text(input, plan.summary.fullest_hop) + ")";
    }
    text += ", lower bound " + decimal(plan.bound) + ": " +
            verdict(plan.summary.fullest, plan.bound) + "\n";
    text += "links in use          " + std::to_string(plan.summary.used) + ", max/mean " +
            decimal(plan.summary.max_over_mean) + ", Jain " + decimal(plan.summary.jain) + "\n";
    text += failure_line(input, plan, true) + failure_line(input, plan, false);
    if (plan.running != 0) {
        text += "running flows         " + std::to_string(plan.running) + ", moved " +
                std::to_string(plan.moved) + "\n";
    }
    if (plan.summary.fullest > 1 + kEqual) {
        text += "the jobs want more than the fabric has: the fullest link is asked for " +
                decimal(plan.summary.fullest) + " times its rate\n";
    }
    if (plan.without_way != 0) {
        text +=
            count(plan.without_way, "flow") + " without any way: the fabric does not join them\n";
    }
    return text;
}

std::string report_markdown(const Input& input, const Tiers& tiers, const Plan& plan) {
    std::string text = "# Plan " + input.name + "\n\n```\n" + summary_text(input, tiers, plan) +
                       "```\n\nLoads are shares of a link's rate.\n\n## Jobs\n\n"
                       "| job | hosts | flows | phases |\n|---|---|---|---|\n";
    for (std::uint32_t j = 0; j < input.jobs.size(); ++j) {
        std::size_t flows = 0;
        std::uint32_t phases = 0;
        for (const Flow& flow : plan.flows) {
            if (flow.job != j) continue;
            ++flows;
            phases = std::max(phases, flow.phase + 1);
        }
        text += "| " + input.jobs[j].name + " | " + std::to_string(input.jobs[j].hosts.size()) +
                " | " + std::to_string(flows) + " | " + std::to_string(phases) + " |\n";
    }
    text +=
        "\n## Failures with the fullest links\n\n"
        "| gone | flows moved | fullest | lower bound |\n|---|---|---|---|\n";
    std::vector<const Failure*> worst;
    for (const Failure& failure : plan.failures) worst.push_back(&failure);
    std::stable_sort(worst.begin(), worst.end(),
                     [](const Failure* a, const Failure* b) { return a->reached > b->reached; });
    for (std::size_t i = 0; i < std::min(worst.size(), kWorstShown); ++i) {
        text += "| " + failure_text(input, *worst[i]) + " | " + std::to_string(worst[i]->moved) +
                " | " + decimal(worst[i]->reached) + " | " + decimal(worst[i]->bound) + " |\n";
    }
    return text;
}

std::string report_json(const Input& input, const Tiers& tiers, const Plan& plan) {
    const Rules rules = rules_of(plan);
    lab::JsonWriter json;
    json.open('{')
        .add("name", input.name)
        .add("tiers", kind_text(tiers))
        .add("jobs", input.jobs.size())
        .add("flows", plan.flows.size())
        .add("rules", rules.all)
        .add("rules_max", rules.most == nullptr ? 0 : rules.most->rules.size())
        .add("fullest", plan.summary.fullest)
        .add("fullest_bound", plan.bound)
        .add("optimal", plan.summary.fullest <= plan.bound + kEqual)
        .add("links_used", plan.summary.used)
        .add("max_over_mean", plan.summary.max_over_mean)
        .add("jain", plan.summary.jain)
        .add("running_flows", plan.running)
        .add("moved_flows", plan.moved)
        .add("flows_without_way", plan.without_way);
    for (const bool links : {true, false}) {
        const Failures failures = failures_of(plan, links);
        json.open(links ? "link_failures" : "switch_failures", '{').add("count", failures.all);
        json.add("fullest", failures.worst == nullptr ? 0 : failures.worst->reached)
            .add("fullest_bound", failures.bound)
            .add("at_bound", failures.at_bound)
            .add("flows_left_to_hash", failures.stranded)
            .close('}');
    }
    return json.close('}').text() + "\n";
}

}  // namespace weir::plan

// SPDX-License-Identifier: BSD-3-Clause
#include "tools/plan/plan_file.h"

#include <array>

#include "config/read_values.h"
#include "config/yaml_reader.h"
#include "tools/lab/read_word.h"

namespace weir::plan {

namespace {

constexpr std::uint8_t kHostBits = 128;

struct Head {
    unsigned version = 1;
    std::string switch_name;
    std::string generated_by;
    Move move = Move::Gap;
    Interval gap{};
};

struct File {
    Head head;
    std::vector<PlanRule> rules;
};

constexpr std::array<std::pair<std::string_view, Move>, 2> kMoveWords{{
    {"now", Move::Now},
    {"gap", Move::Gap},
}};

constexpr std::array<Field<Head>, 5> kHeadFields{{
    {"version", [](const Value& v, Head& s) { read_number(v, 1, 1, s.version); }, "version: 1"},
    {"switch", [](const Value& v, Head& s) { read_text(v, s.switch_name); }, "switch: leaf0"},
    {"generated_by", [](const Value& v, Head& s) { read_text(v, s.generated_by); }, {}},
    {"move", [](const Value& v, Head& s) { lab::read_word(v, kMoveWords, s.move); }, {}},
    {"gap", [](const Value& v, Head& s) { read_parsed(v, parse_interval, s.gap); }, {}},
}};

constexpr std::array<Field<std::string>, 1> kViaFields{{
    {"port", [](const Value& v, std::string& s) { read_text(v, s); }, "port: p0"},
}};

// An address alone is a prefix of its full length.
void read_destination(const Value& value, std::optional<IpPrefix>& target) {
    if (!value.expect_scalar()) return;
    if (value.text().find('/') != std::string_view::npos) {
        take(value, parse_prefix(value.text()), target);
        return;
    }
    const Reading<IpAddress> address = parse_ip(value.text());
    if (address) {
        target = IpPrefix{*address, kHostBits};
    } else {
        value.problem(address.problem);
    }
}

constexpr std::array<Field<PlanRule>, 6> kRuleFields{{
    {"source", [](const Value& v, PlanRule& s) { read_parsed(v, parse_ip, s.source); }, {}},
    {"destination", [](const Value& v, PlanRule& s) { read_destination(v, s.destination); },
     "destination: 10.0.2.5"},
    {"ingress", [](const Value& v, PlanRule& s) { read_text(v, s.ingress); }, {}},
    {"source_port",
     [](const Value& v, PlanRule& s) { read_number(v, 1, 65'535, s.source_port); },
     {}},
    {"dest_qp",
     [](const Value& v, PlanRule& s) { read_number(v, 0, 0xff'ffff, s.dest_qp.emplace()); },
     {}},
    {"via",
     [](const Value& v, PlanRule& s) {
         read_list<std::string>(v, s.via, [](const Value& item, std::string& port) {
             read_map(item, kViaFields, port);
         });
     },
     "via: [{port: p0}]"},
}};

void read_rule(const Value& value, PlanRule& rule) {
    rule.mark = value.source.document.mark(value.node);
    read_map(value, kRuleFields, rule);
    if (rule.source.has_value() == !rule.ingress.empty()) {
        value.problem("a rule has either a source or an ingress");
    } else if (rule.source && rule.destination && rule.destination->length != kHostBits) {
        value.problem("a rule with a source has one address as its destination");
    }
}

constexpr std::array<Field<File>, 2> kFileFields{{
    {"plan", [](const Value& v, File& s) { read_map(v, kHeadFields, s.head); },
     "plan: {version: 1, switch: leaf0}"},
    {"paths", [](const Value& v, File& s) { read_list<PlanRule>(v, s.rules, read_rule); }, {}},
}};

std::string destination_text(const IpPrefix& destination) {
    return destination.length == kHostBits ? format(destination.address) : format(destination);
}

}  // namespace

std::string text_of(const PlanFile& plan) {
    std::string text =
        "plan: {version: 1, switch: " + plan.switch_name +
        ", generated_by: weir-plan, move: " + (plan.move == Move::Gap ? "gap" : "now") +
        ", gap: " + format_interval(plan.gap) + "}\npaths:" + (plan.rules.empty() ? " []\n" : "\n");
    for (const PlanRule& rule : plan.rules) {
        text +=
            rule.source ? "  - {source: " + format(*rule.source) : "  - {ingress: " + rule.ingress;
        text += ", destination: " + destination_text(*rule.destination);
        if (rule.source_port != 0) text += ", source_port: " + std::to_string(rule.source_port);
        if (rule.dest_qp) text += ", dest_qp: " + std::to_string(*rule.dest_qp);
        text += ", via: [";
        for (std::size_t i = 0; i < rule.via.size(); ++i) {
            text += (i == 0 ? "{port: " : ", {port: ") + rule.via[i] + "}";
        }
        text += "]}\n";
    }
    return text;
}

PlanFile read_plan(const std::string& file, std::string_view text, Problems& problems) {
    PlanFile plan;
    Problems own;
    const Document document = read_yaml(file, text, own);
    if (own.empty() && document.root() == Document::kNone) {
        own.add({file, {1, 1}, {}, "the file says nothing"});
    }
    if (own.empty()) {
        File read;
        const Value::Source source{file, document, own};
        read_map(Value{source, document.root(), nullptr, {}, 0}, kFileFields, read);
        plan = {read.head.switch_name, read.head.move, read.head.gap, std::move(read.rules)};
    }
    problems.add_all(own);
    return plan;
}

std::string key_text(const PlanRule& rule) {
    std::string text = rule.source ? format(*rule.source) : rule.ingress;
    if (rule.destination) text += " > " + destination_text(*rule.destination);
    if (rule.source_port != 0) text += " from port " + std::to_string(rule.source_port);
    if (rule.dest_qp) text += " to queue pair " + std::to_string(*rule.dest_qp);
    return text;
}

}  // namespace weir::plan

// SPDX-License-Identifier: BSD-3-Clause
#include "config/read_paths.h"

#include <array>

#include "config/read_values.h"
#include "config/units.h"
#include "config/value_text.h"

namespace weir {
namespace {

constexpr std::uint32_t kDestQpMax = 0xff'ffff;  // 24 bits of the BTH
constexpr std::uint16_t kUdpPortMax = 0xffff;

// "10.0.2.5" or "10.0.2.0/24".
void read_destination(const Value& value, IpPrefix& target) {
    if (!value.expect_scalar()) return;
    if (value.text().find('/') != std::string_view::npos) {
        take(value, parse_prefix(value.text()), target);
        return;
    }
    const Reading<IpAddress> address = parse_ip(value.text());
    if (address) {
        target = {*address, 128};
    } else {
        value.problem(address.problem);
    }
}

constexpr std::array<Field<PathHopSettings>, 2> kHopFields{{
    {"port", [](const Value& v, PathHopSettings& s) { read_text(v, s.port); }, {}},
    {"gateway",
     [](const Value& v, PathHopSettings& s) { read_parsed(v, parse_ip, s.gateway); },
     {}},
}};

void read_hop(const Value& value, PathHopSettings& target) {
    read_map(value, kHopFields, target);
}

constexpr std::array<Field<PathSettings>, 6> kPathFields{{
    {"source", [](const Value& v, PathSettings& s) { read_parsed(v, parse_ip, s.source); }, {}},
    {"destination", [](const Value& v, PathSettings& s) { read_destination(v, s.destination); },
     "destination: 10.0.2.5"},
    {"via", [](const Value& v, PathSettings& s) { read_list<PathHopSettings>(v, s.via, read_hop); },
     "via: [{port: up0}, {port: up3}]"},
    {"source_port",
     [](const Value& v, PathSettings& s) { read_number(v, 0, kUdpPortMax, s.source_port); },
     {}},
    {"dest_qp",
     [](const Value& v, PathSettings& s) { read_number(v, 0, kDestQpMax, s.dest_qp); },
     {}},
    {"ingress", [](const Value& v, PathSettings& s) { read_text(v, s.ingress.emplace()); }, {}},
}};

void read_move(const Value& value, PathMove& target) {
    if (!value.expect_scalar()) return;
    if (value.text() == "now" || value.text() == "gap") {
        target = value.text() == "now" ? PathMove::Now : PathMove::Gap;
    } else {
        value.problem("'" + std::string(value.text()) + "' is no move; write now or gap");
    }
}

constexpr std::array<Field<PlanSettings>, 5> kPlanFields{{
    {"version", [](const Value& v, PlanSettings& s) { read_number(v, 1, 1, s.version); }, {}},
    {"switch", [](const Value& v, PlanSettings& s) { read_text(v, s.switch_); }, {}},
    {"generated_by", [](const Value& v, PlanSettings& s) { read_text(v, s.generated_by); }, {}},
    {"move", [](const Value& v, PlanSettings& s) { read_move(v, s.move); }, {}},
    {"gap", [](const Value& v, PlanSettings& s) { read_parsed(v, parse_interval, s.gap); }, {}},
}};

constexpr std::array<Field<PlanFileSettings>, 2> kPlanFileFields{{
    {"plan", [](const Value& v, PlanFileSettings& s) { read_plan(v, s.plan.emplace()); }, {}},
    {"paths", [](const Value& v, PlanFileSettings& s) { read_paths(v, s.paths); },
     "paths: and its list of rules"},
}};

constexpr std::array<Field<FlowletSettings>, 1> kFlowletFields{{
    {"gap", [](const Value& v, FlowletSettings& s) { read_parsed(v, parse_interval, s.gap); }, {}},
}};

}  // namespace

void read_paths(const Value& value, std::vector<PathSettings>& target) {
    read_list<PathSettings>(value, target, [](const Value& item, PathSettings& path) {
        read_map(item, kPathFields, path);
    });
}

void read_plan(const Value& value, PlanSettings& target) {
    read_map(value, kPlanFields, target);
}

void read_flowlet(const Value& value, FlowletSettings& target) {
    read_map(value, kFlowletFields, target);
}

bool read_selector(const Value& value, Selector& target) {
    if (!value.expect_scalar()) return false;
    for (const Selector selector : kSelectors) {
        if (value.text() != show(selector)) continue;
        target = selector;
        return true;
    }
    value.problem("'" + std::string(value.text()) +
                  "' is no selector; write hash, flowlet, spray, adaptive or paths");
    return false;
}

PlanFileSettings read_plan_file(const std::string& file, const Document& document,
                                Problems& problems) {
    PlanFileSettings settings;
    if (document.root() == Document::kNone ||
        document.kind(document.root()) == Document::Kind::Null) {
        problems.add({file, {1, 1}, {}, "the file says nothing; write paths: []"});
        return settings;
    }
    const Value::Source source{file, document, problems};
    read_map(Value{source, document.root(), nullptr, {}, 0}, kPlanFileFields, settings);
    return settings;
}

}  // namespace weir

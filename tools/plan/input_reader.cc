// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <set>

#include "config/read_lossless.h"
#include "config/read_values.h"
#include "config/yaml_reader.h"
#include "tools/lab/fabric_check.h"
#include "tools/lab/fabric_reader.h"
#include "tools/lab/read_word.h"
#include "tools/plan/input.h"
#include "tools/plan/input_jobs.h"

namespace weir::plan {

namespace {

template <typename T>
void not_used(const Value&, T&) {}

constexpr std::array<std::pair<std::string_view, RuleKind>, 3> kRuleWords{{
    {"auto", RuleKind::Auto},
    {"exact", RuleKind::Exact},
    {"prefix", RuleKind::Prefix},
}};

constexpr std::array<std::pair<std::string_view, Move>, 2> kMoveWords{{
    {"now", Move::Now},
    {"gap", Move::Gap},
}};

void read_hosts(const Value& value, std::vector<std::string>& target) {
    if (value.kind() == Document::Kind::Scalar) {
        read_text(value, target.emplace_back());
    } else {
        read_list<std::string>(value, target, read_text);
    }
}

void read_source_ports(const Value& value, std::vector<std::uint16_t>& target) {
    read_list<std::uint16_t>(value, target, [](const Value& item, std::uint16_t& port) {
        read_number(item, 1, 65'535, port);
    });
}

constexpr std::array<Field<JobInput>, 17> kJobFields{{
    {"name", [](const Value& v, JobInput& s) { read_text(v, s.name); }, {}},
    {"pattern",
     [](const Value& v, JobInput& s) { lab::read_word(v, lab::kPatternWords, s.pattern); },
     {}},
    {"bytes", [](const Value& v, JobInput& s) { read_parsed(v, parse_bytes, s.bytes); }, {}},
    {"hosts", [](const Value& v, JobInput& s) { read_hosts(v, s.hosts); }, {}},
    {"host_file", [](const Value& v, JobInput& s) { read_text(v, s.host_file); }, {}},
    {"ranks_per_host",
     [](const Value& v, JobInput& s) { read_number(v, 1, 1'024, s.ranks_per_host); },
     {}},
    {"rails", [](const Value& v, JobInput& s) { read_number(v, 1, 1'024, s.rails); }, {}},
    {"shift", [](const Value& v, JobInput& s) { read_number(v, 1, 65'535, s.shift); }, {}},
    {"qps", [](const Value& v, JobInput& s) { read_number(v, 1, 1'024, s.qps); }, {}},
    {"source_ports", [](const Value& v, JobInput& s) { read_source_ports(v, s.source_ports); }, {}},
    {"arrivals", [](const Value&, JobInput& s) { s.ignored = true; }, {}},
    {"repeats", not_used<JobInput>, {}},
    {"start", not_used<JobInput>, {}},
    {"duration", not_used<JobInput>, {}},
    {"load", not_used<JobInput>, {}},
    {"barrier", not_used<JobInput>, {}},
    {"dscp", not_used<JobInput>, {}},
}};

void read_ports(const Value& value, std::map<std::string, std::vector<std::string>>& target) {
    for_each_pair(value, [&](Document::Node, const Value& names) {
        read_list<std::string>(names, target[std::string(names.key)], read_text);
    });
}

void read_addresses(const Value& value, std::map<std::string, IpAddress>& target) {
    for_each_pair(value, [&](Document::Node, const Value& address) {
        read_parsed(address, parse_ip, target[std::string(address.key)]);
    });
}

void read_lossless(const Value& value, std::vector<Priority>& target) {
    target.clear();
    read_list<Priority>(value, target, [](const Value& item, Priority& priority) {
        read_number(item, 0, 7, priority);
    });
}

constexpr std::array<Field<Input>, 16> kInputFields{{
    {"name", [](const Value& v, Input& s) { read_text(v, s.name); }, {}},
    {"about", not_used<Input>, {}},
    {"fabric", [](const Value& v, Input& s) { lab::read_fabric(v, s.fabric); },
     "fabric: {leaf_spine: {leaves: 2, spines: 2, hosts_per_leaf: 4}}"},
    {"jobs",
     [](const Value& v, Input& s) {
         read_list<JobInput>(v, s.job_inputs, [](const Value& item, JobInput& job) {
             read_map(item, kJobFields, job);
         });
     },
     "jobs: [{pattern: ring_allreduce, hosts: [h0, h1]}]"},
    {"lossless", [](const Value& v, Input& s) { read_lossless(v, s.lossless); }, {}},
    {"ports", [](const Value& v, Input& s) { read_ports(v, s.ports); }, {}},
    {"addresses", [](const Value& v, Input& s) { read_addresses(v, s.addresses); }, {}},
    {"rules", [](const Value& v, Input& s) { lab::read_word(v, kRuleWords, s.rules); }, {}},
    {"move", [](const Value& v, Input& s) { lab::read_word(v, kMoveWords, s.move); }, {}},
    {"gap", [](const Value& v, Input& s) { read_parsed(v, parse_interval, s.gap); }, {}},
    {"seed", [](const Value& v, Input& s) { read_number(v, 0, ~std::uint64_t{0}, s.seed); }, {}},
    {"switches", not_used<Input>, {}},
    {"hosts", not_used<Input>, {}},
    {"faults", not_used<Input>, {}},
    {"duration", not_used<Input>, {}},
    {"expect", not_used<Input>, {}},
}};

// `fabric.hook_moves` is the text of a switch's `hooks.moves`.
void read_hook_moves(const std::string& file, Input& input, Problems& problems) {
    if (input.fabric.hook_moves.empty()) return;
    const std::string text = "{uplinks: [], moves: " + input.fabric.hook_moves + "}";
    const Document document = read_yaml(file, text, problems);
    if (!problems.empty()) return;
    HookSettings hooks;
    const Value::Source source{file, document, problems};
    read_hooks(Value{source, document.root(), nullptr, {}, 0}, hooks);
    input.hook_moves = hooks.moves;
}

void check_names(const Input& input, const Value::Source& source) {
    const auto problem = [&](const std::string& path, const std::string& text) {
        source.problems.add({source.file, source.document.locate(path), path, text});
    };
    for (const auto& [name, ports] : input.ports) {
        const NodeId node = input.topology.find(name);
        const std::string path = "ports." + name;
        if (node == Topology::kNoNode || !input.topology.is_switch(node)) {
            problem(path, "no switch '" + name + "'");
            continue;
        }
        const std::size_t links = input.topology.links_of(node).size();
        if (ports.size() != links) {
            problem(path, std::to_string(ports.size()) + " names; " + name + " has " +
                              std::to_string(links) + " ports");
        } else if (std::set<std::string>(ports.begin(), ports.end()).size() != links) {
            problem(path, "a port is listed twice");
        }
    }
    std::map<IpAddress, std::string> owners;
    for (const auto& [name, address] : input.addresses) {
        const NodeId node = input.topology.find(name);
        if (node == Topology::kNoNode || input.topology.is_switch(node)) {
            problem("addresses." + name, "no host '" + name + "'");
        }
        const auto [owner, is_new] = owners.try_emplace(address, name);
        if (!is_new) problem("addresses." + name, "is the address of " + owner->second + " too");
    }
    if (!input.addresses.empty() && input.addresses.size() != input.topology.hosts()) {
        problem("addresses", "all hosts have an address, or none");
    }
}

}  // namespace

std::unique_ptr<Input> read_input(const std::string& file, std::string_view text,
                                  Problems& problems, Read what) {
    const Document document = read_yaml(file, text, problems);
    if (!problems.empty()) return nullptr;
    if (document.root() == Document::kNone) {
        problems.add({file, {}, {}, "the file is empty; weir-plan --help says what it holds"});
        return nullptr;
    }
    auto input = std::make_unique<Input>();
    const Value::Source source{file, document, problems};
    read_map(Value{source, document.root(), nullptr, {}, 0}, kInputFields, *input);
    if (!problems.empty() || !lab::check_fabric(input->fabric, source) || !problems.empty()) {
        return nullptr;
    }
    input->topology = lab::make_topology(input->fabric);
    read_hook_moves(file, *input, problems);
    check_names(*input, source);
    if (what == Read::All) make_jobs(*input, source);
    return problems.empty() ? std::move(input) : nullptr;
}

}  // namespace weir::plan

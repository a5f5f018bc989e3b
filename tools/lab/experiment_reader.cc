// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <utility>

#include "config/read_values.h"
#include "config/yaml_reader.h"
#include "tools/lab/experiment.h"
#include "tools/lab/experiment_check.h"
#include "tools/lab/fabric_reader.h"
#include "tools/lab/read_word.h"
#include "tools/lab/yaml_text.h"

namespace weir::lab {

namespace {

constexpr unsigned kQpsMax = 1'024;
constexpr unsigned kRepeatsMax = 1'000'000;
constexpr unsigned kDscpMax = 63;
constexpr std::uint64_t kSeedMax = ~std::uint64_t{0};

constexpr std::array<std::pair<std::string_view, Dcqcn>, 4> kDcqcnWords{{
    {"off", Dcqcn::Off},
    {"paper", Dcqcn::Paper},
    {"hpcc", Dcqcn::Hpcc},
    {"hpcc_paper", Dcqcn::HpccPaper},
}};

constexpr std::array<Field<HostSettings>, 11> kHostFields{{
    {"mtu",
     [](const Value& v, HostSettings& s) {
         read_number(v, roce::kMtuBytesMin, roce::kMtuBytesMax, s.mtu);
         if (s.mtu % 4 != 0) v.problem("an MTU is a multiple of 4");
     },
     {}},
    {"dcqcn", [](const Value& v, HostSettings& s) { read_word(v, kDcqcnWords, s.dcqcn); }, {}},
    {"fast_recovery_steps",
     [](const Value& v, HostSettings& s) { read_number(v, 1, 100, s.fast_recovery_steps); },
     {}},
    {"additive",
     [](const Value& v, HostSettings& s) { read_parsed(v, parse_rate, s.additive); },
     {}},
    {"hyper", [](const Value& v, HostSettings& s) { read_parsed(v, parse_rate, s.hyper); }, {}},
    {"cnp_interval",
     [](const Value& v, HostSettings& s) { read_parsed(v, parse_interval, s.cnp_interval); },
     {}},
    {"ack_every",
     [](const Value& v, HostSettings& s) { read_number(v, 0, 1'000'000, s.ack_every); },
     {}},
    {"dscp", [](const Value& v, HostSettings& s) { read_number(v, 0, kDscpMax, s.dscp); }, {}},
    {"pause_response",
     [](const Value& v, HostSettings& s) { read_parsed(v, parse_interval, s.pause_response); },
     {}},
    {"retry_forever", [](const Value& v, HostSettings& s) { read_bool(v, s.retry_forever); }, {}},
    {"timeout",
     [](const Value& v, HostSettings& s) { read_parsed(v, parse_interval, s.timeout); },
     {}},
}};

constexpr std::array<Field<JobSettings>, 13> kJobFields{{
    {"name", [](const Value& v, JobSettings& s) { read_text(v, s.name); }, {}},
    {"pattern", [](const Value& v, JobSettings& s) { read_word(v, kPatternWords, s.pattern); }, {}},
    {"arrivals", [](const Value& v, JobSettings& s) { read_text(v, s.arrivals); }, {}},
    {"bytes", [](const Value& v, JobSettings& s) { read_parsed(v, parse_bytes, s.bytes); }, {}},
    {"hosts",
     [](const Value& v, JobSettings& s) { read_list<std::string>(v, s.hosts, read_text); },
     {}},
    {"qps", [](const Value& v, JobSettings& s) { read_number(v, 1, kQpsMax, s.qps); }, {}},
    {"repeats",
     [](const Value& v, JobSettings& s) { read_number(v, 1, kRepeatsMax, s.repeats); },
     {}},
    {"shift", [](const Value& v, JobSettings& s) { read_number(v, 1, 65'535, s.shift); }, {}},
    {"start", [](const Value& v, JobSettings& s) { read_parsed(v, parse_interval, s.start); }, {}},
    {"duration",
     [](const Value& v, JobSettings& s) { read_parsed(v, parse_interval, s.duration); },
     {}},
    {"load", [](const Value& v, JobSettings& s) { read_parsed(v, parse_probability, s.load); }, {}},
    {"barrier", [](const Value& v, JobSettings& s) { read_bool(v, s.barrier); }, {}},
    {"dscp",
     [](const Value& v, JobSettings& s) { read_number(v, 0, kDscpMax, s.dscp.emplace()); },
     {}},
}};

// Every key becomes a line of each switch's file.
void read_switches(const Value& value, std::string& target) {
    for_each_pair(value, [&](Document::Node, const Value& entry) {
        target +=
            std::string(entry.key) + ": " + yaml_text(entry.source.document, entry.node) + "\n";
    });
}

constexpr std::array<Field<FaultSettings>, 9> kFaultFields{{
    {"at", [](const Value& v, FaultSettings& s) { read_parsed(v, parse_interval, s.at); },
     "at: 1ms"},
    {"link",
     [](const Value& v, FaultSettings& s) { read_list<std::string>(v, s.link, read_text); },
     {}},
    {"kill", [](const Value& v, FaultSettings& s) { read_text(v, s.kill); }, {}},
    {"stall", [](const Value& v, FaultSettings& s) { read_text(v, s.stall); }, {}},
    {"reload", [](const Value& v, FaultSettings& s) { read_text(v, s.reload); }, {}},
    {"switches", [](const Value& v, FaultSettings& s) { read_switches(v, s.switches); }, {}},
    {"lasts",
     [](const Value& v, FaultSettings& s) { read_parsed(v, parse_interval, s.lasts); },
     {}},
    {"silent", [](const Value& v, FaultSettings& s) { read_bool(v, s.silent); }, {}},
    {"one_way", [](const Value& v, FaultSettings& s) { read_bool(v, s.one_way); }, {}},
}};

constexpr std::array<std::pair<std::string_view, Expectation>, 3> kExpectations{{
    {"finished", Expectation::Finished},
    {"deadlock", Expectation::Deadlock},
    {"running", Expectation::Running},
}};

constexpr std::array<Field<Experiment>, 12> kExperimentFields{{
    {"name", [](const Value& v, Experiment& s) { read_text(v, s.name); }, "name: incast"},
    {"about", [](const Value& v, Experiment& s) { read_text(v, s.about); }, {}},
    {"seed", [](const Value& v, Experiment& s) { read_number(v, 0, kSeedMax, s.seed); }, {}},
    {"fabric", [](const Value& v, Experiment& s) { read_fabric(v, s.fabric); },
     "fabric: {leaf_spine: {leaves: 2, spines: 2, hosts_per_leaf: 4}}"},
    {"switches", [](const Value& v, Experiment& s) { read_switches(v, s.switches); }, {}},
    {"hosts", [](const Value& v, Experiment& s) { read_map(v, kHostFields, s.hosts); }, {}},
    {"jobs",
     [](const Value& v, Experiment& s) {
         read_list<JobSettings>(v, s.jobs, [](const Value& item, JobSettings& job) {
             read_map(item, kJobFields, job);
         });
     },
     "jobs: [{pattern: permutation, bytes: 1MB}]"},
    {"faults",
     [](const Value& v, Experiment& s) {
         read_list<FaultSettings>(v, s.faults, [](const Value& item, FaultSettings& fault) {
             read_map(item, kFaultFields, fault);
         });
     },
     {}},
    {"duration",
     [](const Value& v, Experiment& s) { read_parsed(v, parse_interval, s.duration); },
     {}},
    {"sample", [](const Value& v, Experiment& s) { read_parsed(v, parse_interval, s.sample); }, {}},
    {"compare_no_failure",
     [](const Value& v, Experiment& s) { read_bool(v, s.compare_no_failure); },
     {}},
    {"expect", [](const Value& v, Experiment& s) { read_word(v, kExpectations, s.expect); }, {}},
}};

}  // namespace

std::unique_ptr<const Experiment> read_experiment(const std::string& file, std::string_view text,
                                                  Problems& problems) {
    const Document document = read_yaml(file, text, problems);
    if (!problems.empty()) return nullptr;
    auto experiment = std::make_unique<Experiment>();
    const Value::Source source{file, document, problems};
    if (document.root() == Document::kNone) {
        problems.add({file, {}, {}, "the file is empty; weir-lab list shows examples"});
        return nullptr;
    }
    read_map(Value{source, document.root(), nullptr, {}, 0}, kExperimentFields, *experiment);
    if (problems.empty()) check_experiment(*experiment, source);
    return problems.empty() ? std::move(experiment) : nullptr;
}

}  // namespace weir::lab

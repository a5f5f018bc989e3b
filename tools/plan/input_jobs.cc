// SPDX-License-Identifier: BSD-3-Clause
#include "tools/plan/input_jobs.h"

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <unordered_map>

#include "dataplane/core/mix.h"

namespace weir::plan {

namespace {

// One line of a host file: "gpu01", "gpu01 slots=8", "gpu01:8" or a list as Slurm writes it.
struct HostLine {
    std::string name;
    unsigned slots = 0;  // 0: not said
};

HostLine host_line(std::string line) {
    line.erase(std::min(line.find('#'), line.size()));
    std::istringstream words(line);
    HostLine out;
    words >> out.name;
    const std::size_t colon = out.name.find(':');
    std::string slots;
    if (colon != std::string::npos) {
        slots = out.name.substr(colon + 1);
        out.name.erase(colon);
    }
    for (std::string word; words >> word;) {
        if (word.rfind("slots=", 0) == 0) slots = word.substr(6);
    }
    const Reading<std::uint64_t> number = parse_number(slots, 1, 1'024);
    if (number) out.slots = static_cast<unsigned>(*number);
    return out;
}

class Maker {
  public:
    Maker(Input& input, const Value::Source& source) : input_(input), source_(source) {
        for (unsigned i = 0; i < input.topology.hosts(); ++i) {
            const NodeId host = input.topology.host(i);
            hosts_[input.topology.name(host)] = host;
        }
    }

    void add(std::size_t index) {
        path_ = "jobs[" + std::to_string(index) + "]";
        const JobInput& from = input_.job_inputs[index];
        if (from.ignored) return;
        Job job{.name = from.name.empty() ? "job " + std::to_string(index) : from.name,
                .pattern = from.pattern,
                .bytes = from.bytes,
                .ranks_per_host = from.ranks_per_host,
                .rails = from.rails,
                .shift = from.shift,
                .seed = avalanche(input_.seed + index),
                .source_ports = from.source_ports};
        if (!from.source_ports.empty() && from.qps > 1 && from.qps != from.source_ports.size()) {
            problem(".source_ports", "there are " + std::to_string(from.qps) + " queue pairs");
        }
        for (const std::string& text : from.hosts) add_named(".hosts", text, job);
        if (!from.host_file.empty()) add_file(from.host_file, job);
        if (from.hosts.empty() && from.host_file.empty()) {
            for (unsigned i = 0; i < input_.topology.hosts(); ++i) {
                job.hosts.push_back(input_.topology.host(i));
            }
        }
        if (std::set<NodeId>(job.hosts.begin(), job.hosts.end()).size() != job.hosts.size()) {
            problem(".hosts", "a host is listed twice");
        } else if (source_.problems.empty()) {
            const std::string wrong = problem_of(job);
            if (!wrong.empty()) problem("", wrong);
        }
        input_.jobs.push_back(std::move(job));
    }

  private:
    void problem(const char* key, const std::string& text) {
        source_.problems.add(
            {source_.file, source_.document.locate(path_ + key), path_ + key, text});
    }

    void add_named(const char* key, const std::string& text, Job& job) {
        const std::vector<std::string> names = expand_hosts(text);
        if (names.empty()) problem(key, "'" + text + "' is no list of hosts; write gpu[01-16]");
        for (const std::string& name : names) add_host(key, name, job);
    }

    // A host, or a server whose NICs are the hosts NAME-0, NAME-1, ...: one rail each.
    void add_host(const char* key, const std::string& name, Job& job) {
        const auto host = hosts_.find(name);
        if (host != hosts_.end()) {
            job.hosts.push_back(host->second);
            return;
        }
        unsigned nics = 0;
        for (;; ++nics) {
            const auto nic = hosts_.find(name + "-" + std::to_string(nics));
            if (nic == hosts_.end()) break;
            job.hosts.push_back(nic->second);
        }
        if (nics == 0) {
            problem(key, "no host '" + name + "' and no '" + name + "-0'; there are " +
                             input_.topology.name(input_.topology.host(0)) + " to " +
                             input_.topology.name(input_.topology.nodes() - 1));
        } else if (job.rails == 1) {
            job.rails = nics;
        } else if (job.rails != nics) {
            problem(key, name + " has " + std::to_string(nics) + " NICs; the job has " +
                             std::to_string(job.rails) + " rails");
        }
    }

    void add_file(const std::string& name, Job& job) {
        const auto path = std::filesystem::path(source_.file).parent_path() / name;
        std::ifstream stream(path);
        if (!stream) return problem(".host_file", "cannot read " + path.string());
        unsigned slots = 0;
        for (std::string text; std::getline(stream, text);) {
            const HostLine line = host_line(text);
            if (line.name.empty()) continue;
            if (line.slots != 0 && slots != 0 && line.slots != slots) {
                return problem(".host_file", line.name + " has other slots than the hosts before");
            }
            slots = std::max(slots, line.slots);
            add_named(".host_file", line.name, job);
        }
        // A server's slots are its ranks, one or more on each NIC.
        if (slots != 0) job.ranks_per_host = std::max(1u, slots / job.rails);
    }

    Input& input_;
    const Value::Source& source_;
    std::unordered_map<std::string, NodeId> hosts_;
    std::string path_;
};

}  // namespace

void make_jobs(Input& input, const Value::Source& source) {
    Maker maker(input, source);
    for (std::size_t i = 0; i < input.job_inputs.size(); ++i) maker.add(i);
    if (source.problems.empty() && input.jobs.empty()) {
        source.problems.add({source.file, {}, "jobs", "no job has flows that could be planned"});
    }
}

}  // namespace weir::plan

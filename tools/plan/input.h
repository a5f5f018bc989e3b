// SPDX-License-Identifier: BSD-3-Clause
// What weir-plan is asked: a fabric and the jobs on it, in the words of the lab's experiments. The
// lab's other keys are allowed and not used, so an experiment's file is an input as it is.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/problem.h"
#include "config/settings.h"
#include "tools/lab/experiment.h"
#include "tools/plan/demand.h"

namespace weir::plan {

enum class Move : std::uint8_t { Now, Gap };

struct JobInput {
    std::string name;
    roce::Pattern pattern = roce::Pattern::RingAllReduce;
    Bytes bytes = 1'000'000;
    std::vector<std::string> hosts;  // names, servers, or lists as Slurm writes them
    std::string host_file;           // one name or server per line, `slots=N` behind it
    unsigned ranks_per_host = 1;
    unsigned rails = 1;
    unsigned shift = 1;
    unsigned qps = 1;
    std::vector<std::uint16_t> source_ports;
    bool ignored = false;  // `arrivals`: random traffic has no plan
};

struct Input {
    std::string name;
    std::uint64_t seed = 1;  // of permutations, which come out as in the lab
    lab::FabricSettings fabric;
    std::vector<JobInput> job_inputs;
    std::vector<Priority> lossless = {3};
    std::map<unsigned, HookMovesSettings> hook_moves;       // from the fabric's
    std::map<std::string, std::vector<std::string>> ports;  // of a switch; default p0, p1, ...
    std::map<std::string, IpAddress> addresses;             // of a host; default: the lab's
    RuleKind rules = RuleKind::Auto;
    Move move = Move::Gap;
    Interval gap = Interval::microseconds(100);

    lab::Topology topology;  // made of `fabric`
    std::vector<Job> jobs;   // made of `job_inputs`
};

enum class Read : std::uint8_t { All, FabricOnly };  // FabricOnly: `jobs` stays empty

// Null, and the reasons in `problems`, when anything is wrong.
[[nodiscard]] std::unique_ptr<Input> read_input(const std::string& file, std::string_view text,
                                                Problems& problems, Read what = Read::All);

// "gpu[01-03,7]" -> gpu01, gpu02, gpu03, gpu7: what Slurm prints. Empty: it means nothing.
[[nodiscard]] std::vector<std::string> expand_hosts(std::string_view text);

}  // namespace weir::plan

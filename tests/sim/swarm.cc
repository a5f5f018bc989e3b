// SPDX-License-Identifier: BSD-3-Clause
// Random fabrics, loads, configurations and faults, with the checkers after every event.
//
//   swarm FIRST COUNT      seeds FIRST .. FIRST + COUNT - 1
//   swarm fresh SECONDS    seeds from the clock, for so long
//   swarm FIRST 1          repeats one
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "tests/sim/random_experiment.h"
#include "tools/lab/run.h"

namespace weir::lab {
namespace {

constexpr unsigned kEventsPerCheck = 64;

std::string describe(const Experiment& experiment) {
    const Topology topology = make_topology(experiment.fabric);
    return std::to_string(topology.switches()) + " switches of " +
           std::to_string(experiment.fabric.shards) + " shards, " +
           std::to_string(topology.hosts()) + " hosts, " + std::to_string(experiment.jobs.size()) +
           " jobs, " + std::to_string(experiment.faults.size()) + " faults";
}

// True if nothing was found.
bool run_seed(const char* program, std::uint64_t seed, std::uint64_t& events) {
    const Experiment experiment = random_experiment(seed);
    Problems problems;
    auto result =
        run_experiment(experiment, {.seed = seed, .events_per_check = kEventsPerCheck}, problems);
    if (!result) {
        std::printf("seed %llu: %s", static_cast<unsigned long long>(seed),
                    problems.text().c_str());
        return false;
    }
    events += result->events;
    for (const JobResult& job : result->jobs) {
        if (job.flows_failed == 0 && job.finished) continue;
        result->violations.push_back(job.name + ": " + std::to_string(job.flows_done) + " of " +
                                     std::to_string(job.flows) + " flows done, " +
                                     std::to_string(job.flows_failed) + " failed, at the end");
    }
    if (result->violations.empty()) return true;
    std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed),
                describe(experiment).c_str());
    for (const std::string& line : result->violations) std::printf("  %s\n", line.c_str());
    std::printf("repeat with: %s %llu 1\n", program, static_cast<unsigned long long>(seed));
    std::fflush(stdout);
    return false;
}

int swarm(const char* program, std::uint64_t first, std::uint64_t count, double seconds) {
    const auto began = std::chrono::steady_clock::now();
    std::uint64_t failed = 0;
    std::uint64_t events = 0;
    std::uint64_t seed = first;
    for (; seed != first + count; ++seed) {
        if (!run_seed(program, seed, events)) ++failed;
        const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - began;
        if (seconds > 0 && wall.count() > seconds) break;
    }
    std::printf("%llu seeds from %llu, %llu events: %llu failed\n",
                static_cast<unsigned long long>(seed - first),
                static_cast<unsigned long long>(first), static_cast<unsigned long long>(events),
                static_cast<unsigned long long>(failed));
    return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace weir::lab

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fputs("usage: swarm FIRST COUNT | swarm fresh SECONDS\n", stderr);
        return 2;
    }
    if (std::strcmp(argv[1], "fresh") == 0) {
        const auto now = std::chrono::system_clock::now().time_since_epoch().count();
        return weir::lab::swarm(argv[0], static_cast<std::uint64_t>(now) >> 10, ~0ull,
                                std::strtod(argv[2], nullptr));
    }
    return weir::lab::swarm(argv[0], std::strtoull(argv[1], nullptr, 10),
                            std::strtoull(argv[2], nullptr, 10), 0);
}

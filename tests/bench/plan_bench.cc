// SPDX-License-Identifier: BSD-3-Clause
// How long planning takes, and how much memory: 16,384 ranks behind 128 leaves, and 65,536 in three
// tiers. Exit status 1 if a plan is not the best one.
#include <cmath>
#include <cstdio>
#include <ctime>

#include <sys/resource.h>

#include "tools/plan/assign.h"
#include "tools/plan/backups.h"
#include "tools/plan/demand.h"
#include "tools/plan/failures.h"

namespace weir::plan {
namespace {

double seconds() {
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

// Every stride-th host after the other, so that all neighbors in the ring are behind other leaves.
Job ring(const Topology& topology, unsigned stride) {
    Job job;
    for (unsigned first = 0; first < stride; ++first) {
        for (unsigned i = first; i < topology.hosts(); i += stride) {
            job.hosts.push_back(topology.host(i));
        }
    }
    return job;
}

int run(const char* name, const Topology& topology, const std::vector<Job>& jobs) {
    const double began = seconds();
    const Tiers tiers(topology);
    const std::vector<Flow> flows = flows_of(topology, jobs, RuleKind::Auto);
    std::vector<Way> primary = assign_ways(tiers, flows, {});
    const double assigned = seconds();
    const std::vector<Ways> ways = plan_backups(tiers, flows, std::move(primary));
    const double planned = seconds();
    const Loads loads = loads_of(topology, flows, ways);
    const LoadSummary summary = summary_of(topology, loads);
    const double bound = LowerBound(tiers, flows).without_failure();
    double worst = 0;
    double worst_bound = 0;
    unsigned above = 0;
    for (const Failure& failure : failures_of(tiers, flows, ways, loads)) {
        worst = std::fmax(worst, failure.reached);
        worst_bound = std::fmax(worst_bound, failure.bound);
        above += failure.reached > failure.bound + 1e-9 ? 1 : 0;
    }
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    std::printf(
        "%-28s %8zu flows  ways %.2f s  backups %.2f s  failures %.2f s  peak %ld MiB\n"
        "    fullest %.3f (bound %.3f)  max/mean %.3f  Jain %.3f  after a failure %.3f (bound "
        "%.3f, above in %u)\n",
        name, flows.size(), assigned - began, planned - assigned, seconds() - planned,
        usage.ru_maxrss / 1024, summary.fullest, bound, summary.max_over_mean, summary.jain, worst,
        worst_bound, above);
    return summary.fullest > bound + 1e-9 ? 1 : 0;
}

int all() {
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    const Topology two = lab::make_leaf_spine(
        {.leaves = 128, .spines = 128, .hosts_per_leaf = 128, .links_per_pair = 1}, {});
    const Topology parallel = lab::make_leaf_spine(
        {.leaves = 128, .spines = 16, .hosts_per_leaf = 128, .links_per_pair = 8}, {});
    int failed = run("ring, 128 leaves", two, {ring(two, 128)});
    failed |= run("ring, 16 spines x 8 links", parallel, {ring(parallel, 128)});
    Job mixture = ring(two, 1);
    mixture.pattern = roce::Pattern::HalvingDoublingAllReduce;
    failed |= run("halving-doubling", two, {mixture});
    mixture.pattern = roce::Pattern::AllToAll;
    failed |= run("all-to-all, prefixes", two, {mixture});
    const Topology three = lab::make_fat_tree({.k = 64}, {});
    failed |= run("ring, fat tree of 65,536", three, {ring(three, 1024)});
    return failed;
}

}  // namespace
}  // namespace weir::plan

int main() {
    return weir::plan::all();
}

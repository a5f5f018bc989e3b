// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/io/eal.h"

#include <cstdio>

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_log.h>
#include <rte_pdump.h>
#include <sched.h>
#include <unistd.h>

#include "dataplane/io/captured_output.h"
#include "dataplane/io/eal_files.h"

namespace weir {

namespace {

std::vector<unsigned> allowed_cores() {
    cpu_set_t set;
    CPU_ZERO(&set);
    std::vector<unsigned> cores;
    if (sched_getaffinity(0, sizeof set, &set) != 0) return {0};
    for (unsigned core = 0; core < CPU_SETSIZE; ++core) {
        if (CPU_ISSET(core, &set)) cores.push_back(core);
    }
    return cores;
}

std::string reason_text(const std::string& output) {
    const std::string line = line_of_eal(output);
    return line.empty() ? std::string(rte_strerror(rte_errno)) : line;
}

}  // namespace

Machine this_machine() {
    Machine machine;
    machine.cores = allowed_cores();
    machine.hugetlbfs_mounted = !hugetlbfs_mounts().empty();
    machine.hugepage_bytes_free = hugepage_bytes_free();
    machine.root = geteuid() == 0;
    machine.process_id = static_cast<unsigned>(getpid());
    return machine;
}

std::string start_eal(const EalPlan& plan) {
    std::vector<std::string> arguments = plan.arguments;
    std::vector<char*> argv;
    argv.reserve(arguments.size() + 1);
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    // EAL's own stream goes to syslog as well, which nobody asked for.
    rte_openlog_stream(stderr);
    // For an unknown option EAL prints two pages of usage; one line is enough to mend it.
    CapturedOutput output;
    const int taken = rte_eal_init(static_cast<int>(arguments.size()), argv.data());
    const std::string text = output.end();
    if (taken < 0) {
        const std::string reason = reason_text(text);
        // A prefix of the user's may be another process's, which would then be the reason.
        if (plan.own_prefix) remove_eal_files(plan.file_prefix);
        return "eal: DPDK did not start: " + reason;
    }
    std::fputs(text.c_str(), stderr);
    if (taken + 1 < static_cast<int>(arguments.size())) {
        return std::string("eal: not an option: ") + argv[static_cast<std::size_t>(taken) + 1];
    }
    // For dpdk-dumpcap; without shared memory there is none. DPDK 22.11 lets it go without waiting
    // for the worker: one that is preempted for longer than a message takes (it shares its core)
    // in the middle of copying a burst then touches memory that is gone.
    rte_pdump_init();
    return {};
}

std::vector<unsigned> worker_lcores() {
    std::vector<unsigned> lcores;
    unsigned lcore = 0;
    RTE_LCORE_FOREACH_WORKER(lcore) {
        lcores.push_back(lcore);
    }
    return lcores;
}

void end_eal(const EalPlan& plan) {
    rte_pdump_uninit();
    rte_eal_cleanup();
    remove_eal_files(plan.file_prefix);
}

void remove_stale_eal_files() {
    for (const std::string& prefix : stale_eal_prefixes("weir-")) remove_eal_files(prefix);
}

}  // namespace weir

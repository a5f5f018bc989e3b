// SPDX-License-Identifier: BSD-3-Clause
// What DPDK's environment (EAL) is started with: decided here from plain facts, so that a test can
// ask for any machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

struct Machine {
    std::vector<unsigned> cores;  // that this process may use, ascending
    std::uint64_t hugepage_bytes_free = 0;
    bool hugetlbfs_mounted = false;
    bool root = false;
    unsigned process_id = 0;
};

struct EalRequest {
    std::vector<std::string> words;        // the user's: from the file, then from the command line
    std::vector<unsigned> worker_cores;    // empty: one worker on the last core
    std::vector<std::string> pci_devices;  // addresses of the ports' devices
    std::uint32_t memory_mebibytes = 0;    // for frames, shards and rings
};

struct EalPlan {
    std::vector<std::string> arguments;  // the program's name first
    std::vector<std::string> warnings;
    std::vector<unsigned> worker_cores;  // worker i runs on EAL's lcore i + 1; empty: user's lcores
    std::string file_prefix;
    bool own_prefix = false;    // of this process alone
    bool shares_cores = false;  // the control thread has no core to itself
    std::string problem;        // empty: start
    std::string problem_path;   // the setting at fault
};

[[nodiscard]] EalPlan plan_eal(const EalRequest& request, const Machine& machine);

// True when `words` hold the option in any spelling: "-m 64", "-m64", "--opt 1", "--opt=1".
[[nodiscard]] bool has_option(const std::vector<std::string>& words, std::string_view option);

// "0-3,7"
[[nodiscard]] std::string core_list_text(const std::vector<unsigned>& cores);

}  // namespace weir

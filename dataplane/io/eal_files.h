// SPDX-License-Identifier: BSD-3-Clause
// The files that DPDK keeps per process: hugepages in hugetlbfs, and a runtime directory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weir {

[[nodiscard]] std::vector<std::string> hugetlbfs_mounts();
[[nodiscard]] std::uint64_t hugepage_bytes_free();

// Prefixes of this beginning and a process number whose process is gone: nobody holds the lock of
// their "config" file.
[[nodiscard]] std::vector<std::string> stale_eal_prefixes(const std::string& beginning);

void remove_eal_files(const std::string& prefix);

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include <rte_eal.h>

namespace weir {

// DPDK's libraries without devices or hugepages, for comparisons with them. Its files go to a
// directory of our own, so that it meets no other DPDK program.
class Eal {
  public:
    Eal() {
        std::string pattern = std::filesystem::temp_directory_path() / "weir-eal-XXXXXX";
        if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary directory");
        directory_ = pattern;
        setenv("RUNTIME_DIRECTORY", directory_.c_str(), 1);
        std::vector<std::string> words = {"test",        "--no-huge", "-m",
                                          "320",         "--no-pci",  "--no-telemetry",
                                          "--no-shconf", "-l0",       "--log-level=error"};
        std::vector<char*> arguments;
        arguments.reserve(words.size());
        for (std::string& word : words) arguments.push_back(word.data());
        if (rte_eal_init(static_cast<int>(arguments.size()), arguments.data()) < 0) {
            throw std::runtime_error("rte_eal_init failed");
        }
    }
    ~Eal() {
        rte_eal_cleanup();
        std::error_code ignored;
        std::filesystem::remove_all(directory_, ignored);
    }
    Eal(const Eal&) = delete;
    Eal& operator=(const Eal&) = delete;

  private:
    std::filesystem::path directory_;
};

}  // namespace weir

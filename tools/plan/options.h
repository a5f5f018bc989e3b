// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace weir::plan {

inline constexpr int kExitOk = 0;
inline constexpr int kExitRefused = 1;  // the tables are wrong
inline constexpr int kExitUsage = 2;    // the command line or the input is wrong

struct Options {
    enum class Command : std::uint8_t { Run, Check } command = Command::Run;
    std::string input;   // Run: the input. Check: a plan file, or a folder of them
    std::string fabric;  // Check: the input; default: input.yaml beside the plan
    std::string out;
    std::string keep;
    std::string json_path;
    std::string report_path;
};

struct ParsedOptions {
    std::optional<Options> options{};  // empty: print `text` and exit
    std::string text{};
    int exit_status = kExitOk;
};

[[nodiscard]] ParsedOptions parse_options(int argc, const char* const* argv);

}  // namespace weir::plan

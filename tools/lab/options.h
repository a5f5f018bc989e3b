// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace weir::lab {

inline constexpr int kExitOk = 0;
inline constexpr int kExitViolation = 1;  // a checker found something, or time ran out
inline constexpr int kExitUsage = 2;      // the command line or the file is wrong
inline constexpr int kExitInterrupted = 130;

struct Options {
    enum class Command : std::uint8_t { Run, List, Curves } command = Command::List;
    std::string experiment;             // a file, or the name of a shipped one
    std::string curves;                 // the file
    std::optional<std::uint64_t> seed;  // none: the experiment's
    std::string json_path;
    std::string report_path;
    bool quiet = false;
};

struct ParsedOptions {
    std::optional<Options> options{};  // empty: print `text` and exit
    std::string text{};
    int exit_status = kExitOk;
};

[[nodiscard]] ParsedOptions parse_options(int argc, const char* const* argv);

}  // namespace weir::lab

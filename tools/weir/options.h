// SPDX-License-Identifier: BSD-3-Clause
// The command line of `weir`.
#pragma once

#include <string>
#include <vector>

namespace weir {

struct Options {
    std::vector<std::string> eal;       // what stands before "--"
    std::vector<std::string> files;     // -c: one per switch
    std::vector<std::string> check;     // --check: validate these and end
    std::vector<std::string> commands;  // -e, with --attach
    std::string attach;                 // --attach: be a console of another process
    std::string socket;                 // --socket: consoles may attach here
    std::string command_file;           // --cmd-file
    std::string events;                 // --events: "-" is stdout
    bool interactive = false;           // -i
};

// What a command line means: options, or a text to print and a status to end with.
struct ParsedOptions {
    Options options;
    bool ends = false;
    int status = 0;
    std::string out;      // to stdout: help, version
    std::string problem;  // to stderr: one line
};

[[nodiscard]] ParsedOptions parse_options(const std::vector<std::string>& arguments);

}  // namespace weir

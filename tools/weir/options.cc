// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/options.h"

#include <algorithm>

#include <CLI/CLI.hpp>

namespace weir {
namespace {

constexpr const char* kAbout =
    "weir - a lossless RoCEv2 software switch on DPDK\n"
    "\n"
    "Each FILE describes one switch (config/examples/ holds some to begin with). Without -i it "
    "runs\n"
    "until SIGINT or SIGTERM. Saving a file, `reload` or SIGHUP applies what changed in it.";

constexpr const char* kMore =
    "EAL options of DPDK stand before `--`, or in the file under `eal:`. A switch needs none: it\n"
    "takes memory, cores and devices by itself, with or without hugepages.\n"
    "\n"
    "Examples\n"
    "  weir -c leaf.yaml -i                       a switch, and its console here\n"
    "  weir -l 2-3 -- -c leaf.yaml                the same on cores 2 and 3, in the background\n"
    "  weir -c leaf1.yaml -c leaf2.yaml -c spine.yaml -i\n"
    "                                             a fabric: ports `device: ring:NAME` are joined\n"
    "  weir --check leaf.yaml                     is the file right, and what becomes of it?\n"
    "  weir -c leaf.yaml --socket /run/weir/leaf.sock\n"
    "  weir --attach /run/weir/leaf.sock          the console of that switch\n"
    "  weir --attach /run/weir/leaf.sock -e 'show port stats all'\n"
    "\n"
    "Console\n"
    "  TAB completes, ? lists what may come next, `help` lists the commands. docs/operating.md\n"
    "  describes them.\n"
    "\n"
    "Exit status\n"
    "  0  it ran and ended as asked; --check: all files are right\n"
    "  1  a command of --cmd-file, -e or a pipe failed\n"
    "  2  it could not start, or a file of --check is wrong: stderr says what to write instead\n"
    "\n"
    "Files\n"
    "  /var/run/dpdk/PREFIX/dpdk_telemetry.v2     telemetry: /weir/switches, /weir/port_stats "
    "...\n";

void declare(CLI::App& app, Options& options) {
    app.footer(kMore);
    app.set_help_flag("-h,--help", "Print this and end");
    app.add_option("-c,--config", options.files,
                   "Be the switch that FILE describes; may be repeated")
        ->type_name("FILE")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    app.add_flag("-i,--interactive", options.interactive,
                 "Read commands from the terminal, or from a pipe until its end");
    app.add_option("--cmd-file", options.command_file, "Run the commands in FILE first")
        ->type_name("FILE");
    app.add_option("--socket", options.socket,
                   "Let consoles attach at this UNIX socket (in the file: `console:`)")
        ->type_name("PATH");
    app.add_option("--events", options.events,
                   "Write events as JSON lines to FILE, `-` is stdout (in the file: `events:`)")
        ->type_name("FILE");
    app.add_option("--check", options.check,
                   "Validate the files, print what would be compiled, and end")
        ->type_name("FILE")
        ->expected(1, -1);
    app.add_option("--attach", options.attach, "Be a console of the switch behind this socket")
        ->type_name("PATH");
    app.add_option("-e,--execute", options.commands,
                   "With --attach: run COMMAND and end; may be repeated")
        ->type_name("COMMAND")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    app.set_version_flag("--version", "weir " WEIR_VERSION " (DPDK " WEIR_DPDK_VERSION ")",
                         "Print the version and end");
}

// What is wrong between options, or empty.
std::string contradiction(const Options& options) {
    const bool attaches = !options.attach.empty();
    const bool checks = !options.check.empty();
    if (!options.commands.empty() && !attaches) return "-e goes with --attach PATH";
    if (attaches && (checks || !options.files.empty())) {
        return "--attach is a console only: leave out -c and --check";
    }
    if (checks && !options.files.empty()) return "--check starts no switch: leave out -c";
    if (!attaches && !checks && options.files.empty()) {
        return "which switch? write -c FILE (examples: config/examples/; see weir --help)";
    }
    return {};
}

std::string one_line(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
}

ParsedOptions refused(const std::string& problem) {
    ParsedOptions parsed;
    parsed.ends = true;
    parsed.status = 2;
    parsed.problem = problem;
    return parsed;
}

}  // namespace

ParsedOptions parse_options(const std::vector<std::string>& arguments) {
    ParsedOptions parsed;
    std::vector<std::string> own = arguments;
    const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
    if (dashes != arguments.end()) {
        parsed.options.eal.assign(arguments.begin(), dashes);
        own.assign(dashes + 1, arguments.end());
    }
    CLI::App app(kAbout, "weir");
    declare(app, parsed.options);
    std::reverse(own.begin(), own.end());  // CLI11 takes them from the back
    try {
        app.parse(own);
    } catch (const CLI::CallForHelp&) {
        parsed.ends = true;
        parsed.out = app.help();
        return parsed;
    } catch (const CLI::CallForVersion& version) {
        parsed.ends = true;
        parsed.out = std::string(version.what()) + "\n";
        return parsed;
    } catch (const CLI::ParseError& error) {
        return refused(one_line(error.what()) + " (see weir --help; EAL options stand before --)");
    }
    const std::string problem = contradiction(parsed.options);
    return problem.empty() ? parsed : refused(problem);
}

}  // namespace weir

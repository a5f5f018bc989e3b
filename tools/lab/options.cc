// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lab/options.h"

#include <CLI/CLI.hpp>

namespace weir::lab {

namespace {

std::string one_line(std::string text) {
    for (char& c : text) {
        if (c == '\n') c = ' ';
    }
    while (!text.empty() && text.back() == ' ') text.pop_back();
    return text;
}

}  // namespace

ParsedOptions parse_options(int argc, const char* const* argv) {
    Options options;
    CLI::App app{"The switch in a virtual-time fabric, with RoCE hosts", "weir-lab"};
    app.set_version_flag("--version", "weir-lab " WEIR_VERSION);
    app.require_subcommand(1);
    CLI::App* run = app.add_subcommand("run", "Run an experiment and show what came of it");
    app.add_subcommand("list", "List the experiments that come with weir-lab");
    run->add_option("experiment", options.experiment,
                    "Experiment file, or a name that `weir-lab list` shows")
        ->required();
    run->add_option("--seed", options.seed,
                    "Seed of hashes, marks, loss and traffic; default: the experiment's");
    run->add_option("--json", options.json_path, "Write the result to this file");
    run->add_option("--report", options.report_path, "Write an HTML report to this file");
    run->add_flag("--quiet", options.quiet, "No progress bar");
    CLI::App* curves = app.add_subcommand("curves", "Make a page of what a demonstration measured");
    curves->add_option("file", options.curves, "What tools/start --demo wrote")->required();
    curves->add_option("--report", options.report_path, "Write the HTML page to this file")
        ->required();
    try {
        app.parse(argc, argv);
        if (run->parsed()) options.command = Options::Command::Run;
        if (curves->parsed()) options.command = Options::Command::Curves;
        return {.options = options};
    } catch (const CLI::CallForHelp&) {
        return {.text = app.help()};
    } catch (const CLI::Success& asked) {  // --version
        return {.text = std::string(asked.what()) + "\n"};
    } catch (const CLI::Error& error) {
        return {.text = "weir-lab: " + one_line(error.what()) + " (see weir-lab --help)\n",
                .exit_status = kExitUsage};
    }
}

}  // namespace weir::lab

// SPDX-License-Identifier: BSD-3-Clause
#include "tools/plan/options.h"

#include <algorithm>

#include <CLI/CLI.hpp>

namespace weir::plan {

namespace {

constexpr const char* kInputHelp =
    "An input is YAML: `fabric:` and `jobs:` in the words of weir-lab's experiments, and\n"
    "  jobs:      name, pattern, bytes, hosts or host_file, rails, ranks_per_host, source_ports\n"
    "  ports:     {leaf0: [down0, up0]}     default p0, p1, ... as in the lab\n"
    "  addresses: {h0: 10.0.0.1}            default as in the lab\n"
    "  lossless:  [3]    rules: auto | exact | prefix    move: gap | now    gap: 100us\n"
    "See docs/planning.md.";

std::string one_line(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    while (!text.empty() && text.back() == ' ') text.pop_back();
    return text;
}

void add_run(CLI::App& app, Options& options) {
    CLI::App* run = app.add_subcommand("run", "Plan the flows of jobs on a fabric");
    run->add_option("input", options.input, "Fabric and jobs")->required();
    run->add_option("--out", options.out, "Write one plan file per switch into this folder");
    run->add_option("--keep", options.keep,
                    "Folder of the plan in use: its flows stay where they are, unless forced");
    run->add_option("--json", options.json_path, "Write the summary to this file");
    run->add_option("--report", options.report_path, "Write a report in Markdown to this file");
    run->footer(kInputHelp);
}

}  // namespace

ParsedOptions parse_options(int argc, const char* const* argv) {
    Options options;
    CLI::App app{"Path tables for the flows of jobs, without collisions where there need be none",
                 "weir-plan"};
    app.set_version_flag("--version", "weir-plan " WEIR_VERSION);
    app.require_subcommand(1);
    add_run(app, options);
    CLI::App* check = app.add_subcommand(
        "check", "Refuse plan files that would loop, stand still or serve nobody");
    check->add_option("plan", options.input, "A plan file, or a folder of them")->required();
    check->add_option("--input", options.fabric,
                      "Input with the fabric; default: input.yaml beside the plan");
    app.footer(kInputHelp);
    try {
        app.parse(argc, argv);
        options.command = check->parsed() ? Options::Command::Check : Options::Command::Run;
        return {.options = options};
    } catch (const CLI::CallForHelp&) {
        return {.text = app.help()};
    } catch (const CLI::Success& asked) {  // --version
        return {.text = std::string(asked.what()) + "\n"};
    } catch (const CLI::Error& error) {
        return {.text = "weir-plan: " + one_line(error.what()) + " (see weir-plan --help)\n",
                .exit_status = kExitUsage};
    }
}

}  // namespace weir::plan

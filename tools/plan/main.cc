// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>
#include <exception>
#include <memory>

#include "tools/gen/output_file.h"
#include "tools/plan/options.h"
#include "tools/plan/plan_folder.h"
#include "tools/plan/planner.h"
#include "tools/plan/report.h"
#include "tools/plan/table_check.h"

namespace weir::plan {
namespace {

int refuse(const Problems& problems, int exit_status) {
    std::fputs(problems.text().c_str(), stderr);
    return exit_status;
}

void write(const std::string& path, const std::string& text) {
    if (path.empty()) return;
    gen::OutputFile file(path);
    file.stream() << text;
    file.finish();
}

// What is written has passed the same check that `weir-plan check` makes.
void check_own(const Input& input, const Tiers& tiers, const Plan& plan, Problems& problems) {
    PathTables tables(input);
    for (const PlanFile& file : plan.files) tables.add(file.switch_name, file, problems);
    if (problems.empty()) check_tables(input, tiers, tables, problems);
}

int run(const Options& options) {
    Problems problems;
    const std::string text = read_file(options.input);
    const std::unique_ptr<Input> input = read_input(options.input, text, problems);
    if (input == nullptr) return refuse(problems, kExitUsage);
    const Tiers tiers(input->topology);
    std::unique_ptr<PathTables> old;
    if (!options.keep.empty()) {
        old = std::make_unique<PathTables>(*input);
        read_tables(options.keep, *old, problems);
        if (!problems.empty()) return refuse(problems, kExitUsage);
    }
    const Plan plan = make_plan(*input, tiers, old.get());
    check_own(*input, tiers, plan, problems);
    std::fputs(summary_text(*input, tiers, plan).c_str(), stdout);
    if (!problems.empty()) return refuse(problems, kExitRefused);
    if (!options.out.empty()) write_folder(options.out, plan.files, text);
    write(options.json_path, report_json(*input, tiers, plan));
    write(options.report_path, report_markdown(*input, tiers, plan));
    return kExitOk;
}

int check(const Options& options) {
    Problems problems;
    const std::string file = options.fabric.empty() ? input_of(options.input) : options.fabric;
    const auto input = read_input(file, read_file(file), problems, Read::FabricOnly);
    if (input == nullptr) return refuse(problems, kExitUsage);
    const Tiers tiers(input->topology);
    PathTables tables(*input);
    read_tables(options.input, tables, problems);
    const CheckResult result = check_tables(*input, tiers, tables, problems);
    if (!problems.empty()) return refuse(problems, kExitRefused);
    std::printf(
        "%zu rules for %zu flows: each arrives, by its primaries and by every backup; "
        "%zu buffer dependencies without a circle\n",
        result.rules, result.flows, result.dependencies);
    return kExitOk;
}

int main_of(int argc, const char* const* argv) {
    const ParsedOptions parsed = parse_options(argc, argv);
    if (!parsed.options) {
        std::fputs(parsed.text.c_str(), parsed.exit_status == kExitOk ? stdout : stderr);
        return parsed.exit_status;
    }
    return parsed.options->command == Options::Command::Run ? run(*parsed.options)
                                                            : check(*parsed.options);
}

}  // namespace
}  // namespace weir::plan

int main(int argc, char** argv) {
    try {
        return weir::plan::main_of(argc, argv);
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "weir-plan: %s\n", failure.what());
        return weir::plan::kExitUsage;
    }
}

// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>
#include <exception>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>

#include "tools/gen/output_file.h"
#include "tools/gen/stop_signal.h"
#include "tools/lab/curves.h"
#include "tools/lab/experiment.h"
#include "tools/lab/json_result.h"
#include "tools/lab/options.h"
#include "tools/lab/progress_bar.h"
#include "tools/lab/report.h"
#include "tools/lab/run.h"
#include "tools/lab/shipped.h"

namespace weir::lab {
namespace {

int list() {
    for (const Shipped& experiment : shipped_experiments()) {
        std::printf("%-28s %s\n", experiment.name.c_str(), experiment.about.c_str());
    }
    return kExitOk;
}

std::string text_of(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    if (!stream) throw std::runtime_error("cannot read " + file);
    return text.str();
}

// Opened before the run, so that a wrong path is known at once.
class Output {
  public:
    explicit Output(const std::string& path) {
        if (!path.empty()) file_ = std::make_unique<gen::OutputFile>(path);
    }
    void write(const RunResult& result, std::string (*text_of)(const RunResult&)) {
        if (file_ == nullptr) return;
        file_->stream() << text_of(result);
        file_->finish();
    }

  private:
    std::unique_ptr<gen::OutputFile> file_;
};

int exit_status_of(const Experiment& experiment, const RunResult& result) {
    if (result.interrupted) return kExitInterrupted;
    if (!result.violations.empty()) return kExitViolation;
    const bool ended = result.complete || experiment.expect != Expectation::Finished;
    return ended ? kExitOk : kExitViolation;
}

int refuse(const Problems& problems) {
    std::fputs(problems.text().c_str(), stderr);
    return kExitUsage;
}

std::optional<RunResult> run_with_bar(const Experiment& experiment, const Options& options,
                                      Problems& problems) {
    gen::catch_stop_signals();
    ProgressBar bar(options.quiet);
    const auto progress = [&](const Progress& now) {
        bar.show(now);
        return !gen::stop_requested();
    };
    return run_experiment(experiment,
                          {.seed = options.seed.value_or(experiment.seed), .progress = progress},
                          problems);
}

int run(const Options& options) {
    const std::string file = find_experiment(options.experiment);
    if (file.empty()) {
        std::fprintf(stderr, "weir-lab: no file and no experiment '%s' (see weir-lab list)\n",
                     options.experiment.c_str());
        return kExitUsage;
    }
    Problems problems;
    const auto experiment = read_experiment(file, text_of(file), problems);
    if (experiment == nullptr) return refuse(problems);
    Output json(options.json_path);
    Output report(options.report_path);
    std::optional<RunResult> result = run_with_bar(*experiment, options, problems);
    if (!result) return refuse(problems);
    result->command =
        "weir-lab run " + options.experiment + " --seed " + std::to_string(result->seed);
    std::fputs(table_of(*result).c_str(), stdout);
    if (!result->violations.empty()) std::printf("repeat with: %s\n", result->command.c_str());
    json.write(*result, json_of);
    report.write(*result, report_of);
    return exit_status_of(*experiment, *result);
}

int draw(const Options& options) {
    const Curves curves = read_curves(text_of(options.curves));
    gen::OutputFile page(options.report_path);
    page.stream() << page_of(curves);
    page.finish();
    return kExitOk;
}

int main_of(int argc, const char* const* argv) {
    const ParsedOptions parsed = parse_options(argc, argv);
    if (!parsed.options) {
        std::fputs(parsed.text.c_str(), parsed.exit_status == kExitOk ? stdout : stderr);
        return parsed.exit_status;
    }
    switch (parsed.options->command) {
        case Options::Command::List:
            return list();
        case Options::Command::Curves:
            return draw(*parsed.options);
        case Options::Command::Run:
            break;
    }
    return run(*parsed.options);
}

}  // namespace
}  // namespace weir::lab

int main(int argc, char** argv) {
    try {
        return weir::lab::main_of(argc, argv);
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "weir-lab: %s\n", failure.what());
        return weir::lab::kExitUsage;
    }
}

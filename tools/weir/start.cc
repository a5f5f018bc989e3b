// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/start.h"

#include <algorithm>
#include <cstdio>

#include "config/buffer_plan.h"
#include "config/describe.h"
#include "config/validate.h"
#include "dataplane/run/dataplane_options.h"
#include "tools/weir/log.h"
#include "tools/weir/port_readings.h"

namespace weir {
namespace {

unsigned shards_of(const Settings& settings) {
    return static_cast<unsigned>(std::max<std::size_t>(settings.workers.cores.size(), 1));
}

// The problem of several lines without its last line end: the caller adds one.
std::string text_of(const Problems& problems) {
    std::string text = problems.text();
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
}

std::string setup_problem(const Running& running, const SetupProblem& problem) {
    if (problem.text.empty() || problem.path.empty()) return problem.text;
    const Loaded& loaded = *running.switches[problem.switch_index].loaded;
    return loaded.problem(problem.path, problem.text).line();
}

std::string open_dataplane(const Options& options, Running& running) {
    std::vector<const Settings*> settings;
    for (const RunningSwitch& one : running.switches) settings.push_back(&one.settings());
    const SetupProblem problem = running.dataplane.open(dataplane_options(settings, options.eal));
    for (const std::string& warning : running.dataplane.warnings()) log_warning(warning);
    return setup_problem(running, problem);
}

// Only headrooms that are made from it need it; without any, nobody waits and nobody is warned.
bool needs_reaction(const Settings& settings) {
    if (settings.buffer.reaction) return false;
    for (std::size_t port = 0; port < settings.ports.size(); ++port) {
        const std::uint8_t lossless = lossless_priorities(settings, port);
        for (Priority p = 0; p < kPriorities; ++p) {
            if (((lossless >> p) & 1) == 0) continue;
            const auto headroom = group_settings(settings, port, p).headroom;
            if (!headroom || !headroom->bytes) return true;
        }
    }
    return false;
}

void measure_reaction(Running& running) {
    for (const RunningSwitch& one : running.switches) {
        if (!needs_reaction(one.settings())) continue;
        for (const std::string& line : running.dataplane.measure_reaction()) log_warning(line);
        return;
    }
}

// What only the opened devices could tell, then tables for the workers.
std::string publish_first(Running& running) {
    Problems problems;
    measure_reaction(running);
    for (unsigned i = 0; i < running.switches.size(); ++i) {
        RunningSwitch& one = running.switches[i];
        one.facts = port_facts(running.dataplane.switch_at(i));
        validate_facts(*one.loaded, one.facts, problems);
    }
    if (!problems.empty()) return text_of(problems);
    for (unsigned i = 0; i < running.switches.size(); ++i) {
        RunningSwitch& one = running.switches[i];
        auto compiled = compile(one.settings(), one.facts, nullptr);
        one.compiled = compiled.get();
        running.dataplane.publish(i, std::move(compiled), one.compiled->tables);
    }
    return {};
}

std::string open_events(const Options& options, Running& running) {
    std::string problem = running.all_events.open(options.events);
    for (RunningSwitch& one : running.switches) {
        if (problem.empty()) problem = one.events.open(one.settings().events);
    }
    return problem;
}

}  // namespace

std::vector<std::unique_ptr<const Loaded>> load_all(const std::vector<std::string>& files,
                                                    Problems& problems) {
    std::vector<std::unique_ptr<const Loaded>> loaded;
    std::vector<const Loaded*> good;
    for (const std::string& file : files) {
        loaded.push_back(load(file, problems));
        if (loaded.back()) good.push_back(loaded.back().get());
    }
    if (problems.empty()) validate_together(good, problems);
    return loaded;
}

int check_files(const std::vector<std::string>& files) {
    Problems problems;
    const auto loaded = load_all(files, problems);
    if (!problems.empty()) {
        std::fprintf(stderr, "%s\n", text_of(problems).c_str());
        return 2;
    }
    for (const auto& file : loaded) {
        PortFacts facts;
        facts.shards = shards_of(file->settings);
        const auto compiled = compile(file->settings, facts, nullptr);
        std::printf("%s: ok\n%s", file->file.c_str(), describe(file->settings, *compiled).c_str());
    }
    return 0;
}

std::string start_switches(const Options& options, Running& running) {
    Problems problems;
    auto loaded = load_all(options.files, problems);
    const std::vector<unsigned> cores = this_machine().cores;
    for (const auto& file : loaded) {
        if (file && problems.empty()) validate_cores(*file, cores, problems);
    }
    if (!problems.empty()) return text_of(problems);
    for (auto& file : loaded) {
        running.switches.emplace_back();
        running.switches.back().loaded = std::move(file);
    }
    std::string problem = open_events(options, running);
    if (problem.empty()) problem = open_dataplane(options, running);
    if (problem.empty()) problem = publish_first(running);
    if (problem.empty()) problem = running.dataplane.start();
    if (!problem.empty()) return problem;
    for (std::size_t i = 0; i < running.switches.size(); ++i) {
        RunningSwitch& one = running.switches[i];
        one.watcher = std::make_unique<Watcher>(one.loaded->files());
        if (one.watcher->fd() < 0) log_warning(one.watcher->why());
        one.cleared.ports.resize(one.settings().ports.size());
        one.sampled[1] = read_all_ports(running, i);
        note_event(running, i, "started");
    }
    running.workers_cleared.resize(running.dataplane.workers());
    return {};
}

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
// `weir`: one or more lossless RoCEv2 switches in one process.
#include <cstdio>
#include <string>
#include <vector>

#include <malloc.h>

#include "tools/weir/console/attach.h"
#include "tools/weir/console/stream.h"
#include "tools/weir/control_loop.h"
#include "tools/weir/log.h"
#include "tools/weir/options.h"
#include "tools/weir/start.h"

namespace weir {
namespace {

// A file may have several problems: one line each.
int fail(const std::string& problem) {
    LineBuffer lines;
    lines.add(problem + '\n');
    for (std::string line; lines.next(line);) std::fprintf(stderr, "weir: %s\n", line.c_str());
    return 2;
}

// Memory of tables that were replaced stays for the next ones: a reload of 10,000 routes would
// spend a third of its time on pages given back and asked for again. What one reload needs is a few
// ten MB.
void keep_memory() {
    mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the most that glibc takes
    mallopt(M_TRIM_THRESHOLD, 128 << 20);
}

int be_switches(const Options& options) {
    keep_memory();
    block_signals();
    Running running;
    std::string problem = start_switches(options, running);
    int status = 2;
    if (problem.empty()) status = control_until_end(running, options, problem);
    if (problem.empty()) {
        for (std::size_t i = 0; i < running.switches.size(); ++i) note_event(running, i, "stopped");
    }
    const unsigned lost = running.dataplane.close();
    if (lost > 0) log_warning(std::to_string(lost) + " frame buffers were not given back");
    return problem.empty() ? status : fail(problem);
}

int run(int count, char** words) {
    const ParsedOptions parsed = parse_options(std::vector<std::string>(words + 1, words + count));
    std::fputs(parsed.out.c_str(), stdout);
    if (!parsed.problem.empty()) return fail(parsed.problem);
    if (parsed.ends) return parsed.status;
    const Options& options = parsed.options;
    if (!options.check.empty()) return check_files(options.check);
    if (!options.attach.empty()) return attach(options.attach, options.commands);
    return be_switches(options);
}

}  // namespace
}  // namespace weir

int main(int count, char** words) {
    return weir::run(count, words);
}

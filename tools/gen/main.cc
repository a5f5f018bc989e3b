// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>
#include <exception>
#include <variant>

#include "tools/gen/commands.h"
#include "tools/gen/options.h"
#include "tools/gen/stop_signal.h"

namespace weir::gen {
namespace {

struct Run {
    int operator()(const SendOptions& options) const { return run_send(options); }
    int operator()(const SinkOptions& options) const { return run_sink(options); }
    int operator()(const PcapOptions& options) const { return run_pcap(options); }
    int operator()(const RcOptions& options) const { return run_rc(options); }
};

int run(int argc, const char* const* argv) {
    const ParsedCommand parsed = parse_command(argc, argv);
    if (!parsed.command) {
        std::fputs(parsed.text.c_str(), parsed.exit_status == kExitOk ? stdout : stderr);
        return parsed.exit_status;
    }
    catch_stop_signals();
    return std::visit(Run{}, *parsed.command);
}

}  // namespace
}  // namespace weir::gen

int main(int argc, char** argv) {
    try {
        return weir::gen::run(argc, argv);
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "weir-gen: %s\n", failure.what());
        return weir::gen::kExitUsage;
    }
}

// SPDX-License-Identifier: BSD-3-Clause
// Any text as a configuration file: it is accepted and compiles, or is refused, and each problem
// is one line that names a place in the file.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "config/compile.h"
#include "config/describe.h"
#include "config/diff.h"
#include "config/load.h"
#include "config/problem.h"
#include "dataplane/core/check.h"

namespace weir {

namespace {

// YAML ends lines also at \r, NEL (C2 85), LS (E2 80 A8) and PS (E2 80 A9). Their last bytes are
// counted wherever they stand, so this is an upper bound.
std::ptrdiff_t lines_at_most(std::string_view text) {
    constexpr std::string_view kBreaks = "\n\r\x85\xa8\xa9";
    return 1 + std::count_if(text.begin(), text.end(), [&](char byte) {
               return kBreaks.find(byte) != std::string_view::npos;
           });
}

void check_problems(const Problems& problems, std::string_view text) {
    const std::ptrdiff_t lines = lines_at_most(text);
    for (const Problem& problem : problems.kept()) {
        WEIR_CHECK(!problem.text.empty());
        WEIR_CHECK(problem.line().find('\n') == std::string::npos);
        // The end of the file may be named as the line behind its last.
        WEIR_CHECK(problem.mark.line <= lines + 1);
    }
    WEIR_CHECK(problems.kept().size() <= Problems::kKeptMax);
}

}  // namespace

}  // namespace weir

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(data, data + size);
    weir::Problems problems;
    const auto loaded = weir::load_text("fuzz.yaml", text, problems);
    WEIR_CHECK((loaded != nullptr) == problems.empty());
    weir::check_problems(problems, text);
    if (!loaded) return 0;
    // What was accepted is whole: no device or machine is needed to make its tables.
    const weir::Settings& settings = loaded->settings;
    const weir::PortFacts facts = weir::facts_without_devices(settings);
    const auto first = weir::compile(settings, facts, nullptr);
    const auto second = weir::compile(settings, facts, first.get());
    // The same settings again: every gateway keeps its index.
    WEIR_CHECK(first->gateways.size() == second->gateways.size());
    WEIR_CHECK(weir::diff(settings, settings).empty());
    WEIR_CHECK(!weir::describe(settings, *second).empty());
    return 0;
}

// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as a line of the console: it is a command, or is refused in one line; TAB offers only
// what continues it; what `explain flow` makes of it is a frame that the parser takes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "dataplane/core/check.h"
#include "dataplane/core/parse.h"
#include "tools/weir/console/command_table.h"
#include "tools/weir/console/flow_frame.h"
#include "tools/weir/console/words.h"

namespace weir {

namespace {

Snapshot small_switch() {
    Snapshot snapshot;
    snapshot.ports.resize(2);
    snapshot.ports[0].name = "up";
    snapshot.ports[0].table.mode = PortMode::Routed;
    snapshot.ports[1].id = 1;
    snapshot.ports[1].name = "host";
    snapshot.ports[1].table.mode = PortMode::Bridged;
    snapshot.switches = {{"leaf", "leaf.yaml", 1, 2, 2}};
    return snapshot;
}

void check_flow(const Arguments& arguments, const Snapshot& snapshot) {
    auto flow = make_flow_frame(arguments, snapshot);
    if (!flow) {
        WEIR_CHECK(!flow.problem.empty());
        return;
    }
    WEIR_CHECK(flow->length >= kEthernetFrameBytesMin && flow->length <= flow->bytes.size());
    Frame frame;
    frame.data = flow.value->bytes.data();
    frame.length = flow->length;
    frame.readable = flow->length;
    const Parsed parsed = parse(frame);
    // A group as the source is the question's own.
    WEIR_CHECK(parsed.kind != FrameKind::Malformed || parsed.error == DropReason::SourceMacInvalid);
}

void check_match(const std::string& line, const Snapshot& snapshot) {
    const auto match = weir_commands().match(line, snapshot.names());
    if (match.command == nullptr) {
        WEIR_CHECK(match.problem.find('\n') == std::string::npos);
        return;
    }
    WEIR_CHECK(match.problem.empty());
    if (needs(match.command->needs, Needs::Flow)) check_flow(match.arguments, snapshot);
    const Reply reply = match.command->run(match.arguments, snapshot);
    WEIR_CHECK(reply.failed == reply.text.starts_with("error: "));
}

void check_completions(const std::string& line, const Snapshot& snapshot) {
    const Words split = split_words(line);
    const std::string begun = split.ends_in_word ? split.words.back() : std::string();
    for (const auto& item : weir_commands().complete(line, snapshot.names())) {
        WEIR_CHECK(!item.word.empty());
        WEIR_CHECK(!item.literal || item.word.starts_with(begun));
    }
}

}  // namespace

}  // namespace weir

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string line(data, data + size);
    std::erase(line, '\n');  // whoever reads lines takes it away
    const weir::Snapshot snapshot = weir::small_switch();
    weir::check_match(line, snapshot);
    weir::check_completions(line, snapshot);
    return 0;
}

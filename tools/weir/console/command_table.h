// SPDX-License-Identifier: BSD-3-Clause
// One table for every command, wherever it is typed: it drives parsing, TAB, `?`, `help` and the
// error lines.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/weir/console/pattern.h"
#include "tools/weir/console/reply.h"
#include "tools/weir/console/snapshot.h"

namespace weir {

struct Command {
    std::string_view grammar;  // see pattern.h
    std::string_view help;     // one line
    Needs needs;               // what the snapshot must hold
    Reply (*run)(const Arguments& arguments, const Snapshot& snapshot);
};

class CommandTable {
  public:
    explicit CommandTable(std::span<const Command> commands);

    struct Match {
        const Command* command = nullptr;  // null: `problem` says why, blank for a blank line
        Arguments arguments;
        std::string problem;
    };
    [[nodiscard]] Match match(std::string_view line, const Names& names) const;

    // What may stand at the end of `line`: continuations of its last word, or a next word.
    struct Completion {
        std::string word;
        std::string help;
        bool literal = false;  // may be typed as it is; else it names a value
    };
    [[nodiscard]] std::vector<Completion> complete(std::string_view line, const Names& names) const;

    [[nodiscard]] std::span<const Command> commands() const { return commands_; }

  private:
    [[nodiscard]] std::string explain_mismatch(const std::vector<std::string>& words,
                                               const Names& names) const;

    std::span<const Command> commands_;
    std::vector<Pattern> patterns_;
};

// The commands of weir. commands.cc
[[nodiscard]] const CommandTable& weir_commands();

}  // namespace weir

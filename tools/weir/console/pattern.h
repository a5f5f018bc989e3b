// SPDX-License-Identifier: BSD-3-Clause
// The grammar of one command, compiled from its line in the command table.
//
//   show port stats all|PORT          words in lower case stand for themselves, in upper case for
//                                     a value (values.cc); a|b: one of them
//   explain flow in PORT [dport UDP]  groups in brackets may be left out and may come in any
//                                     order, each once, behind all the rest
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/weir/console/values.h"

namespace weir {

// One way to write a word: a keyword, or a placeholder.
struct Choice {
    std::string_view word;
    const Placeholder* placeholder = nullptr;
};

using Element = std::vector<Choice>;

struct Pattern {
    std::vector<Element> required;
    std::vector<std::vector<Element>> optional;
};

[[nodiscard]] Pattern compile_pattern(std::string_view grammar);

// The values of a line, each under the keyword before it: `show port stats 3` has stats = 3, and
// `set pfc 3 4 on` has three of pfc.
class Arguments {
  public:
    void add(std::string_view key, Value value) { items_.push_back({key, std::move(value)}); }
    // The value under `key`, of several the one at `place`; null: not written.
    [[nodiscard]] const Value* find(std::string_view key, std::size_t place = 0) const;
    // The number under `key`, or `otherwise`.
    [[nodiscard]] std::uint64_t number(std::string_view key, std::uint64_t otherwise) const;

  private:
    struct Item {
        std::string_view key;
        Value value;
    };
    std::vector<Item> items_;
};

// How far a pattern goes along with the words of a line.
struct Walk {
    std::size_t words = 0;             // that fit
    bool complete = false;             // nothing required is left
    std::vector<const Element*> next;  // what may stand at words[words]
    Arguments arguments;
    std::string problem;  // of a value at words[words] that fits by its place only
};

[[nodiscard]] Walk walk_pattern(const Pattern& pattern, const std::vector<std::string>& words,
                                const Names& names);

}  // namespace weir

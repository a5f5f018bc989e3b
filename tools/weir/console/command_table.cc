// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/console/command_table.h"

#include <algorithm>

#include "config/nearest.h"
#include "tools/weir/console/words.h"

namespace weir {
namespace {

std::string joined(const std::vector<std::string>& words, std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += (i == 0 ? "" : " ") + words[i];
    return text;
}

void add_unique(std::vector<std::string_view>& list, std::string_view word) {
    if (std::find(list.begin(), list.end(), word) == list.end()) list.push_back(word);
}

// The words that may come next, keywords and placeholders, over all patterns that got this far.
std::vector<std::string_view> next_words(const std::vector<Walk>& walks, std::size_t words) {
    std::vector<std::string_view> next;
    for (const Walk& walk : walks) {
        if (walk.words != words) continue;
        for (const Element* element : walk.next) {
            for (const Choice& choice : *element) add_unique(next, choice.word);
        }
    }
    return next;
}

std::string list_text(const std::vector<std::string_view>& words) {
    std::string text;
    for (const std::string_view word : words) {
        if (!text.empty()) text += ", ";
        text += word;
    }
    return text;
}

// Adds the ways to write `choice` that begin with `begun`. A word that several commands share has
// the help of none.
void add_completions(const Choice& choice, const std::string& begun, std::string_view help,
                     const Names& names, std::vector<CommandTable::Completion>& out) {
    const auto add = [&](std::string_view word, std::string_view text, bool literal) {
        if (literal && !word.starts_with(begun)) return;
        const auto known = std::find_if(out.begin(), out.end(), [word](const auto& completion) {
            return completion.word == word;
        });
        if (known == out.end()) {
            out.push_back({std::string(word), std::string(text), literal});
        } else if (known->help != text) {
            known->help.clear();
        }
    };
    if (choice.placeholder == nullptr) {
        add(choice.word, help, true);
        return;
    }
    if (choice.placeholder->kind == ValueKind::Port) {
        for (const auto& [id, name] : names.ports) {
            add(name, "port " + std::to_string(id), true);
        }
    } else if (choice.placeholder->kind == ValueKind::Switch) {
        for (const std::string& name : names.switches) add(name, "", true);
    } else {
        add(choice.word, choice.placeholder->help, false);
    }
}

}  // namespace

CommandTable::CommandTable(std::span<const Command> commands) : commands_(commands) {
    patterns_.reserve(commands.size());
    for (const Command& command : commands) patterns_.push_back(compile_pattern(command.grammar));
}

CommandTable::Match CommandTable::match(std::string_view line, const Names& names) const {
    const Words split = split_words(line);
    if (split.open_quote) return {nullptr, {}, "the quotes are not closed: end them with \""};
    if (split.words.empty()) return {};
    for (std::size_t i = 0; i < patterns_.size(); ++i) {
        Walk walk = walk_pattern(patterns_[i], split.words, names);
        if (walk.complete && walk.words == split.words.size()) {
            return {&commands_[i], std::move(walk.arguments), {}};
        }
    }
    return {nullptr, {}, explain_mismatch(split.words, names)};
}

std::string CommandTable::explain_mismatch(const std::vector<std::string>& words,
                                           const Names& names) const {
    std::vector<Walk> walks;
    std::size_t fit = 0;
    for (const Pattern& pattern : patterns_) {
        walks.push_back(walk_pattern(pattern, words, names));
        fit = std::max(fit, walks.back().words);
    }
    const std::vector<std::string_view> next = next_words(walks, fit);
    if (fit == words.size()) {
        return joined(words, fit) + ": not complete; next comes " + list_text(next);
    }
    for (const Walk& walk : walks) {
        if (walk.words == fit && !walk.problem.empty()) return walk.problem;
    }
    const std::string_view wrong = words[fit];
    const std::string_view nearest = nearest_word(wrong, next);
    if (fit == 0) {
        const std::string hint =
            nearest.empty() ? "" : "; did you mean " + std::string(nearest) + "?";
        return "no command " + words[fit] + hint + " (try help)";
    }
    if (next.empty()) return joined(words, fit) + ": nothing may follow, remove " + words[fit];
    return joined(words, fit) + ": no " + words[fit] +
           (nearest.empty() ? "; next comes " + list_text(next)
                            : "; did you mean " + std::string(nearest) + "?");
}

std::vector<CommandTable::Completion> CommandTable::complete(std::string_view line,
                                                             const Names& names) const {
    Words split = split_words(line);
    std::vector<Completion> completions;
    if (split.open_quote) return completions;
    std::string begun;
    if (split.ends_in_word) {
        begun = split.words.back();
        split.words.pop_back();
    }
    for (std::size_t i = 0; i < patterns_.size(); ++i) {
        const Walk walk = walk_pattern(patterns_[i], split.words, names);
        if (walk.words != split.words.size()) continue;
        for (const Element* element : walk.next) {
            // The words of groups in brackets are explained by what follows them.
            const bool required = walk.next.size() == 1 && !walk.complete;
            for (const Choice& choice : *element) {
                add_completions(choice, begun, required ? commands_[i].help : "", names,
                                completions);
            }
        }
    }
    return completions;
}

}  // namespace weir

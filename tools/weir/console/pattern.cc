// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/console/pattern.h"

#include <algorithm>
#include <cctype>

#include "dataplane/core/check.h"

namespace weir {
namespace {

Element compile_element(std::string_view text) {
    Element element;
    while (!text.empty()) {
        const std::size_t bar = std::min(text.find('|'), text.size());
        const std::string_view word = text.substr(0, bar);
        text.remove_prefix(std::min(bar + 1, text.size()));
        Choice choice{word, nullptr};
        if (std::isupper(static_cast<unsigned char>(word[0])) != 0) {
            choice.placeholder = find_placeholder(word);
            WEIR_CHECK(choice.placeholder != nullptr);  // the table is ours
        }
        element.push_back(choice);
    }
    return element;
}

// Walks one pattern; keeps what belongs to the walk but not to its result.
class Walker {
  public:
    Walker(const std::vector<std::string>& words, const Names& names)
        : words_(words), names_(names) {}

    [[nodiscard]] Walk take(const Pattern& pattern) {
        walk_.complete = take_all(pattern.required);
        if (walk_.complete) take_groups(pattern.optional);
        return std::move(walk_);
    }

  private:
    // False when the words end or do not fit before all elements are taken.
    bool take_all(const std::vector<Element>& elements) {
        for (const Element& element : elements) {
            if (take_element(element)) continue;
            walk_.next = {&element};
            return false;
        }
        return true;
    }

    void take_groups(const std::vector<std::vector<Element>>& groups) {
        std::vector<const std::vector<Element>*> unused;
        for (const auto& group : groups) unused.push_back(&group);
        for (bool taken = true; taken;) {
            taken = false;
            for (auto group = unused.begin(); group != unused.end(); ++group) {
                const std::size_t before = walk_.words;
                const bool whole = take_all(**group);
                if (!whole && walk_.words == before) continue;
                walk_.complete = whole;
                if (!whole) return;  // begun and not ended
                unused.erase(group);
                taken = true;
                break;
            }
        }
        walk_.next.clear();
        for (const auto* group : unused) walk_.next.push_back(&group->front());
    }

    bool take_element(const Element& element) {
        if (walk_.words == words_.size()) return false;
        const std::string& word = words_[walk_.words];
        for (const Choice& choice : element) {
            if (choice.placeholder != nullptr || choice.word != word) continue;
            if (element.size() > 1) {
                walk_.arguments.add(key_, Value::of(ValueKind::Keyword, word));
            } else {
                key_ = choice.word;
            }
            return fits();
        }
        for (const Choice& choice : element) {
            if (choice.placeholder == nullptr) continue;
            ReadValue read = read_value(*choice.placeholder, word, names_);
            if (read) {
                walk_.arguments.add(key_, std::move(*read.value));
                return fits();
            }
            walk_.problem = read.problem;
        }
        return false;
    }

    bool fits() {
        ++walk_.words;
        walk_.problem.clear();
        return true;
    }

    const std::vector<std::string>& words_;
    const Names& names_;
    std::string_view key_;
    Walk walk_;
};

}  // namespace

Pattern compile_pattern(std::string_view grammar) {
    Pattern pattern;
    bool in_group = false;
    while (!grammar.empty()) {
        const std::size_t blank = std::min(grammar.find(' '), grammar.size());
        std::string_view word = grammar.substr(0, blank);
        grammar.remove_prefix(std::min(blank + 1, grammar.size()));
        if (word.front() == '[') {
            WEIR_CHECK(!in_group);
            in_group = true;
            pattern.optional.emplace_back();
            word.remove_prefix(1);
        }
        const bool ends_group = word.back() == ']';
        if (ends_group) word.remove_suffix(1);
        WEIR_CHECK(in_group || pattern.optional.empty());  // groups come last
        auto& elements = in_group ? pattern.optional.back() : pattern.required;
        elements.push_back(compile_element(word));
        if (ends_group) in_group = false;
    }
    WEIR_CHECK(!in_group && !pattern.required.empty());
    return pattern;
}

const Value* Arguments::find(std::string_view key, std::size_t place) const {
    for (const Item& item : items_) {
        if (item.key == key && place-- == 0) return &item.value;
    }
    return nullptr;
}

std::uint64_t Arguments::number(std::string_view key, std::uint64_t otherwise) const {
    const Value* value = find(key);
    return value == nullptr ? otherwise : value->number;
}

Walk walk_pattern(const Pattern& pattern, const std::vector<std::string>& words,
                  const Names& names) {
    return Walker(words, names).take(pattern);
}

}  // namespace weir

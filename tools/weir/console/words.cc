// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/console/words.h"

#include <algorithm>
#include <numeric>

namespace weir {
namespace {

bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

}  // namespace

Words split_words(std::string_view line) {
    Words result;
    bool in_word = false;
    bool in_quote = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (in_quote) {
            if (c == '\\' && i + 1 < line.size() && (line[i + 1] == '"' || line[i + 1] == '\\')) {
                result.words.back().push_back(line[++i]);
            } else if (c == '"') {
                in_quote = false;
            } else {
                result.words.back().push_back(c);
            }
            continue;
        }
        if (is_blank(c)) {
            in_word = false;
            continue;
        }
        if (!in_word) {
            if (c == '#') break;
            result.words.emplace_back();
            in_word = true;
        }
        if (c == '"') {
            in_quote = true;
        } else {
            result.words.back().push_back(c);
        }
    }
    result.open_quote = in_quote;
    result.ends_in_word = in_word;
    return result;
}

unsigned edit_distance(std::string_view a, std::string_view b) {
    std::vector<unsigned> row(b.size() + 1);
    std::iota(row.begin(), row.end(), 0u);
    for (std::size_t i = 0; i < a.size(); ++i) {
        unsigned diagonal = row[0];
        row[0] = static_cast<unsigned>(i + 1);
        for (std::size_t j = 0; j < b.size(); ++j) {
            const unsigned replaced = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row[b.size()];
}

std::string nearest_word(std::string_view word, const std::vector<std::string>& candidates) {
    // Two slips in a long word, one in a short one: more is another word.
    const unsigned near = word.size() >= 4 ? 2 : 1;
    std::string best;
    unsigned best_distance = near + 1;
    for (const std::string& candidate : candidates) {
        const unsigned distance = edit_distance(word, candidate);
        if (distance < best_distance) {
            best = candidate;
            best_distance = distance;
        }
    }
    return best;
}

}  // namespace weir

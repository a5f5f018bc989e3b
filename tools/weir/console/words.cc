// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/console/words.h"

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

}  // namespace weir

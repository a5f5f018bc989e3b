// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weir {

// A command line cut into words. Blanks separate; "double quotes" keep blanks (a file name may have
// them), with \" and \\ inside; a word that begins with # starts a comment.
struct Words {
    std::vector<std::string> words;
    bool open_quote = false;    // the line ended inside quotes
    bool ends_in_word = false;  // no blank behind the last word: TAB continues it
};

[[nodiscard]] Words split_words(std::string_view line);

}  // namespace weir

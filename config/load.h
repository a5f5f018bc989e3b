// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/document.h"
#include "config/problem.h"
#include "config/settings.h"

namespace weir {

// A file that was read: its settings, and where each of them stands.
struct Loaded {
    std::string file;
    Document document;
    Settings settings;
    std::string paths_file;  // as it can be opened; empty: none
    Document paths_document;

    // What a change of these settings may come from.
    [[nodiscard]] std::vector<std::string> files() const {
        return paths_file.empty() ? std::vector{file} : std::vector{file, paths_file};
    }
    // A problem with the value at `path` ("ports[1].device") that only the machine could tell.
    [[nodiscard]] Problem problem(std::string path, std::string text) const;
    // The same of `paths_file`.
    [[nodiscard]] Problem paths_problem(std::string path, std::string text) const;
};

// Reads and validates one file. Null, and the reasons in `problems`, when anything is wrong.
[[nodiscard]] std::unique_ptr<const Loaded> load(const std::string& file, Problems& problems);
// The same for a text; `file` is only a name.
[[nodiscard]] std::unique_ptr<const Loaded> load_text(const std::string& file,
                                                      std::string_view text, Problems& problems);

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lab/shipped.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace weir::lab {

namespace {

namespace fs = std::filesystem;

fs::path folder() {
    for (const char* candidate : {WEIR_LAB_INSTALLED, WEIR_LAB_SOURCES}) {
        std::error_code error;
        if (fs::is_directory(candidate, error)) return candidate;
    }
    return {};
}

// Without reading all of YAML: a broken file is listed as well.
std::string about_of(const fs::path& file) {
    std::ifstream stream(file);
    constexpr std::string_view kKey = "about: ";
    for (std::string line; std::getline(stream, line);) {
        if (line.starts_with(kKey)) return line.substr(kKey.size());
    }
    return {};
}

}  // namespace

std::vector<Shipped> shipped_experiments() {
    std::vector<Shipped> found;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder(), error)) {
        if (entry.path().extension() != ".yaml") continue;
        found.push_back({entry.path().stem().string(), about_of(entry.path())});
    }
    std::sort(found.begin(), found.end(),
              [](const Shipped& a, const Shipped& b) { return a.name < b.name; });
    return found;
}

std::string find_experiment(const std::string& file_or_name) {
    std::error_code error;
    if (fs::is_regular_file(file_or_name, error)) return file_or_name;
    const fs::path shipped = folder() / (file_or_name + ".yaml");
    return fs::is_regular_file(shipped, error) ? shipped.string() : "";
}

}  // namespace weir::lab

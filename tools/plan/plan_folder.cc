// SPDX-License-Identifier: BSD-3-Clause
#include "tools/plan/plan_folder.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>

#include "tools/gen/output_file.h"

namespace weir::plan {

namespace fs = std::filesystem;

namespace {

constexpr const char* kEnding = ".yaml";

// A new file takes the place of the old one in one step.
void replace_file(const fs::path& path, const std::string& text) {
    const fs::path draft = path.string() + ".new";
    gen::OutputFile file(draft.string());
    file.stream() << text;
    file.finish();
    fs::rename(draft, path);
}

}  // namespace

std::string read_file(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    if (!stream) throw std::runtime_error("cannot read " + path);
    return text.str();
}

std::vector<std::string> files_of(const std::string& path) {
    if (!fs::is_directory(path)) return {path};
    std::vector<std::string> files;
    for (const fs::directory_entry& entry : fs::directory_iterator(path)) {
        if (entry.path().extension() == kEnding && entry.path().filename() != kInputName) {
            files.push_back(entry.path().string());
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

std::string input_of(const std::string& path) {
    const fs::path folder = fs::is_directory(path) ? fs::path(path) : fs::path(path).parent_path();
    return (folder / kInputName).string();
}

void read_tables(const std::string& path, PathTables& tables, Problems& problems) {
    for (const std::string& file : files_of(path)) {
        const std::size_t before = problems.count();
        const PlanFile plan = read_plan(file, read_file(file), problems);
        if (problems.count() == before) tables.add(file, plan, problems);
    }
}

void write_folder(const std::string& path, const std::vector<PlanFile>& files,
                  const std::string& input) {
    fs::create_directories(path);
    std::set<std::string> written;
    for (const PlanFile& file : files) {
        const fs::path name = fs::path(path) / (file.switch_name + kEnding);
        replace_file(name, text_of(file));
        written.insert(name.string());
    }
    replace_file(fs::path(path) / kInputName, input);
    for (const std::string& file : files_of(path)) {
        Problems none;
        if (written.count(file) != 0) continue;
        static_cast<void>(read_plan(file, read_file(file), none));
        if (none.empty()) fs::remove(file);
    }
}

}  // namespace weir::plan

// SPDX-License-Identifier: BSD-3-Clause
#include "config/load.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

#include <sys/stat.h>

#include "config/read_paths.h"
#include "config/settings_reader.h"
#include "config/validate.h"
#include "config/yaml_reader.h"

namespace weir {
namespace {

struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
};

// The whole file, or false with errno set.
bool read_file(const std::string& path, std::string& text) {
    const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "re"));
    if (file == nullptr) return false;
    struct stat status {};
    if (fstat(fileno(file.get()), &status) != 0) return false;
    if (S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return false;
    }
    char block[64 * 1024];
    std::size_t count = 0;
    // One byte over the limit is enough to be refused by read_yaml().
    while (text.size() <= kYamlBytesMax &&
           (count = std::fread(block, 1, sizeof block, file.get())) > 0) {
        text.append(block, count);
    }
    return std::ferror(file.get()) == 0;
}

// "leaf.plan.yaml" of "/etc/weir/leaf.yaml" is beside it.
std::string beside(const std::string& file, const std::string& name) {
    const std::size_t slash = file.rfind('/');
    if (name.front() == '/' || slash == std::string::npos) return name;
    return file.substr(0, slash + 1) + name;
}

void read_paths_file(Loaded& loaded, Problems& problems) {
    loaded.paths_file = beside(loaded.file, loaded.settings.paths_file);
    std::string text;
    if (!read_file(loaded.paths_file, text)) {
        problems.add(loaded.problem(
            "paths_file", loaded.paths_file + " cannot be read: " + std::strerror(errno)));
        return;
    }
    loaded.paths_document = read_yaml(loaded.paths_file, text, problems);
    if (!problems.empty()) return;
    loaded.settings.plan_file = read_plan_file(loaded.paths_file, loaded.paths_document, problems);
}

}  // namespace

Problem Loaded::problem(std::string path, std::string text) const {
    const Mark mark = document.locate(path);
    return {file, mark, std::move(path), std::move(text)};
}

Problem Loaded::paths_problem(std::string path, std::string text) const {
    const Mark mark = paths_document.locate(path);
    return {paths_file, mark, std::move(path), std::move(text)};
}

std::unique_ptr<const Loaded> load(const std::string& file, Problems& problems) {
    std::string text;
    if (!read_file(file, text)) {
        problems.add({file, {}, {}, std::string("cannot be read: ") + std::strerror(errno)});
        return nullptr;
    }
    return load_text(file, text, problems);
}

std::unique_ptr<const Loaded> load_text(const std::string& file, std::string_view text,
                                        Problems& problems) {
    Problems found;
    auto loaded = std::make_unique<Loaded>();
    loaded->file = file;
    loaded->document = read_yaml(file, text, found);
    if (found.empty()) {
        loaded->settings = read_settings(file, loaded->document, found);
        if (found.empty() && !loaded->settings.paths_file.empty()) {
            read_paths_file(*loaded, found);
        }
        validate(*loaded, found);
    }
    problems.add_all(found);
    return found.empty() ? std::move(loaded) : nullptr;
}

}  // namespace weir

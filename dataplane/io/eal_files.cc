// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/io/eal_files.h"

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace weir {

namespace {

namespace fs = std::filesystem;

// Where EAL puts the runtime directories of all prefixes.
fs::path runtime_directory() {
    const char* systemd = std::getenv("RUNTIME_DIRECTORY");
    return fs::path(systemd != nullptr ? systemd : "/var/run") / "dpdk";
}

std::vector<fs::path> entries(const fs::path& directory) {
    std::vector<fs::path> found;
    std::error_code error;
    fs::directory_iterator entry(directory, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
        found.push_back(entry->path());
    }
    return found;
}

// EAL's primary process holds a write lock on this file as long as it lives.
bool locked(const fs::path& config) {
    const int file = open(config.c_str(), O_RDWR | O_CLOEXEC);
    if (file < 0) return errno != ENOENT;
    const bool is_locked = lockf(file, F_TEST, 0) != 0;
    close(file);
    return is_locked;
}

std::uint64_t read_number(const fs::path& file) {
    std::ifstream stream(file);
    std::uint64_t number = 0;
    stream >> number;
    return stream ? number : 0;
}

}  // namespace

std::vector<std::string> hugetlbfs_mounts() {
    std::vector<std::string> mounts;
    std::ifstream file("/proc/mounts");
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::string device;
        std::string directory;
        std::string type;
        words >> device >> directory >> type;
        if (type == "hugetlbfs") mounts.push_back(directory);
    }
    return mounts;
}

std::uint64_t hugepage_bytes_free() {
    std::uint64_t bytes = 0;
    for (const fs::path& size : entries("/sys/kernel/mm/hugepages")) {
        // "hugepages-2048kB"
        const std::string name = size.filename();
        const std::size_t dash = name.find('-');
        std::uint64_t kibibytes = 0;
        if (dash == std::string::npos) continue;
        std::from_chars(name.data() + dash + 1, name.data() + name.size(), kibibytes);
        bytes += kibibytes * 1024 * read_number(size / "free_hugepages");
    }
    return bytes;
}

std::vector<std::string> stale_eal_prefixes(const std::string& beginning) {
    std::vector<std::string> stale;
    for (const fs::path& directory : entries(runtime_directory())) {
        const std::string prefix = directory.filename();
        if (!prefix.starts_with(beginning)) continue;
        const fs::path config = directory / "config";
        // Who died before there was a lock to hold left its number.
        const bool alive = fs::exists(config)
                               ? locked(config)
                               : fs::exists("/proc/" + prefix.substr(beginning.size()));
        if (!alive) stale.push_back(prefix);
    }
    return stale;
}

void remove_eal_files(const std::string& prefix) {
    if (prefix.empty() || prefix.find('/') != std::string::npos) return;
    std::error_code error;
    for (const std::string& mount : hugetlbfs_mounts()) {
        for (const fs::path& file : entries(mount)) {
            if (file.filename().string().starts_with(prefix + "map_")) fs::remove(file, error);
        }
    }
    fs::remove_all(runtime_directory() / prefix, error);
}

}  // namespace weir

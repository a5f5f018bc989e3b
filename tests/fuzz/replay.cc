// SPDX-License-Identifier: BSD-3-Clause
// Runs a fuzz target on every file of a corpus folder, in the order of their names: the plain
// form of a libFuzzer program, for every compiler.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

// The test runner takes 99 as an error even where a failure is expected.
constexpr int kNothingReplayed = 99;

void replay(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>{file}, {}};
    // A copy of exactly this size, so that a read past the end is seen by a sanitizer.
    const auto exact = std::make_unique<std::uint8_t[]>(bytes.size());
    std::copy(bytes.begin(), bytes.end(), exact.get());
    std::printf("%s, %zu bytes\n", path.filename().c_str(), bytes.size());
    std::fflush(stdout);
    LLVMFuzzerTestOneInput(exact.get(), bytes.size());
}

int replay_all(const char* folder) {
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.is_regular_file()) paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());
    for (const auto& path : paths) replay(path);
    std::printf("%zu inputs replayed\n", paths.size());
    return paths.empty() ? kNothingReplayed : 0;
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 2) {
        std::fprintf(stderr, "usage: %s CORPUS_FOLDER\n", arguments[0]);
        return kNothingReplayed;
    }
    try {
        return replay_all(arguments[1]);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return kNothingReplayed;
    }
}

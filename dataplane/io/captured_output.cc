// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/io/captured_output.h"

#include <array>
#include <cstdio>
#include <sstream>
#include <string_view>

#include <sys/mman.h>
#include <unistd.h>

namespace weir {

CapturedOutput::CapturedOutput() {
    std::fflush(nullptr);
    file_ = memfd_create("weir-output", MFD_CLOEXEC);
    if (file_ < 0) return;  // then it is not captured: chatter, nothing worse
    saved_out_ = dup(STDOUT_FILENO);
    saved_error_ = dup(STDERR_FILENO);
    dup2(file_, STDOUT_FILENO);
    dup2(file_, STDERR_FILENO);
}

CapturedOutput::~CapturedOutput() {
    restore();
    if (file_ >= 0) close(file_);
}

void CapturedOutput::restore() {
    std::fflush(nullptr);
    if (saved_out_ >= 0) {
        dup2(saved_out_, STDOUT_FILENO);
        close(saved_out_);
    }
    if (saved_error_ >= 0) {
        dup2(saved_error_, STDERR_FILENO);
        close(saved_error_);
    }
    saved_out_ = -1;
    saved_error_ = -1;
}

std::string CapturedOutput::end() {
    restore();
    std::string text;
    if (file_ < 0) return text;
    std::array<char, 4096> buffer{};
    lseek(file_, 0, SEEK_SET);
    for (ssize_t n = 0; (n = read(file_, buffer.data(), buffer.size())) > 0;) {
        text.append(buffer.data(), static_cast<std::size_t>(n));
    }
    return text;
}

std::string first_line_that_says_why(const std::string& output) {
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);) {
        // DPDK's own lines are "PREFIX: text" or "function(): text"; getopt's "PROGRAM: text".
        const std::size_t colon = line.find(": ");
        if (colon == std::string::npos || line.starts_with("EAL: Detected")) continue;
        return line.substr(colon + 2);
    }
    return {};
}

}  // namespace weir

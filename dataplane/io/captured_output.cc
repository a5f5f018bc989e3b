// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/io/captured_output.h"

#include <array>
#include <csignal>
#include <cstdio>
#include <sstream>
#include <string_view>

#include <sys/mman.h>
#include <unistd.h>

namespace weir {

namespace {

// For the signal handler alone.
int captured_file = -1;
int terminal = -1;

void write_out_and_abort(int /*signal*/) {
    std::array<char, 512> buffer{};
    lseek(captured_file, 0, SEEK_SET);
    for (ssize_t n = 0; (n = read(captured_file, buffer.data(), buffer.size())) > 0;) {
        if (write(terminal, buffer.data(), static_cast<std::size_t>(n)) != n) break;
    }
    std::signal(SIGABRT, SIG_DFL);
    std::raise(SIGABRT);
}

}  // namespace

CapturedOutput::CapturedOutput() {
    std::fflush(nullptr);
    file_ = memfd_create("weir-output", MFD_CLOEXEC);
    if (file_ < 0) return;  // then it is not captured: chatter, nothing worse
    saved_out_ = dup(STDOUT_FILENO);
    saved_error_ = dup(STDERR_FILENO);
    captured_file = file_;
    terminal = saved_error_;
    saved_abort_ = std::signal(SIGABRT, write_out_and_abort);
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
    if (saved_error_ >= 0 && saved_abort_ != SIG_ERR) std::signal(SIGABRT, saved_abort_);
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

std::string line_of_eal(const std::string& output) {
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);) {
        // "EAL: text", or getopt's "PROGRAM: text".
        const std::size_t colon = line.find(": ");
        if (colon == std::string::npos || line.starts_with("Usage")) continue;
        std::string text = line.substr(colon + 2);
        if (!text.starts_with("Detected")) return text;
    }
    return {};
}

std::string line_of_driver(const std::string& output) {
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);) {
        // "PREFIX: text" or "function(): text".
        const std::size_t colon = line.find(": ");
        if (colon != std::string::npos && !line.starts_with("EAL: ")) return line.substr(colon + 2);
    }
    return {};
}

}  // namespace weir

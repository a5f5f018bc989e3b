// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tools/weir/console/session.h"
#include "tools/weir/console/stream.h"

namespace weir {

// Commands from a file or a pipe: one per line, answers to stdout, errors to stderr.
class LineInput {
  public:
    // `host` outlives it. `fd` is not closed.
    LineInput(int fd, const ConsoleHost& host) : fd_(fd), host_(host) {}

    // Reads what is there (of a file or an idle pipe: waits) and runs it. False at the end of the
    // input, or after `quit`.
    [[nodiscard]] bool read_input();

    [[nodiscard]] int fd() const { return fd_; }
    [[nodiscard]] bool ended_by_quit() const { return session_.ended; }
    [[nodiscard]] bool any_failed() const { return any_failed_; }

  private:
    void run(const std::string& line);

    int fd_;
    const ConsoleHost& host_;
    LineBuffer input_;
    Session session_;
    bool any_failed_ = false;
};

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace weir {

// Keeps what the process writes to stdout and stderr away from the terminal until end(), so that a
// library's chatter can become part of one clear message.
class CapturedOutput {
  public:
    CapturedOutput();
    ~CapturedOutput();
    CapturedOutput(const CapturedOutput&) = delete;
    CapturedOutput& operator=(const CapturedOutput&) = delete;

    // Gives the terminal back; what was written meanwhile.
    [[nodiscard]] std::string end();

  private:
    void restore();

    int file_ = -1;
    int saved_out_ = -1;
    int saved_error_ = -1;
};

// The first line of a library's output that tells what went wrong, without the library's prefix;
// empty when there is none.
[[nodiscard]] std::string first_line_that_says_why(const std::string& output);

}  // namespace weir

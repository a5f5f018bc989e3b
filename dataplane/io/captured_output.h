// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace weir {

// Keeps what the process writes to stdout and stderr away from the terminal until end(), so that a
// library's chatter can become part of one clear message. One at a time. If the library aborts, it
// is written out after all.
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
    void (*saved_abort_)(int) = nullptr;
};

// The line of EAL's output that tells what went wrong, without its prefix; empty when there is
// none.
[[nodiscard]] std::string line_of_eal(const std::string& output);
// The same of a driver, which says more than what EAL makes of it.
[[nodiscard]] std::string line_of_driver(const std::string& output);

}  // namespace weir

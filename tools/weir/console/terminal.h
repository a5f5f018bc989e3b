// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <termios.h>

#include "tools/weir/console/session.h"

struct rdline;

namespace weir {

// A person at a terminal: librte_cmdline's line editor (history, TAB, `?`) on top of our command
// table. Not its parser: that wants a struct per command.
class Terminal {
  public:
    // `host` outlives the terminal.
    Terminal(int in, int out, const ConsoleHost& host);
    ~Terminal();
    Terminal(const Terminal&) = delete;
    Terminal& operator=(const Terminal&) = delete;

    // Prints the prompt; from here on the terminal is ours until the destructor gives it back.
    void start();
    // Takes what was typed. False at the end: `quit`, end of input, or the terminal is gone.
    [[nodiscard]] bool read_input();

    // Text from elsewhere (a log line): the line being typed is put below it again.
    void print_above(std::string_view text);

    // Ends the line that holds the prompt, when somebody else ends the program.
    void leave_line();

    [[nodiscard]] int fd() const { return in_; }

    // The editor's callbacks.
    void put(char c) { output_.push_back(c); }
    void run(std::string_view line);
    [[nodiscard]] int next_completion(std::string_view line, std::string& out, int& state);

  private:
    void show_prompt();
    void flush();

    int in_;
    int out_;
    const ConsoleHost& host_;
    Session session_;
    rdline* editor_ = nullptr;
    termios saved_{};
    bool changed_ = false;  // the terminal's mode
    bool gone_ = false;
    bool answering_ = false;  // a command runs
    std::string output_;
    std::vector<CommandTable::Completion> completions_;
};

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/console/terminal.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <cmdline_rdline.h>
#include <unistd.h>

#include "tools/weir/console/stream.h"

namespace weir {
namespace {

Terminal& terminal_of(rdline* editor) {
    return *static_cast<Terminal*>(rdline_get_opaque(editor));
}

int put_char(rdline* editor, char c) {
    terminal_of(editor).put(c);
    return 1;
}

void run_line(rdline* editor, const char* buffer, unsigned size) {
    terminal_of(editor).run({buffer, strnlen(buffer, size)});
}

int complete_line(rdline* editor, const char* buffer, char* out, unsigned size, int* state) {
    std::string text;
    const int result = terminal_of(editor).next_completion(buffer, text, *state);
    if (text.size() + 1 > size) text.resize(size - 1);
    std::memcpy(out, text.c_str(), text.size() + 1);
    return result;
}

// The longest beginning that all words share.
std::string common_beginning(const std::vector<CommandTable::Completion>& completions) {
    std::string common = completions.front().word;
    for (const auto& completion : completions) {
        const auto [end, other] = std::mismatch(common.begin(), common.end(),
                                                completion.word.begin(), completion.word.end());
        common.erase(end, common.end());
    }
    return common;
}

}  // namespace

Terminal::Terminal(int in, int out, const ConsoleHost& host) : in_(in), out_(out), host_(host) {}

Terminal::~Terminal() {
    if (changed_) tcsetattr(in_, TCSADRAIN, &saved_);
    rdline_free(editor_);
}

void Terminal::start() {
    if (tcgetattr(in_, &saved_) == 0) {
        termios raw = saved_;
        // Characters one by one and not echoed. Signals stay on, so that Ctrl-C ends the program;
        // but a switch is not to be suspended by Ctrl-Z.
        raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
        raw.c_cc[VSUSP] = _POSIX_VDISABLE;
        raw.c_cc[VMIN] = 1;
        raw.c_cc[VTIME] = 0;
        changed_ = tcsetattr(in_, TCSADRAIN, &raw) == 0;
    }
    editor_ = rdline_new(put_char, run_line, complete_line, this);
    gone_ = editor_ == nullptr;
    show_prompt();
    flush();
}

bool Terminal::read_input() {
    std::array<char, 512> typed{};
    const ssize_t count = read(in_, typed.data(), typed.size());
    if (count < 0) return errno == EINTR || errno == EAGAIN;
    if (count == 0) return false;
    for (ssize_t i = 0; i < count && !gone_ && !session_.ended; ++i) {
        const int result = rdline_char_in(editor_, typed[static_cast<std::size_t>(i)]);
        if (result == RDLINE_RES_EOF) {
            output_ += "\r\n";
            flush();
            return false;
        }
        if (result == RDLINE_RES_VALIDATED && !session_.ended) show_prompt();
    }
    flush();
    return !gone_ && !session_.ended;
}

void Terminal::run(std::string_view line) {
    while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
    if (line.find_first_not_of(' ') != std::string_view::npos) {
        const std::string text(line);
        const char* last = rdline_get_history_item(editor_, 0);
        if (last == nullptr || text != last) rdline_add_history(editor_, text.c_str());
    }
    answering_ = true;
    output_ += host_.answer(session_, line).text;
    answering_ = false;
}

// The editor asks again and again until it gets 0. `state` is 0 for TAB, -1 for `?`, and counts
// from 1 when words are listed.
int Terminal::next_completion(std::string_view line, std::string& out, int& state) {
    constexpr int kNothing = 0;
    constexpr int kListed = 1;
    constexpr int kTyped = 2;
    if (state <= 0) {
        completions_ = host_.complete(session_, line);
        if (completions_.empty() && state == -1) completions_ = {{"[return]", "", false}};
        if (completions_.empty()) return kNothing;
        const bool literal = std::all_of(completions_.begin(), completions_.end(),
                                         [](const auto& item) { return item.literal; });
        if (state == 0 && literal) {
            const std::size_t blank = line.find_last_of(" \t");
            const std::size_t begun = line.size() - (blank == line.npos ? 0 : blank + 1);
            out = common_beginning(completions_).substr(begun);
            if (completions_.size() == 1) out += ' ';
            if (!out.empty()) return kTyped;
        }
        state = 0;
    }
    const auto index = static_cast<std::size_t>(state);
    if (index == completions_.size()) return kNothing;
    out = completions_[index].word;
    const std::string& help = completions_[index].help;
    if (!help.empty()) {
        constexpr std::size_t kHelpColumn = 16;
        if (out.size() < kHelpColumn) out.resize(kHelpColumn, ' ');
        out += " " + help;
    }
    ++state;
    return kListed;
}

void Terminal::print_above(std::string_view text) {
    if (answering_) {
        output_ += text;
        return;
    }
    constexpr std::string_view kClearLine = "\r\033[K";
    output_ += kClearLine;
    output_ += text;
    if (editor_ != nullptr) rdline_redisplay(editor_);
    flush();
}

void Terminal::leave_line() {
    output_ += "\r\n";
    flush();
}

void Terminal::show_prompt() {
    if (editor_ == nullptr) return;
    rdline_newline(editor_, host_.prompt(session_).c_str());
}

void Terminal::flush() {
    if (!write_all(out_, output_)) gone_ = true;
    output_.clear();
}

}  // namespace weir

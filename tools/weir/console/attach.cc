// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/console/attach.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <optional>

#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tools/weir/console/socket_server.h"
#include "tools/weir/console/stream.h"
#include "tools/weir/console/terminal.h"
#include "tools/weir/console/unix_socket.h"

namespace weir {
namespace {

constexpr int kAnswerWaitMs = 30'000;  // a reload of the largest file takes well under a second

// The other end of the socket.
class RemoteSwitch {
  public:
    explicit RemoteSwitch(int fd) : fd_(fd) {}
    ~RemoteSwitch() { close(fd_); }
    RemoteSwitch(const RemoteSwitch&) = delete;
    RemoteSwitch& operator=(const RemoteSwitch&) = delete;

    // The answer to a line; nothing when the switch went away.
    std::optional<std::string> ask(std::string line) {
        line.push_back('\n');
        if (!send_all(line)) return std::nullopt;
        std::size_t end = 0;
        while ((end = input_.find(kAnswerEnd)) == std::string::npos) {
            if (!receive()) return std::nullopt;
        }
        std::string answer = input_.substr(0, end);
        input_.erase(0, end + 1);
        return answer;
    }
    [[nodiscard]] bool gone() const { return gone_; }
    [[nodiscard]] int fd() const { return fd_; }

  private:
    bool send_all(std::string_view text) {
        while (!text.empty() && !gone_) {
            const ssize_t count = send(fd_, text.data(), text.size(), MSG_NOSIGNAL);
            if (count >= 0)
                text.remove_prefix(static_cast<std::size_t>(count));
            else if (errno != EINTR)
                gone_ = true;
        }
        return !gone_;
    }

    bool receive() {
        pollfd ready{fd_, POLLIN, 0};
        int polled = 0;
        do {
            polled = poll(&ready, 1, kAnswerWaitMs);
        } while (polled < 0 && errno == EINTR);
        std::array<char, 65'536> bytes{};
        const ssize_t count = polled > 0 ? read(fd_, bytes.data(), bytes.size()) : 0;
        if (count > 0) input_.append(bytes.data(), static_cast<std::size_t>(count));
        gone_ = count <= 0;
        return !gone_;
    }

    int fd_;
    bool gone_ = false;
    std::string input_;
};

int say_gone(const std::string& path) {
    std::fprintf(stderr, "weir: %s: the switch has ended, or does not answer\n", path.c_str());
    return 2;
}

std::vector<CommandTable::Completion> read_completions(const std::string& text) {
    std::vector<CommandTable::Completion> completions;
    LineBuffer lines;
    lines.add(text);
    std::string line;
    while (lines.next(line)) {
        const std::size_t help = line.find('\t');
        const std::size_t literal = line.rfind('\t');
        if (help == std::string::npos || literal == help) continue;
        completions.push_back({line.substr(0, help), line.substr(help + 1, literal - help - 1),
                               line.substr(literal + 1) == "1"});
    }
    return completions;
}

ConsoleHost host_of(RemoteSwitch& remote) {
    ConsoleHost host;
    host.answer = [&remote](Session& session, std::string_view line) {
        const auto answer = remote.ask(std::string(line));
        // `quit` ends the other end's session: the next read finds the end of the stream.
        session.ended = !answer;
        return Reply::shown(answer.value_or(""));
    };
    host.complete = [&remote](Session& session, std::string_view line) {
        const auto answer = remote.ask(std::string(kAskCompletion) + std::string(line));
        session.ended = session.ended || !answer;
        return read_completions(answer.value_or(""));
    };
    host.prompt = [&remote](Session& session) {
        const auto answer = remote.ask(std::string(kAskPrompt));
        session.ended = session.ended || !answer;
        return answer.value_or("");
    };
    return host;
}

// Signals become readable: the terminal's mode has to be given back before the end.
int open_signals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, signal);
    sigprocmask(SIG_BLOCK, &set, nullptr);
    return signalfd(-1, &set, SFD_CLOEXEC);
}

int run_terminal(RemoteSwitch& remote, const std::string& path) {
    const int signals = open_signals();
    const ConsoleHost host = host_of(remote);
    Terminal terminal(STDIN_FILENO, STDOUT_FILENO, host);
    terminal.start();
    for (;;) {
        std::array<pollfd, 3> waits{pollfd{STDIN_FILENO, POLLIN, 0}, pollfd{remote.fd(), 0, 0},
                                    pollfd{signals, POLLIN, 0}};
        if (poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR) break;
        if (waits[2].revents != 0) {
            terminal.leave_line();
            break;
        }
        if (waits[1].revents != 0) {
            terminal.leave_line();
            return say_gone(path);
        }
        if (waits[0].revents != 0 && !terminal.read_input()) break;
    }
    return 0;
}

// One command and its answer. False when the switch is gone.
bool run_line(RemoteSwitch& remote, const std::string& line, int& status) {
    const auto answer = remote.ask(line);
    if (!answer) return false;
    const bool failed = answer->starts_with("error: ");
    if (failed) status = 1;
    return write_all(failed ? STDERR_FILENO : STDOUT_FILENO, *answer);
}

}  // namespace

int attach(const std::string& path, const std::vector<std::string>& commands) {
    OpenedSocket opened = connect_to(path);
    if (opened.fd < 0) {
        std::fprintf(stderr, "weir: %s\n", opened.problem.c_str());
        return 2;
    }
    RemoteSwitch remote(opened.fd);
    int status = 0;
    for (const std::string& command : commands) {
        if (!run_line(remote, command, status)) return say_gone(path);
    }
    if (!commands.empty()) return status;
    if (isatty(STDIN_FILENO) == 1) return run_terminal(remote, path);

    LineBuffer input;
    std::array<char, 4096> bytes{};
    std::string line;
    for (bool open = true; open;) {
        const ssize_t count = read(STDIN_FILENO, bytes.data(), bytes.size());
        if (count < 0 && errno == EINTR) continue;
        if (count > 0)
            input.add({bytes.data(), static_cast<std::size_t>(count)});
        else
            open = false;
        if (!open) input.add("\n");
        while (input.next(line)) {
            if (line == "quit") return status;
            if (!run_line(remote, line, status)) return say_gone(path);
        }
    }
    return status;
}

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/control_loop.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "tools/weir/console/socket_server.h"
#include "tools/weir/console/terminal.h"
#include "tools/weir/line_input.h"
#include "tools/weir/local_console.h"
#include "tools/weir/log.h"
#include "tools/weir/port_readings.h"
#include "tools/weir/reload.h"
#include "tools/weir/telemetry.h"

namespace weir {
namespace {

// Link states and events wait at most this long. 100 turns a second cost well under 1 % of a core.
constexpr int kPeriodMs = 10;
constexpr Interval kSamplePeriod = Interval::seconds(1);

sigset_t watched_signals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, signal);
    return set;
}

class ControlLoop {
  public:
    ControlLoop(Running& running, const Options& options)
        : running_(running),
          options_(options),
          console_(running),
          host_(console_.host()),
          server_(host_),
          telemetry_(Telemetry::start(running)) {}

    ~ControlLoop() {
        set_log_outlet(nullptr);
        telemetry_.close();
        if (signals_ >= 0) close(signals_);
    }
    ControlLoop(const ControlLoop&) = delete;
    ControlLoop& operator=(const ControlLoop&) = delete;

    [[nodiscard]] std::string open() {
        const sigset_t watched = watched_signals();
        signals_ = signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);
        if (signals_ < 0) return std::string("signalfd: ") + std::strerror(errno);
        std::string problem = open_sockets();
        if (problem.empty()) problem = run_command_file();
        if (problem.empty() && options_.interactive && !ended_) open_stdin();
        return problem;
    }

    [[nodiscard]] int run() {
        while (!ended_) turn();
        return any_failed_ || (lines_ && lines_->any_failed()) ? 1 : 0;
    }

  private:
    std::string open_sockets() {
        if (!options_.socket.empty()) {
            const std::string problem = server_.open(options_.socket);
            if (!problem.empty()) return "--socket " + problem;
        }
        for (const RunningSwitch& one : running_.switches) {
            const std::string& path = one.settings().console;
            if (path.empty() || path == options_.socket) continue;
            const std::string problem = server_.open(path);
            if (!problem.empty()) return one.loaded->problem("console", problem).line();
        }
        return {};
    }

    std::string run_command_file() {
        if (options_.command_file.empty()) return {};
        const int fd = ::open(options_.command_file.c_str(), O_RDONLY | O_CLOEXEC);
        if (fd < 0) return "--cmd-file " + options_.command_file + ": " + std::strerror(errno);
        LineInput input(fd, host_);
        while (input.read_input()) {
        }
        close(fd);
        any_failed_ = input.any_failed();
        ended_ = input.ended_by_quit();
        return {};
    }

    void open_stdin() {
        if (isatty(STDIN_FILENO) == 0) {
            lines_.emplace(STDIN_FILENO, host_);
            return;
        }
        terminal_ = std::make_unique<Terminal>(STDIN_FILENO, STDOUT_FILENO, host_);
        terminal_->start();
        set_log_outlet([this](std::string_view line) { terminal_->print_above(line); });
    }

    void turn() {
        waits_.clear();
        waits_.push_back({signals_, POLLIN, 0});
        waits_.push_back({telemetry_.fd(), POLLIN, 0});
        if (terminal_) waits_.push_back({terminal_->fd(), POLLIN, 0});
        if (lines_) waits_.push_back({lines_->fd(), POLLIN, 0});
        for (const RunningSwitch& one : running_.switches) {
            if (one.watcher->fd() >= 0) waits_.push_back({one.watcher->fd(), POLLIN, 0});
        }
        server_.add_waits(waits_);
        if (poll(waits_.data(), waits_.size(), kPeriodMs) > 0) serve();
        running_.dataplane.poll();
        take_worker_events(running_);
        const Time now = running_.dataplane.clock().now();
        if (now - sampled_ >= kSamplePeriod) {
            sampled_ = now;
            sample_counters(running_);
        }
    }

    [[nodiscard]] bool ready(int fd) const {
        for (const pollfd& wait : waits_) {
            if (wait.fd == fd && wait.revents != 0) return true;
        }
        return false;
    }

    void serve() {
        if (ready(signals_)) take_signals();
        if (ready(telemetry_.fd())) telemetry_.serve();
        for (std::size_t i = 0; i < running_.switches.size(); ++i) {
            Watcher& watcher = *running_.switches[i].watcher;
            if (watcher.fd() >= 0 && ready(watcher.fd()) && watcher.changed()) reload_and_tell(i);
        }
        server_.serve(waits_);
        if (terminal_ && ready(terminal_->fd()) && !terminal_->read_input()) ended_ = true;
        // The end of a pipe ends the switch, as the end of a terminal does.
        if (lines_ && ready(lines_->fd()) && !lines_->read_input()) ended_ = true;
    }

    void take_signals() {
        signalfd_siginfo info{};
        while (read(signals_, &info, sizeof info) == sizeof info) {
            if (info.ssi_signo == SIGHUP && !terminal_) {
                for (std::size_t i = 0; i < running_.switches.size(); ++i) reload_and_tell(i);
            } else {
                ended_ = true;  // with a terminal, SIGHUP means that it was closed
                if (terminal_) terminal_->leave_line();
            }
        }
    }

    void reload_and_tell(std::size_t switch_index) {
        const std::string file = running_.switches[switch_index].loaded->file;
        Reply reply = reload(running_, switch_index, {});
        while (!reply.text.empty() && reply.text.back() == '\n') reply.text.pop_back();
        if (reply.failed) {
            log_warning(file + ": " + reply.text);
        } else {
            log_info(file + ": reloaded\n" + reply.text);
        }
    }

    Running& running_;
    const Options& options_;
    LocalConsole console_;
    ConsoleHost host_;
    SocketServer server_;
    Telemetry& telemetry_;
    std::unique_ptr<Terminal> terminal_;
    std::optional<LineInput> lines_;
    int signals_ = -1;
    bool ended_ = false;
    bool any_failed_ = false;
    Time sampled_;
    std::vector<pollfd> waits_;
};

}  // namespace

void block_signals() {
    const sigset_t watched = watched_signals();
    sigprocmask(SIG_BLOCK, &watched, nullptr);
    signal(SIGPIPE, SIG_IGN);  // writes say EPIPE instead
}

int control_until_end(Running& running, const Options& options, std::string& problem) {
    ControlLoop loop(running, options);
    problem = loop.open();
    return problem.empty() ? loop.run() : 2;
}

}  // namespace weir

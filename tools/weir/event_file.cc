// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/event_file.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace weir {

EventFile::EventFile(EventFile&& other) noexcept {
    *this = std::move(other);
}

EventFile& EventFile::operator=(EventFile&& other) noexcept {
    close_file();
    fd_ = std::exchange(other.fd_, -1);
    owned_ = std::exchange(other.owned_, false);
    lost_lines_ = std::exchange(other.lost_lines_, 0);
    return *this;
}

void EventFile::close_file() {
    if (owned_) close(fd_);
    fd_ = -1;
    owned_ = false;
}

std::string EventFile::open(const std::string& path) {
    close_file();
    if (path.empty()) return {};
    if (path == "-") {
        fd_ = STDOUT_FILENO;
        return {};
    }
    // Non-blocking for a FIFO's sake: opening one that nobody reads would wait for ever.
    fd_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0644);
    if (fd_ < 0) {
        return path + ": " + std::strerror(errno) +
               "; events need a file in a directory that you may write";
    }
    owned_ = true;
    return {};
}

void EventFile::write_line(std::string_view line) {
    if (fd_ < 0) return;
    // A pipe that polls as writable takes at least PIPE_BUF (4096) bytes: a whole line.
    pollfd ready{fd_, POLLOUT, 0};
    if (poll(&ready, 1, 0) != 1 || (ready.revents & POLLOUT) == 0 ||
        write(fd_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
        ++lost_lines_;
    }
}

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#include "config/watcher.h"

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/timerfd.h>
#include <unistd.h>

namespace weir {
namespace {

timespec to_timespec(Interval interval) {
    constexpr std::int64_t kSecondPs = 1'000'000'000'000;
    return {interval.ps / kSecondPs, interval.ps % kSecondPs / 1'000};
}

bool add_to(int poll_fd, int fd) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = fd;
    return epoll_ctl(poll_fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

}  // namespace

Watcher::Watcher(const std::string& file, Interval quiet) : quiet_(quiet) {
    const std::size_t slash = file.rfind('/');
    folder_ = slash == std::string::npos ? "." : slash == 0 ? "/" : file.substr(0, slash);
    name_ = slash == std::string::npos ? file : file.substr(slash + 1);
    start();
    if (poll_fd_ < 0 || !why_.empty()) {
        why_ = folder_ + " cannot be watched: " + std::strerror(errno);
        close_all();
    }
}

Watcher::~Watcher() {
    close_all();
}

void Watcher::start() {
    why_ = "?";  // until everything has worked
    notify_fd_ = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (notify_fd_ < 0) return;
    constexpr std::uint32_t kSaved = IN_CLOSE_WRITE | IN_MOVED_TO;
    if (inotify_add_watch(notify_fd_, folder_.c_str(), kSaved | IN_ONLYDIR) < 0) return;
    timer_fd_ = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (timer_fd_ < 0) return;
    poll_fd_ = epoll_create1(EPOLL_CLOEXEC);
    if (poll_fd_ < 0 || !add_to(poll_fd_, notify_fd_) || !add_to(poll_fd_, timer_fd_)) return;
    why_.clear();
}

bool Watcher::changed() {
    if (poll_fd_ < 0) return false;
    if (take_events()) {
        itimerspec once{};
        once.it_value = to_timespec(quiet_);
        timerfd_settime(timer_fd_, 0, &once, nullptr);
        return false;
    }
    std::uint64_t expirations = 0;
    return read(timer_fd_, &expirations, sizeof expirations) == sizeof expirations;
}

// True when one of the waiting events is about our file, or when events were lost.
bool Watcher::take_events() {
    alignas(inotify_event) std::array<char, 4096> buffer;
    bool ours = false;
    for (;;) {
        const ssize_t bytes = read(notify_fd_, buffer.data(), buffer.size());
        if (bytes <= 0) return ours;
        for (ssize_t at = 0; at < bytes;) {
            inotify_event event{};
            std::memcpy(&event, buffer.data() + at, sizeof event);
            const char* name = buffer.data() + at + sizeof event;
            const bool lost = (event.mask & IN_Q_OVERFLOW) != 0;
            ours = ours || lost || (event.len > 0 && std::string_view(name) == name_);
            at += static_cast<ssize_t>(sizeof event + event.len);
        }
    }
}

void Watcher::close_all() {
    for (int* fd : {&poll_fd_, &timer_fd_, &notify_fd_}) {
        if (*fd >= 0) close(*fd);
        *fd = -1;
    }
}

}  // namespace weir

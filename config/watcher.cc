// SPDX-License-Identifier: BSD-3-Clause
#include "config/watcher.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>

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

std::string folder_of(const std::string& file) {
    const std::size_t slash = file.rfind('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : file.substr(0, slash);
}

bool add_to(int poll_fd, int fd) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = fd;
    return epoll_ctl(poll_fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

}  // namespace

Watcher::Watcher(const std::vector<std::string>& files, Interval quiet) : quiet_(quiet) {
    start(files);
    if (!why_.empty()) {
        why_ = folder_of(files.front()) + " cannot be watched: " + std::strerror(errno);
        close_all();
    }
}

Watcher::~Watcher() {
    close_all();
}

void Watcher::start(const std::vector<std::string>& files) {
    why_ = "?";  // until everything has worked
    notify_fd_ = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (notify_fd_ < 0) return;
    for (const std::string& file : files) {
        if (!watch_with_target(file)) return;
    }
    timer_fd_ = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (timer_fd_ < 0) return;
    poll_fd_ = epoll_create1(EPOLL_CLOEXEC);
    if (poll_fd_ < 0 || !add_to(poll_fd_, notify_fd_) || !add_to(poll_fd_, timer_fd_)) return;
    why_.clear();
}

bool Watcher::watch_with_target(const std::string& file) {
    if (!watch(file)) return false;
    const std::unique_ptr<char, void (*)(void*)> target(realpath(file.c_str(), nullptr), std::free);
    return target == nullptr || watch(target.get());
}

bool Watcher::watch(const std::string& file) {
    constexpr std::uint32_t kSaved = IN_CLOSE_WRITE | IN_MOVED_TO;
    const int folder = inotify_add_watch(notify_fd_, folder_of(file).c_str(), kSaved | IN_ONLYDIR);
    if (folder < 0) return false;
    watches_.push_back({folder, file.substr(file.rfind('/') + 1)});  // npos + 1 is 0
    return true;
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
            ours = ours || lost || (event.len > 0 && is_watched(event.wd, name));
            at += static_cast<ssize_t>(sizeof event + event.len);
        }
    }
}

bool Watcher::is_watched(int folder, const char* name) const {
    return std::any_of(watches_.begin(), watches_.end(),
                       [&](const Watch& one) { return one.folder == folder && one.name == name; });
}

void Watcher::close_all() {
    for (int* fd : {&poll_fd_, &timer_fd_, &notify_fd_}) {
        if (*fd >= 0) close(*fd);
        *fd = -1;
    }
}

}  // namespace weir

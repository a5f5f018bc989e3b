// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/control_call.h"

#include <chrono>

#include <sys/eventfd.h>
#include <unistd.h>

namespace weir {
namespace {

// A reload of the largest file and its publication take a fraction of this.
constexpr std::chrono::seconds kPatience{2};

}  // namespace

ControlCall::ControlCall() : fd_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}

ControlCall::~ControlCall() {
    close();
    ::close(fd_);
}

bool ControlCall::run(const std::function<void()>& work) {
    const std::lock_guard in_line(one_at_a_time_);
    std::unique_lock lock(mutex_);
    if (closed_) return false;
    work_ = &work;
    state_ = State::Asked;
    eventfd_write(fd_, 1);
    const auto finished = [this] { return state_ == State::Done || closed_; };
    if (!changed_.wait_for(lock, kPatience, finished) && state_ == State::Running) {
        changed_.wait(lock, finished);  // it has begun: it uses what our caller owns
    }
    const bool done = state_ == State::Done;
    state_ = State::Idle;
    work_ = nullptr;
    return done;
}

void ControlCall::serve() {
    eventfd_t count = 0;
    eventfd_read(fd_, &count);
    std::unique_lock lock(mutex_);
    if (state_ != State::Asked) return;
    state_ = State::Running;
    lock.unlock();
    (*work_)();
    lock.lock();
    state_ = State::Done;
    changed_.notify_all();
}

void ControlCall::close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
}

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>

namespace weir {

// Lets another thread (DPDK's telemetry) have something done by the control thread, which alone may
// look at everything: no data is shared, so none can be half changed.
class ControlCall {
  public:
    ControlCall();
    ~ControlCall();
    ControlCall(const ControlCall&) = delete;
    ControlCall& operator=(const ControlCall&) = delete;

    // Any other thread: runs `work` on the control thread and returns when it is done; false, and
    // it never runs, when the control thread is busy for too long or has closed.
    [[nodiscard]] bool run(const std::function<void()>& work);

    // The control thread: when fd() is readable.
    void serve();
    // From here on every run() returns false.
    void close();
    [[nodiscard]] int fd() const { return fd_; }

  private:
    enum class State { Idle, Asked, Running, Done };

    int fd_;
    std::mutex one_at_a_time_;
    std::mutex mutex_;
    std::condition_variable changed_;
    State state_ = State::Idle;
    const std::function<void()>* work_ = nullptr;
    bool closed_ = false;
};

}  // namespace weir

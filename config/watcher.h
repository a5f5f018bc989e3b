// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "dataplane/core/time.h"

namespace weir {

// Notices that a file, or one of several, was saved. Watches its folder, because editors write a
// new file and rename it; waits until the file is quiet, because some write it in several steps.
// Has no thread: the caller polls fd() and asks changed() when it is readable. Of a symbolic link,
// the file that it leads to at the start is watched as well.
class Watcher {
  public:
    static constexpr Interval kQuiet = Interval::milliseconds(50);

    explicit Watcher(const std::string& file, Interval quiet = kQuiet)
        : Watcher(std::vector<std::string>{file}, quiet) {}
    explicit Watcher(const std::vector<std::string>& files, Interval quiet = kQuiet);
    ~Watcher();
    Watcher(const Watcher&) = delete;
    Watcher& operator=(const Watcher&) = delete;

    // -1 when the folder cannot be watched; why() says the reason.
    [[nodiscard]] int fd() const { return poll_fd_; }
    [[nodiscard]] const std::string& why() const { return why_; }

    // Takes what happened; true once for each time a file was saved. Never blocks.
    [[nodiscard]] bool changed();

  private:
    // A name in a folder that is watched.
    struct Watch {
        int folder = -1;  // inotify's number for it
        std::string name;
    };

    void start(const std::vector<std::string>& files);
    [[nodiscard]] bool watch(const std::string& file);
    [[nodiscard]] bool watch_with_target(const std::string& file);
    [[nodiscard]] bool take_events();
    [[nodiscard]] bool is_watched(int folder, const char* name) const;
    void close_all();

    std::vector<Watch> watches_;
    Interval quiet_;
    std::string why_;
    int notify_fd_ = -1;
    int timer_fd_ = -1;
    int poll_fd_ = -1;  // readable when one of the two is
};

}  // namespace weir

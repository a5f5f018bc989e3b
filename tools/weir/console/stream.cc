// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/console/stream.h"

#include <cerrno>
#include <utility>

#include <poll.h>
#include <unistd.h>

namespace weir {

bool write_all(int fd, std::string_view text) {
    while (!text.empty()) {
        const ssize_t count = write(fd, text.data(), text.size());
        if (count >= 0) {
            text.remove_prefix(static_cast<std::size_t>(count));
        } else if (errno == EAGAIN) {
            // A terminal shared with a program that made it non-blocking.
            pollfd ready{fd, POLLOUT, 0};
            if (poll(&ready, 1, -1) < 0 && errno != EINTR) return false;
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

bool LineBuffer::next(std::string& line) {
    const std::size_t end = pending_.find('\n', taken_);
    if (end == std::string::npos) {
        pending_.erase(0, taken_);
        taken_ = 0;
        return false;
    }
    line = pending_.substr(taken_, end - taken_);
    if (!line.empty() && line.back() == '\r') line.pop_back();
    taken_ = end + 1;
    return true;
}

std::string LineBuffer::rest() {
    std::string line = pending_.substr(taken_);
    pending_.clear();
    taken_ = 0;
    return line;
}

bool LineBuffer::too_long() const {
    return pending_.size() - taken_ > kLineBytesMax && pending_.find('\n', taken_) == pending_.npos;
}

}  // namespace weir

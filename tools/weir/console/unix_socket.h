// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace weir {

// A file descriptor, or why there is none: a clause that says what to do instead.
struct OpenedSocket {
    int fd = -1;
    std::string problem;
};

// Listens at `path`, for this user only. A socket that a dead process left is taken over; one that
// somebody listens at is not.
[[nodiscard]] OpenedSocket listen_at(const std::string& path);
[[nodiscard]] OpenedSocket connect_to(const std::string& path);

}  // namespace weir

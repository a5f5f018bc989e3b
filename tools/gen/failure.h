// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>

namespace weir::gen {

// The machine does not allow the run: one line for the user, then the end.
struct Failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// `what` and the system's reason for it.
[[noreturn]] inline void fail_with_errno(const std::string& what) {
    throw Failure(what + ": " + std::generic_category().message(errno));
}

}  // namespace weir::gen

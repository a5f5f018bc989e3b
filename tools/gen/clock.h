// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>

#include "dataplane/core/time.h"

namespace weir::gen {

// The only clock read of the generator.
inline Time now() {
    const auto since_boot = std::chrono::steady_clock::now().time_since_epoch();
    const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(since_boot).count();
    return Time{} + Interval::nanoseconds(ns);
}

}  // namespace weir::gen

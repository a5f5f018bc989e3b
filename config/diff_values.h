// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "config/diff.h"
#include "config/value_text.h"

namespace weir {

template <typename T>
void compare(const std::string& path, const T& before, const T& after, std::vector<Change>& out,
             const char* ending = "") {
    if (before == after) return;
    out.push_back({path, show(before) + " -> " + show(after) + ending});
}

// Buffer, PFC, ECN and scheduler, of a switch and of a port. diff_lossless.cc
void compare_lossless(const Settings& before, const Settings& after, std::vector<Change>& out);
void compare_lossless(const std::string& path, const PortSettings& before,
                      const PortSettings& after, std::vector<Change>& out);

}  // namespace weir

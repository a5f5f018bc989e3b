// SPDX-License-Identifier: BSD-3-Clause
// Short files for the tests of config/.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "config/load.h"

namespace weir {

// Five lines: what a test adds begins in line 6.
inline constexpr std::string_view kThreePorts =
    "switch: {name: s}\n"
    "ports:\n"
    "  - {name: p0, device: net_null0, addresses: [10.0.0.1/24, 'fd00::1/64']}\n"
    "  - {name: p1, device: net_null1, addresses: [10.0.1.1/24, 'fe80::9/64']}\n"
    "  - {name: p2, device: net_null2, vlan: {native: 10, tagged: [20]}}\n";

// Every problem of `text`, as it is printed; empty when there is none.
inline std::string problems_of(std::string_view text) {
    Problems problems;
    const auto loaded = load_text("f.yaml", text, problems);
    EXPECT_EQ(loaded == nullptr, !problems.empty());
    return problems.text();
}

inline std::string problems_with_three_ports(std::string_view added) {
    return problems_of(std::string(kThreePorts) + std::string(added));
}

inline std::unique_ptr<const Loaded> load_good(std::string_view text) {
    Problems problems;
    auto loaded = load_text("f.yaml", text, problems);
    EXPECT_EQ(problems.text(), "");
    return loaded;
}

inline std::unique_ptr<const Loaded> load_with_three_ports(std::string_view added) {
    return load_good(std::string(kThreePorts) + std::string(added));
}

}  // namespace weir

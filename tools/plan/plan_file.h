// SPDX-License-Identifier: BSD-3-Clause
// The path tables of one switch as a file: what weir-plan writes and a switch includes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/address_text.h"
#include "config/problem.h"
#include "tools/plan/input.h"

namespace weir::plan {

// Either source and destination, or ingress and prefix.
struct PlanRule {
    std::optional<IpAddress> source;
    std::optional<IpPrefix> destination;  // of one address, if there is a source
    std::string ingress;
    unsigned source_port = 0;  // 0: any
    std::optional<unsigned> dest_qp;
    std::vector<std::string> via;  // ports, the primary first
    Mark mark;                     // where it was read
};

struct PlanFile {
    std::string switch_name;
    Move move = Move::Gap;
    Interval gap = Interval::microseconds(100);
    std::vector<PlanRule> rules;
};

[[nodiscard]] std::string text_of(const PlanFile& plan);
// What is no plan file becomes problems.
[[nodiscard]] PlanFile read_plan(const std::string& file, std::string_view text,
                                 Problems& problems);
// "10.1.1.2 > 10.2.1.2", with port or queue pair; "p3 > 10.2.0.0/16".
[[nodiscard]] std::string key_text(const PlanRule& rule);

}  // namespace weir::plan

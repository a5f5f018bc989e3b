// SPDX-License-Identifier: BSD-3-Clause
// What single failures do to a plan.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tools/plan/loads.h"

namespace weir::plan {

struct Failure {
    NodeId node = kNone;         // a switch that is gone, or
    std::uint32_t link = kNone;  // a link
    double bound = 0;            // what any plan's fullest link must carry then
    double reached = 0;          // what this one's does
    std::uint32_t moved = 0;     // flows that take another way
    std::uint32_t stranded = 0;  // flows for which the plan has no other way
};

// Every link between switches, and every switch without hosts.
[[nodiscard]] std::vector<Failure> failures_of(const Tiers& tiers, std::span<const Flow> flows,
                                               std::span<const Ways> ways, const Loads& loads);

// The way that a flow takes when a link (or all of a switch's) is gone; empty: none is planned.
[[nodiscard]] Way way_in(const Topology& topology, const Ways& ways, const Failure& failure);

}  // namespace weir::plan

// SPDX-License-Identifier: BSD-3-Clause
// The part of Settings about path tables and selectors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/address_text.h"
#include "dataplane/core/time.h"
#include "dataplane/core/types.h"

namespace weir {

struct FlowletSettings {
    Interval gap = Interval::microseconds(50);
    bool operator==(const FlowletSettings&) const = default;
};

// One way of a path: the route's gateway on `port`, or `gateway`, or both for a link-local one.
struct PathHopSettings {
    std::string port;
    std::optional<IpAddress> gateway;
    bool operator==(const PathHopSettings&) const = default;
};

// A rule: of flows by source and destination, or of what comes by a port for a prefix.
struct PathSettings {
    std::optional<IpAddress> source;
    std::optional<std::string> ingress;
    IpPrefix destination;  // with `source` one address
    std::optional<std::uint16_t> source_port;
    std::optional<std::uint32_t> dest_qp;
    std::vector<PathHopSettings> via;  // primary, then backups
    bool operator==(const PathSettings&) const = default;
};

enum class PathMove : std::uint8_t { Now, Gap };

// What a plan says of itself.
struct PlanSettings {
    unsigned version = 1;
    std::string switch_;  // NOLINT(readability-identifier-naming)
    std::string generated_by;
    PathMove move = PathMove::Gap;  // of flows whose path is another than before
    Interval gap = Interval::microseconds(100);
    bool operator==(const PlanSettings&) const = default;
};

// What `paths_file` holds.
struct PlanFileSettings {
    std::optional<PlanSettings> plan;
    std::vector<PathSettings> paths;
    bool operator==(const PlanFileSettings&) const = default;
};

}  // namespace weir

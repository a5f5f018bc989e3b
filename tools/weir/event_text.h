// SPDX-License-Identifier: BSD-3-Clause
// Events as JSON lines.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "dataplane/core/event.h"
#include "tools/weir/json.h"

namespace weir {

// "2026-12-01T08:30:27.123456789Z"
[[nodiscard]] std::string iso_time(std::uint64_t wall_nanoseconds);

// What every line begins with.
struct EventStamp {
    std::uint64_t wall_nanoseconds = 0;
    Time at;  // the switch's own clock: for the time between two events
    std::string_view switch_name;
};
[[nodiscard]] JsonLine event_line(const EventStamp& stamp, std::string_view name);

// An event of the data plane. `port_name`: of event.port, if it has one.
[[nodiscard]] std::string event_text(const EventStamp& stamp, const Event& event,
                                     std::string_view port_name);

}  // namespace weir

// SPDX-License-Identifier: BSD-3-Clause
// Answers of the telemetry socket about buffer, pauses and queues; parts of telemetry.cc.
#pragma once

#include <cstddef>

#include "tools/weir/console/snapshot.h"

struct rte_tel_data;

namespace weir {

// What a command is about: "SWITCH", "PORT", "SWITCH:PORT"; either part may be left out where there
// is one switch, or the command is about a whole switch.
struct TelemetrySubject {
    std::size_t switch_index = 0;
    PortId port = kNoPort;
};

using TelemetryOut = rte_tel_data*;

// 0: `out` is filled in.
int put_queues(const Snapshot& snapshot, const TelemetrySubject& subject, TelemetryOut out);
int put_pfc(const Snapshot& snapshot, const TelemetrySubject& subject, TelemetryOut out);
int put_buffer(const Snapshot& snapshot, const TelemetrySubject& subject, TelemetryOut out);
int put_pool(const Snapshot& snapshot, const TelemetrySubject& subject, TelemetryOut out);
int put_ecn(const Snapshot& snapshot, const TelemetrySubject& subject, TelemetryOut out);
int put_paths(const Snapshot& snapshot, const TelemetrySubject& subject, TelemetryOut out);
int put_watchdog(const Snapshot& snapshot, const TelemetrySubject& subject, TelemetryOut out);

}  // namespace weir

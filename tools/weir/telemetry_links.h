// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tools/weir/telemetry_lossless.h"

namespace weir {

// The link and session of a port; `watched` 0 when it has none.
int put_link(const Snapshot& snapshot, const TelemetrySubject& subject, TelemetryOut out);

}  // namespace weir

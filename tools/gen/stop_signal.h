// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace weir::gen {

// From now on SIGINT and SIGTERM interrupt waiting calls and make stop_requested() true.
void catch_stop_signals();

bool stop_requested();

}  // namespace weir::gen

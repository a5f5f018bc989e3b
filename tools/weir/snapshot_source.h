// SPDX-License-Identifier: BSD-3-Clause
// Snapshots of a running switch. What only a worker may touch is copied by the worker, between two
// of its turns, in pieces that take it a few microseconds.
#pragma once

#include <cstddef>

#include "tools/weir/console/pattern.h"
#include "tools/weir/console/session.h"
#include "tools/weir/console/snapshot.h"
#include "tools/weir/running.h"

namespace weir {

// Names and port views without counters: enough to parse a line.
[[nodiscard]] Names names_of(const Running& running, std::size_t switch_index);

// `session`: whose rates; if they are asked for, its looks at the ports that the arguments name are
// renewed.
[[nodiscard]] Snapshot take_snapshot(Running& running, std::size_t switch_index, Needs what,
                                     const Arguments& arguments, Session& session);

// Adds what the core decides about the flow that the arguments describe; needs Needs::Routes.
// What is wrong with the arguments, or empty.
[[nodiscard]] std::string add_flow(Running& running, std::size_t switch_index,
                                   const Arguments& arguments, Snapshot& snapshot);

}  // namespace weir

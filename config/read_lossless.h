// SPDX-License-Identifier: BSD-3-Clause
// The parts of the file about buffer, PFC, ECN, scheduling and deadlocks.
#pragma once

#include <map>

#include "config/settings.h"
#include "config/yaml_value.h"

namespace weir {

void read_pfc(const Value& value, PfcSettings& target);
void read_buffer(const Value& value, BufferSettings& target);
void read_port_buffer(const Value& value, PortBufferSettings& target);
void read_ecn(const Value& value, std::map<unsigned, EcnSettings>& target);
void read_scheduler(const Value& value, SchedulerSettings& target);
void read_watchdog(const Value& value, WatchdogSettings& target);
void read_hooks(const Value& value, HookSettings& target);

}  // namespace weir

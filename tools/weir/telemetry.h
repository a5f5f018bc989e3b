// SPDX-License-Identifier: BSD-3-Clause
// DPDK's telemetry socket: /weir/switches, /weir/ports,SWITCH, /weir/port_stats,[SWITCH:]PORT ...
#pragma once

#include "tools/weir/control_call.h"
#include "tools/weir/running.h"

namespace weir {

class Telemetry {
  public:
    // Registers the commands, once per process and after EAL has started. DPDK takes none back and
    // its thread never ends, so what this returns is never destroyed; close() it before `running`
    // goes.
    [[nodiscard]] static Telemetry& start(Running& running);

    // For poll(), and when it is readable.
    [[nodiscard]] int fd() const { return call_.fd(); }
    void serve() { call_.serve(); }
    // From here on every command answers with an error.
    void close() { call_.close(); }

    // Callbacks come here on the telemetry thread.
    [[nodiscard]] ControlCall& call() { return call_; }
    // Only in functions that call() runs.
    [[nodiscard]] Running& running() { return running_; }

  private:
    explicit Telemetry(Running& running) : running_(running) {}

    Running& running_;
    ControlCall call_;
};

}  // namespace weir

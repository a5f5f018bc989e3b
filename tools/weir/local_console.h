// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tools/weir/console/session.h"
#include "tools/weir/running.h"

namespace weir {

// The console of this process: parses lines, takes snapshots, and does what commands ask for.
class LocalConsole {
  public:
    explicit LocalConsole(Running& running) : running_(running) {}

    // Refers to this console.
    [[nodiscard]] ConsoleHost host();
    [[nodiscard]] Reply answer(Session& session, std::string_view line);

  private:
    [[nodiscard]] Reply act(Session& session, const Request& request);
    [[nodiscard]] Reply set_port_stopped(const Session& session, PortId port, bool stopped);
    [[nodiscard]] Reply administer_link(const Session& session, PortId port, bool down);
    [[nodiscard]] Reply set_fault(const Session& session, const Request& request);
    [[nodiscard]] Reply force_pause(const Session& session, PortId port, std::uint8_t priorities);
    void note_fault(unsigned index, PortId port);
    [[nodiscard]] Reply clear_stats();

    Running& running_;
};

}  // namespace weir

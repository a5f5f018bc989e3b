// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dataplane/core/time.h"
#include "tools/weir/console/command_table.h"
#include "tools/weir/console/port_counts.h"
#include "tools/weir/console/reply.h"

namespace weir {

// What one console remembers between two commands: a terminal, a file, a pipe or a socket each have
// their own.
struct Session {
    std::size_t switch_index = 0;  // that its commands are about
    // A port's counters at its last look at them: the rates since then are its own.
    struct Look {
        Time at;
        PortCounts counts;
    };
    std::map<std::pair<std::size_t, PortId>, Look> looks;  // by switch and port
    bool ended = false;                                    // by `quit`
};

// What a console asks for: of this process, or of another one over its socket.
struct ConsoleHost {
    std::function<Reply(Session&, std::string_view line)> answer;
    std::function<std::vector<CommandTable::Completion>(Session&, std::string_view line)> complete;
    std::function<std::string(Session&)> prompt;
};

}  // namespace weir

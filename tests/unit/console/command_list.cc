// SPDX-License-Identifier: BSD-3-Clause
// Prints the grammar of every command and the name of every event, one a line, for the test of the
// manual.
#include <cstdio>
#include <string>

#include "tools/weir/console/command_table.h"
#include "tools/weir/event_text.h"

int main() {
    for (const weir::Command& command : weir::weir_commands().commands()) {
        std::printf("command %s\n", std::string(command.grammar).c_str());
    }
    for (unsigned kind = 0; kind < static_cast<unsigned>(weir::EventKind::kCount); ++kind) {
        std::printf("event %s\n",
                    std::string(weir::event_name(static_cast<weir::EventKind>(kind))).c_str());
    }
    return 0;
}

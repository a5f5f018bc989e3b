// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "dataplane/core/types.h"
#include "dataplane/run/port_fault_settings.h"

namespace weir {

struct Settings;

// What a command wants done besides its text: commands only read, the control loop acts.
enum class Act : std::uint8_t {
    None,
    ClearStats,
    Reload,      // `file`, or the files of the switch as before when empty
    Change,      // `edit` of the settings in use
    SetFault,    // `fault` on what arrives on `port`
    ForcePause,  // `priorities` of the peer of `port`
    StartPort,
    StopPort,
    LinkUp,    // the link of `port` may be used again
    LinkDown,  // it may not, and its session is AdminDown
    Use,       // `name`: the switch that the next commands of this session are about
    Quit,
};

struct Request {
    Act act = Act::None;
    PortId port = kNoPort;
    std::string name;
    std::function<void(Settings&)> edit;
    PortFaultSettings fault{};
    std::uint8_t priorities = 0;
};

// The answer to one line. A failed one says what to write instead.
struct Reply {
    std::string text;
    bool failed = false;
    Request request;

    [[nodiscard]] static Reply shown(std::string text) {
        Reply reply;
        reply.text = std::move(text);
        return reply;
    }
    [[nodiscard]] static Reply error(const std::string& problem) {
        Reply reply = shown("error: " + problem + "\n");
        reply.failed = true;
        return reply;
    }
    [[nodiscard]] static Reply ask(Act act, std::string name = {}, PortId port = kNoPort) {
        Reply reply;
        reply.request.act = act;
        reply.request.port = port;
        reply.request.name = std::move(name);
        return reply;
    }
    [[nodiscard]] static Reply change(std::function<void(Settings&)> edit) {
        Reply reply;
        reply.request.act = Act::Change;
        reply.request.edit = std::move(edit);
        return reply;
    }
};

}  // namespace weir

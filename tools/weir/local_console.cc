// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/local_console.h"

#include "tools/weir/console/set_fault.h"
#include "tools/weir/port_readings.h"
#include "tools/weir/reload.h"
#include "tools/weir/snapshot_source.h"

namespace weir {

namespace {

Reply no_answer() {
    return Reply::error("the port's worker did not answer; try again");
}

}  // namespace

ConsoleHost LocalConsole::host() {
    ConsoleHost host;
    host.answer = [this](Session& session, std::string_view line) { return answer(session, line); };
    host.complete = [this](Session& session, std::string_view line) {
        return weir_commands().complete(line, names_of(running_, session.switch_index));
    };
    host.prompt = [this](Session& session) {
        if (running_.switches.size() == 1) return std::string("weir> ");
        return "weir:" + running_.switches[session.switch_index].settings().switch_.name + "> ";
    };
    return host;
}

Reply LocalConsole::answer(Session& session, std::string_view line) {
    const auto match = weir_commands().match(line, names_of(running_, session.switch_index));
    if (match.command == nullptr) {
        return match.problem.empty() ? Reply() : Reply::error(match.problem);
    }
    const Needs what = match.command->needs;
    Snapshot snapshot =
        take_snapshot(running_, session.switch_index, what, match.arguments, session);
    if (needs(what, Needs::Flow)) {
        const std::string problem =
            add_flow(running_, session.switch_index, match.arguments, snapshot);
        if (!problem.empty()) return Reply::error(problem);
    }
    Reply reply = match.command->run(match.arguments, snapshot);
    if (reply.request.act == Act::None) return reply;
    return act(session, reply.request);
}

Reply LocalConsole::act(Session& session, const Request& request) {
    switch (request.act) {
        case Act::None:
            break;
        case Act::ClearStats:
            return clear_stats();
        case Act::Reload:
            return reload(running_, session.switch_index, request.name);
        case Act::Change:
            return change_settings(running_, session.switch_index, request.edit);
        case Act::SetFault:
            return set_fault(session, request);
        case Act::ForcePause:
            return force_pause(session, request.port, request.priorities);
        case Act::StartPort:
        case Act::StopPort:
            return set_port_stopped(session, request.port, request.act == Act::StopPort);
        case Act::LinkUp:
        case Act::LinkDown:
            return administer_link(session, request.port, request.act == Act::LinkDown);
        case Act::Use:
            for (std::size_t i = 0; i < running_.switches.size(); ++i) {
                if (running_.switches[i].settings().switch_.name == request.name) {
                    session.switch_index = i;
                }
            }
            break;
        case Act::Quit:
            session.ended = true;
            break;
    }
    return {};
}

Reply LocalConsole::set_port_stopped(const Session& session, PortId port, bool stopped) {
    const auto index = static_cast<unsigned>(session.switch_index);
    const std::string name = running_.switches[index].settings().ports[port].name;
    if (running_.dataplane.switch_at(index).ports[port].stopped == stopped) {
        return Reply::shown("port " + name +
                            (stopped ? " was stopped already\n" : " was not stopped\n"));
    }
    if (!running_.dataplane.set_port_stopped(index, port, stopped)) {
        return no_answer();
    }
    note_event(running_, index, stopped ? "port_stopped" : "port_started", name);
    return {};
}

Reply LocalConsole::administer_link(const Session& session, PortId port, bool down) {
    const auto index = static_cast<unsigned>(session.switch_index);
    if (!running_.dataplane.administer_link(index, port, down)) return no_answer();
    return {};
}

// Another fault takes the place of the last one; none ends a pause storm too.
Reply LocalConsole::set_fault(const Session& session, const Request& request) {
    const auto index = static_cast<unsigned>(session.switch_index);
    const PortFaultSettings& fault = request.fault;
    if (!running_.dataplane.set_port_fault(index, request.port, fault)) return no_answer();
    if (!fault.any()) return force_pause(session, request.port, 0);
    note_fault(index, request.port);
    return {};
}

Reply LocalConsole::force_pause(const Session& session, PortId port, std::uint8_t priorities) {
    const auto index = static_cast<unsigned>(session.switch_index);
    if (!running_.dataplane.force_pause(index, port, priorities)) return no_answer();
    note_fault(index, port);
    return {};
}

void LocalConsole::note_fault(unsigned index, PortId port) {
    const PortRecord& record = running_.dataplane.switch_at(index).ports[port];
    const std::string text = fault_text(record.fault, record.forced_pauses);
    note_event(running_, index, "port_fault", record.options.name, text.empty() ? "none" : text);
}

Reply LocalConsole::clear_stats() {
    clear_counters(running_);
    for (std::size_t i = 0; i < running_.switches.size(); ++i) {
        note_event(running_, i, "stats_cleared");
    }
    return {};
}

}  // namespace weir

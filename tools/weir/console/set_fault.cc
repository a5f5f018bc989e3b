// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/console/set_fault.h"

#include "config/units.h"

namespace weir {
namespace {

Reply ask_for_fault(const Arguments& arguments, const PortFaultSettings& fault) {
    Reply reply = Reply::ask(Act::SetFault, {}, arguments.find("port")->port);
    reply.request.fault = fault;
    return reply;
}

}  // namespace

Reply set_fault(const Arguments& arguments, const Snapshot& /*snapshot*/) {
    PortFaultSettings fault;
    if (const Value* loss = arguments.find("loss")) {
        fault.loss_ppm = static_cast<std::uint32_t>(loss->number);
    }
    if (const Value* corrupt = arguments.find("corrupt")) {
        fault.corrupt_ppm = static_cast<std::uint32_t>(corrupt->number);
    }
    if (const Value* delay = arguments.find("delay")) {
        fault.delay = Interval{static_cast<std::int64_t>(delay->number)};
    }
    if (!fault.any()) {
        return Reply::error("which fault? write loss 1%, corrupt 0.1%, delay 10us or none");
    }
    return ask_for_fault(arguments, fault);
}

Reply set_fault_none(const Arguments& arguments, const Snapshot& /*snapshot*/) {
    return ask_for_fault(arguments, {});
}

Reply set_pause_storm(const Arguments& arguments, const Snapshot& /*snapshot*/) {
    Reply reply = Reply::ask(Act::ForcePause, {}, arguments.find("port")->port);
    reply.request.priorities =
        static_cast<std::uint8_t>(1u << arguments.find("pause-storm")->number);
    return reply;
}

std::string fault_text(const PortFaultSettings& fault, std::uint8_t forced_pauses) {
    std::string text;
    const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
    if (fault.silent) add("silent-drop");
    if (fault.loss_ppm != 0) add("loss " + format_probability({fault.loss_ppm}));
    if (fault.corrupt_ppm != 0) add("corrupt " + format_probability({fault.corrupt_ppm}));
    if (fault.delay.ps != 0) add("delay " + format_interval(fault.delay));
    for (unsigned priority = 0; priority < kPriorities; ++priority) {
        if (((forced_pauses >> priority) & 1) != 0) add("pause-storm " + std::to_string(priority));
    }
    return text;
}

}  // namespace weir

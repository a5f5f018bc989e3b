// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/console/set.h"

#include <algorithm>
#include <optional>

#include "config/settings.h"

namespace weir {
namespace {

// `all|PORT PRIORITY`, behind the keyword `key`.
struct Subject {
    Subject(const Arguments& arguments, std::string_view key)
        : port(arguments.find(key)->port),
          priority(static_cast<Priority>(arguments.find(key, 1)->number)) {}

    [[nodiscard]] bool all() const { return port == kNoPort; }

    PortId port;  // kNoPort: the switch's settings, and those of ports that have their own
    Priority priority;
};

std::optional<Bytes> bytes_at(const Arguments& arguments, std::string_view key) {
    const Value* value = arguments.find(key);
    return value == nullptr ? std::nullopt : std::optional<Bytes>(value->number);
}

void add_priority(std::vector<Priority>& list, Priority priority) {
    if (std::find(list.begin(), list.end(), priority) == list.end()) list.push_back(priority);
}

// Edits what `member` of a port stands over: the port's own, or the switch's and those of all ports
// that have their own.
template <typename T, typename Edit>
void edit_optional(Settings& settings, PortId port, std::optional<T> PortSettings::*own,
                   std::optional<T> Settings::*common, Edit edit) {
    if (port != kNoPort) {
        auto& target = settings.ports[port].*own;
        if (!target) target = settings.*common;
        return edit(target);
    }
    edit(settings.*common);
    for (PortSettings& one : settings.ports) {
        if (one.*own) edit(one.*own);
    }
}

void weigh(SchedulerSettings& scheduler, Priority priority, unsigned weight) {
    std::erase(scheduler.strict, priority);
    scheduler.weights[priority] = weight;
}

void make_strict(SchedulerSettings& scheduler, Priority priority) {
    add_priority(scheduler.strict, priority);
    scheduler.weights.erase(priority);
}

// alpha and limit are two ways to say one thing: the later one counts.
void edit_group(const GroupSettings& wanted, GroupSettings& group) {
    if (wanted.alpha || wanted.limit) {
        group.alpha = wanted.alpha;
        group.limit = wanted.limit;
    }
    if (wanted.headroom) group.headroom = wanted.headroom;
    if (wanted.reserve) group.reserve = wanted.reserve;
    if (wanted.xon_offset) group.xon_offset = wanted.xon_offset;
}

GroupSettings wanted_group(const Arguments& arguments) {
    GroupSettings wanted;
    if (const Value* alpha = arguments.find("alpha")) {
        wanted.alpha = static_cast<int>(static_cast<std::int64_t>(alpha->number));
    }
    wanted.limit = bytes_at(arguments, "limit");
    wanted.reserve = bytes_at(arguments, "reserve");
    wanted.xon_offset = bytes_at(arguments, "xon_offset");
    if (const Value* headroom = arguments.find("headroom")) {
        wanted.headroom.emplace();
        if (headroom->kind != ValueKind::Keyword) wanted.headroom->bytes = headroom->number;
    }
    return wanted;
}

void read_interval(const Arguments& arguments, std::string_view key, Interval& target) {
    const Value* value = arguments.find(key);
    if (value != nullptr) target = {static_cast<std::int64_t>(value->number)};
}

WatchdogAction action_of(const std::string& word) {
    if (word == "drop") return WatchdogAction::Drop;
    return word == "forward" ? WatchdogAction::Forward : WatchdogAction::Alert;
}

}  // namespace

Reply set_ecn(const Arguments& arguments, const Snapshot& /*snapshot*/) {
    const Subject subject(arguments, "ecn");
    const EcnSettings ecn{.kmin = arguments.find("kmin")->number,
                          .kmax = arguments.find("kmax")->number,
                          .pmax = {static_cast<std::uint32_t>(arguments.find("pmax")->number)}};
    return Reply::change([subject, ecn](Settings& settings) {
        if (!subject.all()) {
            settings.ports[subject.port].ecn[subject.priority] = ecn;
            return;
        }
        settings.ecn[subject.priority] = ecn;
        for (PortSettings& port : settings.ports) port.ecn.erase(subject.priority);
    });
}

Reply set_ecn_off(const Arguments& arguments, const Snapshot& /*snapshot*/) {
    const Subject subject(arguments, "ecn");
    return Reply::change([subject](Settings& settings) {
        const auto common = settings.ecn.find(subject.priority);
        for (std::size_t i = 0; i < settings.ports.size(); ++i) {
            auto& own = settings.ports[i].ecn;
            if (subject.all() || subject.port == i) {
                own.erase(subject.priority);
            } else if (common != settings.ecn.end()) {
                own.insert(*common);  // the others keep what they had
            }
        }
        settings.ecn.erase(subject.priority);
    });
}

Reply set_scheduler(const Arguments& arguments, const Snapshot& /*snapshot*/) {
    const Subject subject(arguments, "scheduler");
    const Value* weight = arguments.find("weight");
    const auto wanted = static_cast<unsigned>(weight == nullptr ? 0 : weight->number);
    return Reply::change([subject, wanted](Settings& settings) {
        edit_optional(settings, subject.port, &PortSettings::scheduler, &Settings::scheduler,
                      [&](std::optional<SchedulerSettings>& scheduler) {
                          // Without a scheduler all priorities are strict already.
                          if (!scheduler && wanted == 0) return;
                          if (!scheduler) scheduler.emplace();
                          if (wanted == 0) return make_strict(*scheduler, subject.priority);
                          weigh(*scheduler, subject.priority, wanted);
                      });
    });
}

Reply set_pfc(const Arguments& arguments, const Snapshot& /*snapshot*/) {
    const Subject subject(arguments, "pfc");
    const bool on = arguments.find("pfc", 2)->text == "on";
    return Reply::change([subject, on](Settings& settings) {
        edit_optional(settings, subject.port, &PortSettings::pfc, &Settings::pfc,
                      [&](std::optional<PfcSettings>& pfc) {
                          if (!pfc && !on) return;
                          if (!pfc) pfc.emplace();
                          if (on) return add_priority(pfc->priorities, subject.priority);
                          std::erase(pfc->priorities, subject.priority);
                      });
    });
}

Reply set_buffer(const Arguments& arguments, const Snapshot& /*snapshot*/) {
    const Subject subject(arguments, "buffer");
    const GroupSettings wanted = wanted_group(arguments);
    if (wanted == GroupSettings{}) {
        return Reply::error("nothing to set; write alpha, limit, headroom, reserve or xon_offset");
    }
    if (wanted.alpha && wanted.limit) {
        return Reply::error(
            "alpha moves the threshold with the free pool, limit fixes it; write one");
    }
    return Reply::change([subject, wanted](Settings& settings) {
        const auto edit = [&](PortBufferSettings& buffer) {
            edit_group(wanted, buffer.priorities[subject.priority]);
        };
        if (!subject.all()) return edit(settings.ports[subject.port].buffer);
        edit(settings.buffer);
        for (PortSettings& port : settings.ports) {
            if (!(port.buffer == PortBufferSettings{})) edit(port.buffer);
        }
    });
}

Reply set_port(const Arguments& arguments, const Snapshot& /*snapshot*/) {
    const PortId wanted = arguments.find("port")->port;
    const BitRate speed{arguments.find("speed")->number};
    return Reply::change([wanted, speed](Settings& settings) {
        for (std::size_t i = 0; i < settings.ports.size(); ++i) {
            if (wanted == kNoPort || wanted == i) settings.ports[i].speed = speed;
        }
    });
}

Reply set_watchdog(const Arguments& arguments, const Snapshot& snapshot) {
    WatchdogSettings watchdog = snapshot.watchdog.value_or(WatchdogSettings{});
    read_interval(arguments, "detection", watchdog.detection);
    read_interval(arguments, "restoration", watchdog.restoration);
    read_interval(arguments, "poll", watchdog.poll);
    const Value* action = arguments.find("action");
    if (action != nullptr) watchdog.action = action_of(action->text);
    return Reply::change([watchdog](Settings& settings) { settings.watchdog = watchdog; });
}

Reply set_watchdog_off(const Arguments& /*arguments*/, const Snapshot& /*snapshot*/) {
    return Reply::change([](Settings& settings) { settings.watchdog.reset(); });
}

}  // namespace weir

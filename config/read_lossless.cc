// SPDX-License-Identifier: BSD-3-Clause
#include "config/read_lossless.h"

#include <charconv>
#include <string>

#include "config/read_values.h"
#include "config/units.h"

namespace weir {
namespace {

constexpr unsigned kPriorityMax = kPriorities - 1;
constexpr unsigned kDscpMax = 63;

void read_priorities(const Value& value, std::vector<Priority>& target) {
    target.clear();
    read_list<Priority>(value, target, [](const Value& item, Priority& priority) {
        read_number(item, 0, kPriorityMax, priority);
    });
}

void read_alpha(const Value& value, std::optional<int>& target) {
    if (!value.expect_scalar()) return;
    const std::string_view text = value.text();
    int n = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (error == std::errc{} && end == text.data() + text.size() && n >= kAlphaMin &&
        n <= kAlphaMax) {
        target = n;
        return;
    }
    value.problem("'" + std::string(text) +
                  "' is no alpha; write the n of 2^n, -8 (1/256) to 7 (128)");
}

void read_headroom(const Value& value, HeadroomSettings& target) {
    if (!value.expect_scalar() || value.text() == "auto") return;
    const Reading<Bytes> bytes = parse_bytes(value.text());
    if (bytes) {
        target.bytes = *bytes;
    } else {
        value.problem(bytes.problem + ", or auto");
    }
}

constexpr std::array<Field<GroupSettings>, 5> kGroupFields{{
    {"reserve",
     [](const Value& v, GroupSettings& s) { read_parsed(v, parse_bytes, s.reserve); },
     {}},
    {"alpha", [](const Value& v, GroupSettings& s) { read_alpha(v, s.alpha); }, {}},
    {"limit", [](const Value& v, GroupSettings& s) { read_parsed(v, parse_bytes, s.limit); }, {}},
    {"headroom",
     [](const Value& v, GroupSettings& s) { read_headroom(v, s.headroom.emplace()); },
     {}},
    {"xon_offset",
     [](const Value& v, GroupSettings& s) { read_parsed(v, parse_bytes, s.xon_offset); },
     {}},
}};

void read_group(const Value& value, GroupSettings& target) {
    read_map(value, kGroupFields, target);
}

// A port's keys, which a switch has as well.
template <typename T>
constexpr std::array<Field<T>, 3> kPortBufferFields{{
    {"lossless", [](const Value& v, T& s) { read_group(v, s.lossless); }, {}},
    {"lossy", [](const Value& v, T& s) { read_group(v, s.lossy); }, {}},
    {"priorities",
     [](const Value& v, T& s) { for_each_number(v, kPriorityMax, s.priorities, read_group); },
     {}},
}};

constexpr std::array<Field<BufferSettings>, 5> kBufferFields{{
    {"shared",
     [](const Value& v, BufferSettings& s) { read_parsed(v, parse_bytes, s.shared); },
     {}},
    {"reaction",
     [](const Value& v, BufferSettings& s) { read_parsed(v, parse_interval, s.reaction); },
     {}},
    kPortBufferFields<BufferSettings>[0],
    kPortBufferFields<BufferSettings>[1],
    kPortBufferFields<BufferSettings>[2],
}};

constexpr std::array<Field<EcnSettings>, 3> kEcnFields{{
    {"kmin", [](const Value& v, EcnSettings& s) { read_parsed(v, parse_bytes, s.kmin); },
     "kmin: 100KB"},
    {"kmax", [](const Value& v, EcnSettings& s) { read_parsed(v, parse_bytes, s.kmax); },
     "kmax: 400KB"},
    {"pmax", [](const Value& v, EcnSettings& s) { read_parsed(v, parse_probability, s.pmax); },
     "pmax: 5%"},
}};

constexpr std::array<Field<PfcSettings>, 1> kPfcFields{{
    {"priorities", [](const Value& v, PfcSettings& s) { read_priorities(v, s.priorities); },
     "priorities: [3]"},
}};

constexpr std::array<Field<SchedulerSettings>, 2> kSchedulerFields{{
    {"strict", [](const Value& v, SchedulerSettings& s) { read_priorities(v, s.strict); }, {}},
    {"weights",
     [](const Value& v, SchedulerSettings& s) {
         for_each_number(v, kPriorityMax, s.weights, [](const Value& weight, unsigned& target) {
             read_number(weight, 1, kWeightMax, target);
         });
     },
     {}},
}};

void read_action(const Value& value, WatchdogAction& target) {
    if (!value.expect_scalar()) return;
    if (value.text() == "drop") {
        target = WatchdogAction::Drop;
    } else if (value.text() == "forward") {
        target = WatchdogAction::Forward;
    } else if (value.text() == "alert") {
        target = WatchdogAction::Alert;
    } else {
        value.problem("'" + std::string(value.text()) +
                      "' is no action; write drop, forward or alert");
    }
}

constexpr std::array<Field<WatchdogSettings>, 4> kWatchdogFields{{
    {"detection",
     [](const Value& v, WatchdogSettings& s) { read_parsed(v, parse_interval, s.detection); },
     {}},
    {"restoration",
     [](const Value& v, WatchdogSettings& s) { read_parsed(v, parse_interval, s.restoration); },
     {}},
    {"poll",
     [](const Value& v, WatchdogSettings& s) { read_parsed(v, parse_interval, s.poll); },
     {}},
    {"action", [](const Value& v, WatchdogSettings& s) { read_action(v, s.action); }, {}},
}};

constexpr std::array<Field<HookMoveSettings>, 2> kHookMoveFields{{
    {"priority",
     [](const Value& v, HookMoveSettings& s) { read_number(v, 0, kPriorityMax, s.priority); },
     "priority: 4"},
    {"dscp", [](const Value& v, HookMoveSettings& s) { read_number(v, 0, kDscpMax, s.dscp); },
     "dscp: 34"},
}};

constexpr std::array<Field<HookMovesSettings>, 2> kHookMovesFields{{
    {"first", [](const Value& v, HookMovesSettings& s) { read_map(v, kHookMoveFields, s.first); },
     "first: {priority: 4, dscp: 34}"},
    {"second", [](const Value& v, HookMovesSettings& s) { read_map(v, kHookMoveFields, s.second); },
     "second: {priority: 0, dscp: 0}"},
}};

constexpr std::array<Field<HookSettings>, 2> kHookFields{{
    {"uplinks",
     [](const Value& v, HookSettings& s) { read_list<std::string>(v, s.uplinks, read_text); },
     "uplinks: [up1, up2]"},
    {"moves",
     [](const Value& v, HookSettings& s) {
         for_each_number(v, kPriorityMax, s.moves, [](const Value& one, HookMovesSettings& moves) {
             read_map(one, kHookMovesFields, moves);
         });
     },
     "moves: {3: {first: {priority: 4, dscp: 34}, second: {priority: 0, dscp: 0}}}"},
}};

}  // namespace

// `pfc: [3, 4]` is short for `pfc: {priorities: [3, 4]}`.
void read_pfc(const Value& value, PfcSettings& target) {
    if (value.kind() == Document::Kind::List) {
        read_priorities(value, target.priorities);
    } else {
        read_map(value, kPfcFields, target);
    }
}

void read_buffer(const Value& value, BufferSettings& target) {
    read_map(value, kBufferFields, target);
}

void read_port_buffer(const Value& value, PortBufferSettings& target) {
    read_map(value, kPortBufferFields<PortBufferSettings>, target);
}

void read_ecn(const Value& value, std::map<unsigned, EcnSettings>& target) {
    for_each_number(value, kPriorityMax, target, [](const Value& one, EcnSettings& profile) {
        read_map(one, kEcnFields, profile);
    });
}

void read_scheduler(const Value& value, SchedulerSettings& target) {
    read_map(value, kSchedulerFields, target);
}

void read_watchdog(const Value& value, WatchdogSettings& target) {
    read_map(value, kWatchdogFields, target);
}

void read_hooks(const Value& value, HookSettings& target) {
    read_map(value, kHookFields, target);
}

}  // namespace weir
